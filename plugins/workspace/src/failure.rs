use std::fmt;

use crate::wording;

/// Why a path could not be used. What the grants do not reach and what the host hides is not there, as far
/// as a guest can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is nothing of this name.
    NotFound,
    /// It lies outside of every directory that was granted.
    NotGranted,
    /// The host or the system refuses it.
    Refused,
    /// A file was wanted.
    IsDirectory,
    /// A directory was wanted.
    NotDirectory,
    /// The links on the way lead in a circle.
    LinkLoop,
    /// The name is longer than the system allows.
    NameTooLong,
    /// The name is no UTF-8.
    NameInvalid,
    /// Reading failed, for a reason of the system's.
    Unreadable,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "no such file or directory",
            Self::NotGranted => "not granted",
            Self::Refused => "permission denied",
            Self::IsDirectory => "a directory, not a file",
            Self::NotDirectory => "not a directory",
            Self::LinkLoop => "links that lead in a circle",
            Self::NameTooLong => "the name is too long",
            Self::NameInvalid => "the name is not UTF-8",
            Self::Unreadable => "failed to read",
        })
    }
}

/// A path and why it could not be used; its text names both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The path, relative to the workspace.
    pub path: String,
    /// What is wrong with it.
    pub reason: Reason,
}

impl Failure {
    pub(crate) fn new(path: &str, reason: Reason) -> Self {
        Self { path: path.to_owned(), reason }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, wording::directory(&self.path))
    }
}
