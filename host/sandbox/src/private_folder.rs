//! Folders that only this user may write to, because what is in them is believed.

use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// Makes the folder, and looks whether it is the user's alone. `what` is what it is called in words.
///
/// # Errors
///
/// A sentence about what is wrong with it.
pub(crate) fn make(dir: &Path, what: &str) -> Result<(), String> {
    let shown = dir.display();
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .map_err(|error| format!("cannot make {what} {shown}: {error}"))?;
    let meta = std::fs::symlink_metadata(dir).map_err(|error| format!("cannot use {shown}: {error}"))?;
    if !meta.is_dir() {
        return Err(format!("{what} {shown} is no directory"));
    }
    if !is_ours(&meta) {
        return Err(match meta.uid() == rustix::process::geteuid().as_raw() {
            true => format!("others can write to {what} {shown}: run `chmod 700 {shown}`"),
            false => format!("{what} {shown} belongs to another user"),
        });
    }
    Ok(())
}

/// Whether a file or folder belongs to this user, and nobody else may write to it.
pub(crate) fn is_ours(meta: &std::fs::Metadata) -> bool {
    meta.uid() == rustix::process::geteuid().as_raw() && meta.mode() & 0o022 == 0
}
