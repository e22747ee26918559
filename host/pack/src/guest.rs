//! Building guests: crates that are compiled to components.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

/// The target that guests are built for; its linker makes components of them.
pub const GUEST_TARGET: &str = "wasm32-wasip2";

/// A guest workspace to build, and what of it.
///
/// The build runs cargo once more, mostly from within a build script. It therefore needs a target directory
/// of its own: the outer cargo holds the lock of its own directory until the build script ends.
#[derive(Clone, Debug)]
pub struct GuestBuild {
    manifest_dir: PathBuf,
    target_dir: PathBuf,
    packages: Vec<String>,
    examples: bool,
}

/// A component that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guest {
    /// The name of the cargo target: the library's or the example's, as written in the source.
    pub name: String,
    /// The component.
    pub path: PathBuf,
}

/// Why guests could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GuestError {
    /// The compiler has no standard library for the guests' target.
    #[error(
        "the {GUEST_TARGET} target is not installed: run `cargo xtask setup`, or `rustup target add {GUEST_TARGET}`"
    )]
    MissingTarget,
    /// Cargo could not be started.
    #[error("cannot run {}: {source}", program.display())]
    Start {
        /// What was to be run.
        program: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Cargo ran, and the build failed.
    #[error("the guests of {} do not build:\n{stderr}", manifest_dir.display())]
    Build {
        /// The guests' workspace.
        manifest_dir: PathBuf,
        /// What cargo and the compiler said.
        stderr: String,
    },
    /// Cargo's report of what it built cannot be read.
    #[error("cannot read cargo's report of what it built: {0}")]
    Report(#[source] serde_json::Error),
    /// The sources cannot be listed.
    #[error("cannot list {}: {source}", path.display())]
    Sources {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl GuestBuild {
    /// The libraries of all members of the workspace in `manifest_dir`, with `target_dir` for their build.
    pub fn new(manifest_dir: impl Into<PathBuf>, target_dir: impl Into<PathBuf>) -> Self {
        Self {
            manifest_dir: manifest_dir.into(),
            target_dir: target_dir.into(),
            packages: Vec::new(),
            examples: false,
        }
    }

    /// Builds this member, and no other but those named too.
    #[must_use]
    pub fn package(mut self, name: impl Into<String>) -> Self {
        self.packages.push(name.into());
        self
    }

    /// Builds the examples that are `cdylib`s, in place of the libraries.
    #[must_use]
    pub fn examples(mut self) -> Self {
        self.examples = true;
        self
    }

    /// Builds the guests, optimised and as their `Cargo.lock` says, and names the components by name.
    ///
    /// # Errors
    /// [`GuestError::MissingTarget`] says how to install the target. [`GuestError::Build`] carries what the
    /// compiler said.
    pub fn build(&self) -> Result<Vec<Guest>, GuestError> {
        let cargo = program("CARGO", "cargo");
        let output = self
            .command(&cargo)
            .output()
            .map_err(|source| GuestError::Start { program: PathBuf::from(cargo), source })?;
        if !output.status.success() {
            if self.target_is_missing() {
                return Err(GuestError::MissingTarget);
            }
            return Err(GuestError::Build {
                manifest_dir: self.manifest_dir.clone(),
                stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            });
        }
        let mut guests = components(&output.stdout)?;
        guests.sort_by(|a, b| a.name.cmp(&b.name));
        guests.dedup();
        Ok(guests)
    }

    /// What the guests are made from: files, and directories to be watched whole. For a build script's
    /// `cargo::rerun-if-changed`.
    ///
    /// # Errors
    /// [`GuestError::Sources`] when the workspace's directory cannot be listed.
    pub fn sources(&self) -> Result<Vec<PathBuf>, GuestError> {
        let listed = |source| GuestError::Sources { path: self.manifest_dir.clone(), source };
        let mut places = vec![self.manifest_dir.clone()];
        for entry in std::fs::read_dir(&self.manifest_dir).map_err(listed)? {
            places.push(entry.map_err(listed)?.path());
        }
        // Named one by one, because a directory's `target` must not count as a source.
        let parts = ["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "build.rs", "src", "wit", "examples"];
        let mut sources: Vec<_> = places
            .iter()
            .filter(|place| place.join("Cargo.toml").is_file())
            .flat_map(|place| parts.map(|part| place.join(part)))
            .filter(|source| source.exists())
            .collect();
        sources.sort();
        Ok(sources)
    }

    fn command(&self, cargo: &OsStr) -> Command {
        let mut command = self.bare(cargo);
        command
            .args(["build", "--release", "--locked", "--target", GUEST_TARGET])
            .arg("--message-format=json-render-diagnostics")
            .arg("--manifest-path")
            .arg(self.manifest_dir.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&self.target_dir)
            .arg(if self.examples { "--examples" } else { "--lib" });
        for package in &self.packages {
            command.args(["--package", package]);
        }
        command
    }

    /// A command that finds itself in the guests' workspace, and sees nothing of the outer build.
    fn bare(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.manifest_dir).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if is_of_the_outer_build(&name) {
                command.env_remove(name);
            }
        }
        command
    }

    /// Asked only after a failure, so that a build which works pays nothing for it.
    fn target_is_missing(&self) -> bool {
        let printed = self
            .bare(&program("RUSTC", "rustc"))
            .args(["--print", "target-libdir", "--target", GUEST_TARGET])
            .output();
        match printed {
            Ok(output) if output.status.success() => {
                let libraries = String::from_utf8_lossy(&output.stdout).trim().to_owned();
                !libraries.is_empty() && !Path::new(&libraries).is_dir()
            }
            // A compiler that does not know the target is older than it.
            Ok(_) => true,
            Err(_) => false,
        }
    }
}

fn program(variable: &str, otherwise: &str) -> OsString {
    std::env::var_os(variable).unwrap_or_else(|| otherwise.into())
}

/// Whether a variable belongs to the build that is going on and would change the guests', or break it:
/// flags for the host's compiler, clippy's wrapper around it, the target directory that the outer cargo
/// holds locked. The user's own settings stay: where cargo is and how it reaches its registries. So does
/// the job server, through which both builds together keep to the number of jobs that was asked for.
fn is_of_the_outer_build(name: &OsStr) -> bool {
    const NAMES: &[&str] = &[
        "CARGO_ENCODED_RUSTDOCFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_INCREMENTAL",
        "CARGO_MANIFEST_DIR",
        "CARGO_MANIFEST_LINKS",
        "CARGO_MANIFEST_PATH",
        "CARGO_PRIMARY_PACKAGE",
        "CARGO_RUSTC_CURRENT_DIR",
        "CARGO_TARGET_DIR",
        "CARGO_TARGET_TMPDIR",
        "DEBUG",
        "HOST",
        "NUM_JOBS",
        "OPT_LEVEL",
        "OUT_DIR",
        "PROFILE",
        "RUSTC_LINKER",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_WRAPPER",
        "RUSTDOC",
        "RUSTDOCFLAGS",
        "RUSTFLAGS",
        "TARGET",
        "__CARGO_FIX_PLZ",
    ];
    const PREFIXES: &[&str] = &[
        "CARGO_BIN_",
        "CARGO_BUILD_",
        "CARGO_CFG_",
        "CARGO_CRATE_",
        "CARGO_FEATURE_",
        "CARGO_PKG_",
        "CARGO_PROFILE_",
        "CARGO_TARGET_WASM32_",
        "CARGO_UNSTABLE_",
        "CLIPPY_",
        "DEP_",
    ];
    let name = name.to_string_lossy();
    NAMES.contains(&name.as_ref()) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// A line of what `cargo build --message-format=json` prints: other reasons come with other fields.
#[derive(Deserialize)]
struct Message {
    reason: String,
    target: Option<BuiltTarget>,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct BuiltTarget {
    name: String,
    crate_types: Vec<String>,
}

fn components(report: &[u8]) -> Result<Vec<Guest>, GuestError> {
    let mut guests = Vec::new();
    for message in serde_json::Deserializer::from_slice(report).into_iter::<Message>() {
        let message = message.map_err(GuestError::Report)?;
        let Some(target) = message.target.filter(|_| message.reason == "compiler-artifact") else { continue };
        if !target.crate_types.iter().any(|kind| kind == "cdylib") {
            continue;
        }
        let built = message.filenames.into_iter().filter(|path| path.extension() == Some(OsStr::new("wasm")));
        guests.extend(built.map(|path| Guest { name: target.name.clone(), path }));
    }
    Ok(guests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outer_build_stays_outside_and_the_users_settings_do_not() {
        for name in
            ["RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER", "CARGO_PROFILE_RELEASE_LTO", "CARGO_BUILD_TARGET"]
        {
            assert!(is_of_the_outer_build(OsStr::new(name)), "{name}");
        }
        for name in
            ["PATH", "CARGO_HOME", "RUSTUP_TOOLCHAIN", "CARGO_NET_OFFLINE", "CARGO_MAKEFLAGS", "RUSTC"]
        {
            assert!(!is_of_the_outer_build(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn libraries_and_examples_are_found_in_cargos_report() {
        let report = br#"
            {"reason":"compiler-artifact","target":{"kind":["lib"],"crate_types":["lib"],"name":"memchr"},"filenames":["/t/libmemchr.rlib"]}
            {"reason":"compiler-artifact","target":{"kind":["cdylib","rlib"],"crate_types":["cdylib","rlib"],"name":"files"},"filenames":["/t/files.wasm","/t/libfiles.rlib"]}
            {"reason":"compiler-artifact","target":{"kind":["example"],"crate_types":["cdylib"],"name":"loop"},"filenames":["/t/examples/loop.wasm"]}
            {"reason":"build-script-executed","out_dir":"/t/build"}
            {"reason":"build-finished","success":true}
        "#;
        let guest = |name: &str, path: &str| Guest { name: name.into(), path: path.into() };
        assert_eq!(
            components(report).unwrap(),
            [guest("files", "/t/files.wasm"), guest("loop", "/t/examples/loop.wasm")]
        );
    }

    #[test]
    fn a_workspace_that_does_not_build_says_what_the_compiler_said() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("src")).unwrap();
        std::fs::write(
            dir.path().join("Cargo.toml"),
            "[package]\nname = \"broken\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n[workspace]\n",
        )
        .unwrap();
        std::fs::write(
            dir.path().join("Cargo.lock"),
            "version = 4\n[[package]]\nname = \"broken\"\nversion = \"0.0.0\"\n",
        )
        .unwrap();
        std::fs::write(dir.path().join("src/lib.rs"), "compile_error!(\"not today\");").unwrap();
        let error = GuestBuild::new(dir.path(), dir.path().join("target")).build().unwrap_err();
        assert!(error.to_string().contains("not today"), "{error}");
    }

    #[test]
    fn what_is_watched_leaves_the_build_output_out() {
        let dir = tempfile::tempdir().unwrap();
        for place in ["one/src", "one/wit", "one/target", "target", "notes"] {
            std::fs::create_dir_all(dir.path().join(place)).unwrap();
        }
        for file in ["Cargo.toml", "Cargo.lock", "one/Cargo.toml"] {
            std::fs::write(dir.path().join(file), "").unwrap();
        }
        let sources = GuestBuild::new(dir.path(), "elsewhere").sources().unwrap();
        let names: Vec<_> =
            sources.iter().map(|path| path.strip_prefix(dir.path()).unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["Cargo.lock", "Cargo.toml", "one/Cargo.toml", "one/src", "one/wit"]);
    }
}
