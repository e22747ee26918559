//! Ordinary directories in the place of preopens, for unit tests. It does not confine anything: that is the
//! host's work, and is tested there.

use std::fs;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use super::{Listing, Stat};
use crate::{Entry, Kind, Reason};

/// A directory.
pub struct Directory {
    path: PathBuf,
    writable: bool,
}

/// An open file.
pub struct File(fs::File);

impl Directory {
    /// A directory of the system's.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), writable: true }
    }

    /// The same, where nothing may be changed.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { writable: false, ..self }
    }

    /// A native program was granted nothing.
    pub fn granted() -> Vec<(String, Self)> {
        Vec::new()
    }

    /// Lists the directory at `path`, at most `limit` entries of it.
    pub fn list(&self, path: &str, limit: usize) -> Result<Listing, Reason> {
        let mut listing = Listing::default();
        for entry in fs::read_dir(self.path.join(path)).map_err(reason)? {
            if listing.entries.len() == limit {
                listing.cut = true;
                break;
            }
            let entry = entry.map_err(reason)?;
            match entry.file_name().into_string() {
                Ok(name) => {
                    let kind = kind(entry.file_type().map_err(reason)?);
                    listing.entries.push(Entry { name, kind });
                }
                Err(_) => listing.unreadable += 1,
            }
        }
        Ok(listing)
    }

    /// Opens the file at `path`, links followed.
    pub fn open(&self, path: &str) -> Result<File, Reason> {
        fs::File::open(self.path.join(path)).map(File).map_err(reason)
    }

    /// What `path` leads to, links followed.
    pub fn stat(&self, path: &str) -> Result<Stat, Reason> {
        fs::metadata(self.path.join(path)).map(stat).map_err(reason)
    }

    /// Where the link at `path` leads.
    pub fn link_target(&self, path: &str) -> Result<String, Reason> {
        let target = fs::read_link(self.path.join(path)).map_err(reason)?;
        target.into_os_string().into_string().map_err(|_| Reason::NameInvalid)
    }

    /// What is at `path` itself, links not followed.
    pub fn kind(&self, path: &str) -> Result<Kind, Reason> {
        fs::symlink_metadata(self.path.join(path)).map(|metadata| kind(metadata.file_type())).map_err(reason)
    }

    /// Whether it was granted for writing.
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// Makes `bytes` the content of the file at `path`, links followed. A file that is there keeps its mode.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Reason> {
        fs::write(self.changeable(path)?, bytes).map_err(written)
    }

    /// Makes the directory at `path`.
    pub fn create_directory(&self, path: &str) -> Result<(), Reason> {
        fs::create_dir(self.changeable(path)?).map_err(written)
    }

    /// Gives the file at `path` the path `to` in the directory `other`.
    pub fn rename(&self, path: &str, other: &Self, to: &str) -> Result<(), Reason> {
        fs::rename(self.changeable(path)?, other.changeable(to)?).map_err(written)
    }

    /// Removes the file or link at `path`.
    pub fn remove_file(&self, path: &str) -> Result<(), Reason> {
        fs::remove_file(self.changeable(path)?).map_err(written)
    }

    /// Removes the empty directory at `path`.
    pub fn remove_directory(&self, path: &str) -> Result<(), Reason> {
        fs::remove_dir(self.changeable(path)?).map_err(written)
    }

    fn changeable(&self, path: &str) -> Result<PathBuf, Reason> {
        if self.writable { Ok(self.path.join(path)) } else { Err(Reason::ReadOnly) }
    }
}

impl File {
    /// What was opened.
    pub fn stat(&self) -> Result<Stat, Reason> {
        self.0.metadata().map(stat).map_err(reason)
    }

    /// Reads up to `length` bytes from `offset`.
    pub fn read(&self, offset: u64, length: usize) -> Result<(Vec<u8>, bool), Reason> {
        let mut file = &self.0;
        file.seek(SeekFrom::Start(offset)).map_err(reason)?;
        let mut bytes = Vec::new();
        file.take(length as u64).read_to_end(&mut bytes).map_err(reason)?;
        let end = bytes.len() < length;
        Ok((bytes, end))
    }
}

fn kind(kind: fs::FileType) -> Kind {
    if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Directory
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Special
    }
}

fn stat(metadata: fs::Metadata) -> Stat {
    Stat { kind: kind(metadata.file_type()), size: metadata.len() }
}

fn reason(error: io::Error) -> Reason {
    match error.kind() {
        ErrorKind::NotFound => Reason::NotFound,
        ErrorKind::PermissionDenied => Reason::Refused,
        ErrorKind::IsADirectory => Reason::IsDirectory,
        ErrorKind::NotADirectory => Reason::NotDirectory,
        ErrorKind::InvalidFilename => Reason::NameTooLong,
        ErrorKind::AlreadyExists => Reason::Exists,
        ErrorKind::DirectoryNotEmpty => Reason::NotEmpty,
        ErrorKind::ReadOnlyFilesystem => Reason::ReadOnly,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Reason::NoSpace,
        _ => Reason::Unreadable,
    }
}

fn written(error: io::Error) -> Reason {
    reason(error).of_writing()
}
