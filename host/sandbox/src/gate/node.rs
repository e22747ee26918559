//! What a guest's descriptor stands for.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

/// An open file or directory in a guest's table.
#[derive(Debug)]
pub(crate) enum Node {
    File(FileNode),
    Dir(DirNode),
}

/// A regular file, open for reading.
#[derive(Clone, Debug)]
pub(crate) struct FileNode {
    pub(crate) file: Arc<File>,
}

/// A directory, and where it is in the workspace.
#[derive(Clone, Debug)]
pub(crate) struct DirNode {
    dir: Arc<OwnedFd>,
    path: Arc<str>,
    walk_only: bool,
}

impl DirNode {
    /// The workspace itself.
    pub(crate) fn root(dir: Arc<OwnedFd>) -> Self {
        Self { dir, path: "".into(), walk_only: false }
    }

    /// `path` is the directory's own, through no link.
    pub(crate) fn new(dir: File, path: String) -> Self {
        Self { dir: Arc::new(dir.into()), path: path.into(), walk_only: false }
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

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }

    pub(crate) fn shared(&self) -> Arc<OwnedFd> {
        self.dir.clone()
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}
