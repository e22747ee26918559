//! What one command sees of the file system.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, fstat, mkdirat};
use rustix::io::Errno;

use super::mask::{Masks, open};
use super::plan::{Identity, Mount};
use super::toolchain::Toolchain;
use crate::grant::{Grants, is_within};
use crate::workspace::Workspace;

/// The directory for temporary files. In it is the command's home.
pub(super) const PRIVATE: &str = "/tmp";

/// Puts together what the grants allow: the machine's programs, the granted directories to be read, those of `scratch` to
/// be written, and over what is hidden there, as far as it is there now, something empty.
///
/// # Errors
///
/// Why it cannot be said, in words.
pub(super) fn view(
    grants: &Grants,
    workspace: &Workspace,
    toolchain: &Toolchain,
) -> Result<Vec<Mount>, String> {
    let root = workspace.path();
    if root.parent().is_none() || root.to_str().is_none() {
        return Err(
            "the workspace is `/`, or its path is not UTF-8: nothing can be kept from a command there"
                .to_owned(),
        );
    }
    let place = |path: &str| if path.is_empty() { root.to_owned() } else { root.join(path) };
    let mut view = toolchain.view.clone();
    view.extend([
        Mount::Processes { path: "/proc".into() },
        Mount::Devices { path: "/dev".into() },
        Mount::Private { path: PRIVATE.into() },
        Mount::Link { path: "/var/tmp".into(), target: PRIVATE.into() },
    ]);
    let mut readable: Vec<(&str, OwnedFd)> = Vec::new();
    let mut granted: Vec<_> = grants.preopens().iter().map(|preopen| &preopen.dir).collect();
    granted.sort_by_key(|dir| dir.path().len());
    for dir in granted {
        if readable.iter().any(|(above, _)| is_within(dir.path(), above)) {
            continue;
        }
        let handle = dir.fd().ok().and_then(|handle| handle.try_clone_to_owned().ok());
        readable.push((dir.path(), handle.ok_or_else(|| format!("`{}` is not open", dir.path()))?));
    }
    if !readable.iter().any(|(path, _)| path.is_empty()) {
        view.push(Mount::Folder { path: root.to_owned() });
    }
    let mut scratch = Vec::new();
    for path in &grants.commands_granted().scratch {
        let handle = make(workspace, path).map_err(|error| {
            format!("the scratch directory `{path}` cannot be used: {error}; it has to be a directory, and no link")
        })?;
        scratch.push((path.as_str(), handle));
    }
    for (path, handle) in &readable {
        view.push(Mount::Read { path: place(path), identity: Some(identity(handle)?) });
    }
    for (path, handle) in &scratch {
        view.push(Mount::Write { path: place(path), identity: identity(handle)? });
    }
    let mut masks = Masks::new(grants.hidden());
    let is_readable = |path: &str| readable.iter().any(|(above, _)| is_within(path, above));
    let apart: Vec<_> = scratch.iter().map(|(path, _)| *path).filter(|path| !is_readable(path)).collect();
    for (path, handle) in
        readable.into_iter().chain(scratch.into_iter().filter(|(path, _)| apart.contains(path)))
    {
        masks.search(handle, path)?;
    }
    let masks = masks.finish(workspace)?;
    view.extend(masks.into_iter().map(|(path, is_dir)| Mount::Mask { path: place(&path), is_dir }));
    Ok(view)
}

/// Whether a command can run in that directory of the workspace: `path` is its own, and empty for the workspace.
pub(super) fn is_in_view(grants: &Grants, path: &str) -> bool {
    let granted = grants.preopens().iter().map(|preopen| preopen.dir.path());
    let scratch = grants.commands_granted().scratch.iter().map(String::as_str);
    path.is_empty() || granted.chain(scratch).any(|above| is_within(path, above))
}

/// Opens a directory of the workspace, through no link, and makes what of it is missing.
fn make(workspace: &Workspace, path: &str) -> Result<OwnedFd, Errno> {
    let mut dir: Option<OwnedFd> = None;
    for name in path.split('/') {
        let above = dir.as_ref().map_or(workspace.root().as_fd(), |dir| dir.as_fd());
        match mkdirat(above, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
        dir = Some(open(above, name)?);
    }
    dir.ok_or(Errno::INVAL)
}

#[expect(clippy::useless_conversion, reason = "the types differ between systems")]
fn identity(dir: &OwnedFd) -> Result<Identity, String> {
    let stat = fstat(dir).map_err(|error| format!("a granted directory cannot be looked at: {error}"))?;
    Ok(Identity { device: stat.st_dev as u64, inode: stat.st_ino.into() })
}

/// The path of a file of the workspace as a command sees it, which is as the machine does.
pub(super) fn path_of(workspace: &Workspace, path: &Path) -> PathBuf {
    workspace.path().join(path)
}
