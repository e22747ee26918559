//! The directory that everything is relative to.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};
use thiserror::Error;

use crate::change::Journals;

/// A workspace: one directory, opened once. Every grant is opened from this handle and never again by path, so
/// that renaming or replacing the directory's path afterwards changes nothing.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: Arc<OwnedFd>,
    path: PathBuf,
    journals: Option<Arc<Journals>>,
}

/// Why a workspace could not be opened.
#[derive(Debug, Error)]
#[error("cannot open the workspace {}: {source}", path.display())]
pub struct WorkspaceError {
    path: PathBuf,
    source: std::io::Error,
}

impl Workspace {
    /// Opens the directory `path`; a symbolic link to a directory is followed, here and nowhere else.
    ///
    /// # Errors
    ///
    /// When the path does not exist, is no directory, or may not be read.
    pub fn open(path: &Path) -> Result<Self, WorkspaceError> {
        let fail = |source| WorkspaceError { path: path.to_owned(), source };
        let canonical = path.canonicalize().map_err(fail)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(&canonical, flags, Mode::empty()).map_err(|e| fail(e.into()))?;
        Ok(Self { root: Arc::new(root), path: canonical, journals: None })
    }

    /// The same workspace, in which a change that a killed process had begun can be brought to its end.
    #[must_use]
    pub fn with_journals(self, journals: Journals) -> Self {
        Self { journals: Some(Arc::new(journals)), ..self }
    }

    /// Where the workspace was when it was opened: absolute, no symbolic links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn journals(&self) -> Option<&Journals> {
        self.journals.as_deref()
    }

    pub(crate) fn root(&self) -> &Arc<OwnedFd> {
        &self.root
    }
}
