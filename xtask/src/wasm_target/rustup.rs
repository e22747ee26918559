//! The target by `rustup target add`.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::TARGET;
use super::toolchain::Toolchain;
use crate::failure::Failure;
use crate::process::{not_started, say, shown, wait_at_most};

/// rustup waits very long for a server that does not answer; after this, the other way is tried.
const LIMIT: Duration = Duration::from_secs(180);

/// Asks rustup for the target.
pub(super) fn add(toolchain: &Toolchain) -> Result<(), Failure> {
    let set_aside = set_aside(toolchain);
    let result = ask();
    if let Some(old) = set_aside {
        match &result {
            Ok(()) => drop(fs::remove_dir_all(old)),
            Err(_) => drop(fs::rename(old, toolchain.target_folder())),
        }
    }
    result
}

/// rustup refuses to write over files that it did not install. What it does not own here was built for another
/// version of rustc, or it would work; so it is moved away.
fn set_aside(toolchain: &Toolchain) -> Option<std::path::PathBuf> {
    let folder = toolchain.target_folder();
    if toolchain.target_is_rustups() || !folder.is_dir() {
        return None;
    }
    let aside = toolchain.target_folder_beside("old");
    fs::rename(&folder, &aside).ok().map(|()| aside)
}

fn ask() -> Result<(), Failure> {
    let mut command = Command::new("rustup");
    command.args(["target", "add", TARGET]).env_remove("RUST_BACKTRACE").stdin(Stdio::null());
    say("setup", &shown(&command));
    let mut child = command.spawn().map_err(|error| not_started(&command, &error))?;
    match wait_at_most(&mut child, LIMIT) {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) => Err(Failure::new(format!("`{}` failed: {status}", shown(&command)))
            .fix("see what rustup printed above; REMIT_WASM_TARGET=debian builds it from Debian's packages")),
        Ok(None) => Err(Failure::new(format!("rustup did not finish in {} s", LIMIT.as_secs()))
            .fix("try again with a better network, or set REMIT_WASM_TARGET=debian")),
        Err(error) => Err(Failure::new(format!("waiting for rustup failed: {error}"))),
    }
}
