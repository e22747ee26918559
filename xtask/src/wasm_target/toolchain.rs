//! The Rust toolchain that cargo will use.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::TARGET;
use crate::failure::Failure;
use crate::process::output;

/// Facts about the rustc on PATH.
pub(super) struct Toolchain {
    /// Where its libraries live.
    pub(super) sysroot: PathBuf,
    /// The machine it runs on, such as `x86_64-unknown-linux-gnu`.
    pub(super) host: String,
    /// Its version, such as `1.95.0`.
    pub(super) release: String,
    /// The commit it was built from; panics in the standard library name files under it.
    pub(super) commit: String,
}

/// The rustc that cargo would start.
pub(super) fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc")))
}

impl Toolchain {
    /// Asks rustc.
    pub(super) fn find() -> Result<Self, Failure> {
        let sysroot = output(rustc().args(["--print", "sysroot"]))?;
        let version = output(rustc().arg("-vV"))?;
        Ok(Self {
            sysroot: PathBuf::from(sysroot.trim_end()),
            host: field(&version, "host"),
            release: field(&version, "release"),
            commit: field(&version, "commit-hash"),
        })
    }

    /// The folder of all targets' libraries.
    fn rustlib(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib")
    }

    /// The folder that the target's libraries belong in.
    pub(super) fn target_folder(&self) -> PathBuf {
        self.rustlib().join(TARGET)
    }

    /// A folder beside the target's, so that a finished library can be moved in place in one step.
    pub(super) fn target_folder_beside(&self, suffix: &str) -> PathBuf {
        self.rustlib().join(format!(".{TARGET}.{suffix}.{}", std::process::id()))
    }

    /// Whether rustup put the target's libraries there: it keeps a manifest of each component.
    pub(super) fn target_is_rustups(&self) -> bool {
        self.rustlib().join(format!("manifest-rust-std-{TARGET}")).is_file()
    }

    /// A program that comes with the toolchain and is needed for linking, or one of that name on PATH.
    pub(super) fn has_program(&self, name: &str) -> bool {
        self.rustlib().join(&self.host).join("bin").join(name).is_file() || on_path(name)
    }
}

/// Whether a program of that name is on PATH.
pub(super) fn on_path(name: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| Path::new(&folder).join(name).is_file())
    })
}

/// A line `NAME: VALUE` of `rustc -vV`; empty where it is missing.
fn field(version: &str, name: &str) -> String {
    version
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn version_facts_are_read_by_name() {
        let version = "rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\n";
        assert_eq!(field(version, "release"), "1.95.0");
        assert_eq!(field(version, "host"), "x86_64-unknown-linux-gnu");
        assert_eq!(field(version, "commit-hash"), "");
    }
}
