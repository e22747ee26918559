//! The target from Debian's packages: std is compiled from `rust-src`, libc comes from `wasi-libc`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::TARGET;
use super::apt::Apt;
use super::toolchain::{Toolchain, on_path};
use crate::failure::Failure;
use crate::process::{not_started, run, say, succeeded};
use crate::repository::temporary_folder;

/// What linking for the target takes beside std; a rustup toolchain brings both.
const LINKERS: [&str; 2] = ["wasm-component-ld", "rust-lld"];

/// What the C library gives: the start files of programs and of libraries, and itself.
const LIBC_FILES: [&str; 3] = ["crt1-command.o", "crt1-reactor.o", "libc.a"];

/// Builds std for the target and puts it in the toolchain.
pub(super) fn build(toolchain: &Toolchain) -> Result<(), Failure> {
    check(toolchain)?;
    let place = Place::new(toolchain)?;
    let work = temporary_folder("wasm-std")?;
    let result = build_in(toolchain, &place, &work);
    // Hundreds of megabytes, so it goes also after a failure.
    drop(fs::remove_dir_all(&work));
    result
}

fn build_in(toolchain: &Toolchain, place: &Place, work: &Path) -> Result<(), Failure> {
    let packages = work.join("packages");
    let apt = Apt::new(&packages)?;
    say("setup", &format!("looking for Debian's sources of Rust {}", toolchain.release));
    let version = apt.find("rust-src", &format!("{}+", toolchain.release))?;
    apt.download(&[&format!("rust-src={version}"), "wasi-libc"])?;
    unpack(&apt.file("rust-src")?, work, "./usr/src/rustc-*/library", 4)?;
    unpack(&apt.file("wasi-libc")?, work, &format!("./usr/lib/{TARGET}"), 3)?;
    say("setup", "compiling Rust's standard library, up to two minutes");
    run(&mut compile(toolchain, work))?;
    place.fill(&work.join("target").join(TARGET).join("release/deps"), &work.join(TARGET))
}

/// Says at once what would fail after minutes.
fn check(toolchain: &Toolchain) -> Result<(), Failure> {
    for program in ["apt-get", "apt-cache", "dpkg-deb", "tar"] {
        if !on_path(program) {
            return Err(Failure::new(format!("there is no {program}: this is not Debian"))
                .fix(format!("`rustup target add {TARGET}`")));
        }
    }
    match LINKERS.iter().find(|name| !toolchain.has_program(name)) {
        Some(name) => Err(Failure::new(format!("this toolchain has no {name}, which links for {TARGET}"))
            .fix("use a toolchain from rustup, which brings it")),
        None => Ok(()),
    }
}

/// Takes one folder out of a package, without as many of its parents as `strip`.
fn unpack(package: &Path, into: &Path, folder: &str, strip: usize) -> Result<(), Failure> {
    let mut reader = Command::new("dpkg-deb");
    reader.arg("--fsys-tarfile").arg(package).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = reader.spawn().map_err(|error| not_started(&reader, &error))?;
    let archive = child.stdout.take().map_or_else(Stdio::null, Stdio::from);
    let mut tar = Command::new("tar");
    tar.args(["--extract", "--wildcards", "--no-same-owner"])
        .arg(format!("--strip-components={strip}"))
        .arg("--directory")
        .arg(into)
        .arg(folder)
        .stdin(archive);
    let unpacked = tar.status().map_err(|error| not_started(&tar, &error))?;
    let read = child.wait().map_err(|error| not_started(&reader, &error))?;
    succeeded(&tar, unpacked)?;
    succeeded(&reader, read)
}

/// cargo, to compile std. Its third-party crates come from the registry: Debian's own copies lack what is
/// linked in ready-made for this target; `--locked` holds them to the versions that Rust names.
fn compile(toolchain: &Toolchain, work: &Path) -> Command {
    let library = work.join("library");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What is set for remit's own build would make another std than Rust ships.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if is_build_setting(&name) {
            command.env_remove(name.as_ref());
        }
    }
    command
        .args(["build", "--locked", "--release", "--features", "backtrace panic-unwind", "--target", TARGET])
        .args(["--manifest-path", "sysroot/Cargo.toml", "--target-dir"])
        .arg(work.join("target"))
        .current_dir(&library)
        // std uses unstable features of the compiler of its own version.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .env(
            "RUSTFLAGS",
            format!(
                "-Zforce-unstable-if-unmarked -Cembed-bitcode=yes --remap-path-prefix={}=/rustc/{}",
                work.display(),
                toolchain.commit
            ),
        );
    command
}

/// Whether a variable changes how cargo builds, and not only where it finds its registry.
fn is_build_setting(name: &str) -> bool {
    const NAMES: [&str; 5] = [
        "RUSTFLAGS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_INCREMENTAL",
    ];
    const FAMILIES: [&str; 3] = ["CARGO_PROFILE_", "CARGO_BUILD_", "CARGO_TARGET_"];
    NAMES.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family))
}

/// The place in the toolchain, prepared under another name until all of it is there.
struct Place {
    prepared: PathBuf,
    target: PathBuf,
}

impl Place {
    fn new(toolchain: &Toolchain) -> Result<Self, Failure> {
        let prepared = toolchain.target_folder_beside("new");
        fs::create_dir_all(prepared.join("lib/self-contained")).map_err(|error| {
            Failure::new(format!(
                "the toolchain in {} cannot be written: {error}",
                toolchain.sysroot.display()
            ))
            .fix("run `cargo xtask setup` once as the toolchain's owner")
        })?;
        Ok(Self { prepared, target: toolchain.target_folder() })
    }

    /// Copies std's crates from `crates` and the C library from `libc`, and moves the whole in place.
    fn fill(&self, crates: &Path, libc: &Path) -> Result<(), Failure> {
        let copy = || -> std::io::Result<()> {
            let library = self.prepared.join("lib");
            for entry in fs::read_dir(crates)? {
                let file = entry?.path();
                if file.extension().is_some_and(|extension| extension == "rlib") {
                    fs::copy(&file, library.join(file.file_name().unwrap_or_default()))?;
                }
            }
            for name in LIBC_FILES {
                fs::copy(libc.join(name), library.join("self-contained").join(name))?;
            }
            if self.target.exists() {
                fs::remove_dir_all(&self.target)?;
            }
            fs::rename(&self.prepared, &self.target)
        };
        copy().map_err(|error| Failure::new(format!("cannot put std in {}: {error}", self.target.display())))
    }
}

impl Drop for Place {
    /// What was not moved in place is of no use to anybody.
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.prepared));
    }
}

#[cfg(test)]
mod tests {
    use super::is_build_setting;

    #[test]
    fn std_is_built_without_what_is_set_for_remit() {
        for name in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "RUSTC_WORKSPACE_WRAPPER",
            "CARGO_TARGET_DIR",
            "CARGO_PROFILE_RELEASE_LTO",
        ] {
            assert!(is_build_setting(name), "{name}");
        }
    }

    #[test]
    fn how_the_registry_is_reached_is_kept() {
        for name in [
            "CARGO_HOME",
            "CARGO_HTTP_PROXY",
            "CARGO_REGISTRIES_CRATES_IO_PROTOCOL",
            "RUSTUP_TOOLCHAIN",
            "PATH",
        ] {
            assert!(!is_build_setting(name), "{name}");
        }
    }
}
