//! What the host tells the launcher about one command, and what the launcher tells the host.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A command, and what it is to be kept within.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    /// The file to execute.
    pub(crate) program: PathBuf,
    /// Its arguments; the first is its own name.
    pub(crate) argv: Vec<String>,
    /// Where it runs.
    pub(crate) directory: PathBuf,
    /// All of its environment.
    pub(crate) env: Vec<(String, String)>,
    /// What it may use.
    pub(crate) limits: ProcessLimits,
    /// What it sees of the file system. Without it, everything: it is not contained.
    pub(crate) view: Option<Vec<Mount>>,
}

/// What a command may use, with everything that it starts.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProcessLimits {
    /// Memory of all processes together, and of each, in bytes.
    pub(crate) memory_bytes: u64,
    /// Processes at once.
    pub(crate) processes: u64,
    /// Processes and their threads at once, where the kernel counts them for the user or the namespace.
    pub(crate) tasks: u64,
    /// The largest file that may be written, in bytes.
    pub(crate) file_bytes: u64,
    /// Open files of a process.
    pub(crate) open_files: u64,
    /// Processor time of a process, in seconds.
    pub(crate) cpu_seconds: u64,
    /// The private temporary file system, in bytes.
    pub(crate) private_bytes: u64,
}

/// A place in the private file system. Later ones lie over earlier ones. What comes from the machine is where it is on the
/// machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Mount {
    /// A file or directory, to be read.
    Read { path: PathBuf, identity: Option<Identity> },
    /// A directory, to be written too.
    Write { path: PathBuf, identity: Identity },
    /// A symbolic link.
    Link { path: PathBuf, target: PathBuf },
    /// An empty directory that nothing can be written to.
    Folder { path: PathBuf },
    /// The directory for temporary files, empty at first.
    Private { path: PathBuf },
    /// A few devices without effects.
    Devices { path: PathBuf },
    /// The processes of this command.
    Processes { path: PathBuf },
    /// Something that is there and cannot be read.
    Mask { path: PathBuf, is_dir: bool },
}

impl Mount {
    pub(crate) fn path(&self) -> &PathBuf {
        match self {
            Self::Read { path, .. }
            | Self::Write { path, .. }
            | Self::Link { path, .. }
            | Self::Folder { path }
            | Self::Private { path }
            | Self::Devices { path }
            | Self::Processes { path }
            | Self::Mask { path, .. } => path,
        }
    }
}

/// Which directory was looked at, so that another in its place is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

/// What the launcher tells of one command, a line of JSON each. The last word is [`Report::Ended`] or [`Report::Failed`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The program runs.
    Started,
    /// It has ended.
    Ended(End),
    /// It could not be started.
    Failed(Failure),
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum End {
    Exited(i32),
    Signalled(i32),
    /// Everything was ended because of its memory.
    Memory,
    /// Everything was ended because it was too many.
    Processes,
    /// Everything was ended because the host said so.
    Told,
}

/// Why a program was not started.
#[derive(Debug, Serialize, Deserialize, thiserror::Error)]
#[error("{step}: {reason}")]
pub(crate) struct Failure {
    /// What was tried.
    pub(crate) step: String,
    /// What the system said.
    pub(crate) reason: String,
    /// Whether it is the system's doing that there is no containment.
    pub(crate) is_lacking: bool,
}

impl Failure {
    pub(crate) fn at(step: &str, reason: impl std::fmt::Display) -> Self {
        Self { step: step.to_owned(), reason: reason.to_string(), is_lacking: false }
    }

    /// The system does not give what containment takes.
    pub(crate) fn lacking(step: &str, reason: impl std::fmt::Display) -> Self {
        Self { is_lacking: true, ..Self::at(step, reason) }
    }
}

/// The longest plan and the longest line of a report: against a launcher or host that is not one.
pub(crate) const MAX_MESSAGE: u32 = 16 << 20;
