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
    /// Something of this name is there already.
    Exists,
    /// The directory has something in it.
    NotEmpty,
    /// It lies in a directory that was granted for reading alone.
    ReadOnly,
    /// It is a directory that was granted, or one above it: what is in it can change, it itself stays.
    Granted,
    /// There is no space left for it.
    NoSpace,
    /// Writing failed, for a reason of the system's.
    Unwritable,
}

impl Reason {
    /// The same reason, where something was to be written.
    pub(crate) fn of_writing(self) -> Self {
        if self == Self::Unreadable { Self::Unwritable } else { self }
    }
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
            Self::Exists => "already exists",
            Self::NotEmpty => "the directory is not empty",
            Self::ReadOnly => "may be read and not changed",
            Self::Granted => "a granted directory, which stays as it is",
            Self::NoSpace => "no space is left",
            Self::Unwritable => "failed to write",
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
