use serde::{Deserialize, Serialize};

/// One thing that a call did, or was refused. Paths are relative to the workspace, in their one spelling; the workspace
/// itself is `.`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Entry {
    /// A regular file was opened for reading: once for each path.
    Read {
        /// The file.
        path: String,
        /// How many bytes were really read.
        bytes: u64,
    },
    /// A directory was listed.
    Listed {
        /// The directory.
        path: String,
    },
    /// A file was changed: it is so on the disk.
    Changed {
        /// The file.
        path: String,
        /// How.
        kind: ChangeKind,
        /// Where it was before, if it was moved.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
        /// Lines that were added.
        added: u64,
        /// Lines that were removed.
        removed: u64,
        /// What it was; nothing if it was not there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<Version>,
        /// What it is; nothing if it is gone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<Version>,
    },
    /// Something was tried and refused.
    Refused {
        /// `read`, `list`, `look` or `write`.
        action: String,
        /// On what.
        path: String,
        /// Why.
        reason: String,
    },
}

impl Entry {
    /// What was refused, in words, such as ``read `.env`: hidden``; nothing if nothing was.
    pub fn refusal(&self) -> Option<String> {
        match self {
            Self::Refused { action, path, reason } => Some(format!("{action} `{path}`: {reason}")),
            _ => None,
        }
    }
}

/// A file's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
}

/// How a file was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It was not there before.
    Created,
    /// It has another content.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path, and perhaps another content.
    Moved,
}

/// A change that is held back: it is on no disk yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The file.
    pub path: String,
    /// How.
    pub kind: ChangeKind,
    /// Where it was before, if it is moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Lines to be added.
    pub added: u64,
    /// Lines to be removed.
    pub removed: u64,
    /// Whether it is no text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub binary: bool,
}
