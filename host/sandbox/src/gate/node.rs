//! What a guest's descriptor stands for.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::stage::Content;

/// An open file or directory in a guest's table.
#[derive(Debug)]
pub(crate) enum Node {
    File(FileNode),
    Dir(DirNode),
}

/// An open regular file.
#[derive(Clone, Debug)]
pub(crate) enum FileNode {
    /// One on disk, open for reading, and the counter of what is read of it.
    Disk { file: Arc<File>, read: Arc<AtomicU64> },
    /// One that the call has changed or is about to.
    Staged { content: Content, writable: bool },
}

/// A directory, and where it is in the workspace.
#[derive(Clone, Debug)]
pub(crate) struct DirNode {
    /// Missing for a directory that the call made and that is not on disk.
    dir: Option<Arc<OwnedFd>>,
    path: Arc<str>,
    walk_only: bool,
}

impl DirNode {
    /// The workspace itself.
    pub(crate) fn root(dir: Arc<OwnedFd>) -> Self {
        Self { dir: Some(dir), path: "".into(), walk_only: false }
    }

    /// `path` is the directory's own, through no link.
    pub(crate) fn new(dir: File, path: String) -> Self {
        Self { dir: Some(Arc::new(dir.into())), path: path.into(), walk_only: false }
    }

    /// A directory that is only in the stage.
    pub(crate) fn staged(path: String) -> Self {
        Self { dir: None, path: path.into(), walk_only: false }
    }

    /// The same directory, in which no path is opened in one step: what a kernel without `openat2` leaves.
    #[cfg(test)]
    pub(crate) fn walking(mut self) -> Self {
        self.walk_only = true;
        self
    }

    pub(crate) fn walk_only(&self) -> bool {
        self.walk_only
    }

    pub(crate) fn dir(&self) -> Option<&Arc<OwnedFd>> {
        self.dir.as_ref()
    }

    /// The handle; `NoEntry` for a directory that is not on disk.
    pub(crate) fn fd(&self) -> Result<BorrowedFd<'_>, ErrorCode> {
        self.dir.as_ref().map(|dir| dir.as_fd()).ok_or(ErrorCode::NoEntry)
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}
