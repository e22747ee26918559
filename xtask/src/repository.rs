//! Where the repository and its cargo workspaces are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;

/// This repository's work tree.
pub(crate) struct Repository {
    root: PathBuf,
}

/// A cargo workspace of this repository: they are apart because they are built for different targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Workspace {
    /// The host: everything that runs natively.
    Host,
    /// The built-in plugins.
    Plugins,
    /// The program that writes the plugins' bindings.
    Bindgen,
    /// The hostile components that the tests run.
    Guests,
}

impl Workspace {
    pub(crate) const ALL: [Workspace; 4] =
        [Workspace::Host, Workspace::Plugins, Workspace::Bindgen, Workspace::Guests];

    /// Its folder, relative to the repository.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Workspace::Host => ".",
            Workspace::Plugins => "plugins",
            Workspace::Bindgen => "plugins/bindgen",
            Workspace::Guests => "tests/guests",
        }
    }
}

impl Repository {
    /// The work tree that xtask belongs to, wherever the caller stands.
    ///
    /// cargo tells a program that it runs where its manifest is. The path known at compile time is only for a
    /// start by hand, because a work tree may have been moved since.
    pub(crate) fn find() -> Result<Self, Failure> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .unwrap_or_else(|| OsString::from(env!("CARGO_MANIFEST_DIR")));
        let root = Path::new(&manifest).parent().map(Path::to_owned).unwrap_or_default();
        if !root.join("host/cli/Cargo.toml").is_file() {
            return Err(Failure::new(format!("{} is not remit's repository", root.display()))
                .fix("start it as `cargo xtask …` inside the repository"));
        }
        Ok(Self { root })
    }

    /// A path inside the repository.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The cargo that runs xtask, to be started in a workspace's folder.
    pub(crate) fn cargo(&self, workspace: Workspace) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
        command.current_dir(self.path(workspace.folder()));
        command
    }
}

/// A new, empty folder for a purpose, outside the repository.
pub(crate) fn temporary_folder(purpose: &str) -> Result<PathBuf, Failure> {
    let parent = std::env::temp_dir();
    for attempt in 0..100 {
        let folder = parent.join(format!("remit-{purpose}-{}-{attempt}", std::process::id()));
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(Failure::new(format!("cannot make {}: {error}", folder.display()))
                    .fix("set TMPDIR to a folder that can be written"));
            }
        }
    }
    Err(Failure::new(format!("too many leftovers in {}", parent.display())).fix("remove its remit-* folders"))
}
