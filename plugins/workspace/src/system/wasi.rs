//! `wasi:filesystem` 0.2.

use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, ErrorCode, OpenFlags, PathFlags,
};

use super::{Listing, Stat};
use crate::{Entry, Kind, Reason};

/// How much one write hands to the host, in bytes.
const WRITE: usize = 1 << 20;

/// A preopened directory.
pub struct Directory(Descriptor);

/// An open file.
pub struct File(Descriptor);

impl Directory {
    /// The directories that the host granted, and where they are mounted.
    pub fn granted() -> Vec<(String, Self)> {
        get_directories().into_iter().map(|(directory, path)| (path, Self(directory))).collect()
    }

    /// Lists the directory at `path`, at most `limit` entries of it.
    pub fn list(&self, path: &str, limit: usize) -> Result<Listing, Reason> {
        let opened = self.open_at(path, OpenFlags::DIRECTORY)?;
        let entries = opened.read_directory().map_err(reason)?;
        let mut listing = Listing::default();
        loop {
            match entries.read_directory_entry() {
                Ok(None) => return Ok(listing),
                Ok(Some(_)) if listing.entries.len() == limit => {
                    listing.cut = true;
                    return Ok(listing);
                }
                Ok(Some(entry)) => {
                    listing.entries.push(Entry { name: entry.name, kind: kind(entry.type_) });
                }
                // A name that is no UTF-8 is an error of that entry alone; others would come back for ever.
                Err(ErrorCode::IllegalByteSequence) if listing.unreadable < limit => listing.unreadable += 1,
                Err(error) => return Err(reason(error)),
            }
        }
    }

    /// Opens the file at `path`, links followed.
    pub fn open(&self, path: &str) -> Result<File, Reason> {
        self.open_at(path, OpenFlags::empty()).map(File)
    }

    /// What `path` leads to, links followed.
    pub fn stat(&self, path: &str) -> Result<Stat, Reason> {
        self.0.stat_at(PathFlags::SYMLINK_FOLLOW, or_dot(path)).map(stat).map_err(reason)
    }

    /// Where the link at `path` leads.
    pub fn link_target(&self, path: &str) -> Result<String, Reason> {
        self.0.readlink_at(path).map_err(reason)
    }

    /// What is at `path` itself, links not followed.
    pub fn kind(&self, path: &str) -> Result<Kind, Reason> {
        self.0.stat_at(PathFlags::empty(), or_dot(path)).map(|stat| kind(stat.type_)).map_err(reason)
    }

    /// Whether it was granted for writing.
    pub fn is_writable(&self) -> bool {
        self.0.get_flags().is_ok_and(|flags| flags.contains(DescriptorFlags::MUTATE_DIRECTORY))
    }

    /// Makes `bytes` the content of the file at `path`, links followed. A file that is there keeps its mode.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Reason> {
        let how = OpenFlags::CREATE | OpenFlags::TRUNCATE;
        let file = self
            .0
            .open_at(PathFlags::SYMLINK_FOLLOW, or_dot(path), how, DescriptorFlags::WRITE)
            .map_err(written)?;
        let mut offset = 0;
        while offset < bytes.len() {
            let part = &bytes[offset..bytes.len().min(offset + WRITE)];
            let taken = file.write(part, offset as u64).map_err(written)?;
            if taken == 0 {
                return Err(Reason::Unwritable);
            }
            // A host that says it took more than it was given has taken all of it.
            offset += part.len().min(usize::try_from(taken).unwrap_or(part.len()));
        }
        Ok(())
    }

    /// Makes the directory at `path`.
    pub fn create_directory(&self, path: &str) -> Result<(), Reason> {
        self.0.create_directory_at(path).map_err(written)
    }

    /// Gives the file at `path` the path `to` in the directory `other`.
    pub fn rename(&self, path: &str, other: &Self, to: &str) -> Result<(), Reason> {
        self.0.rename_at(path, &other.0, to).map_err(written)
    }

    /// Removes the file or link at `path`.
    pub fn remove_file(&self, path: &str) -> Result<(), Reason> {
        self.0.unlink_file_at(path).map_err(written)
    }

    /// Removes the empty directory at `path`.
    pub fn remove_directory(&self, path: &str) -> Result<(), Reason> {
        self.0.remove_directory_at(path).map_err(written)
    }

    fn open_at(&self, path: &str, how: OpenFlags) -> Result<Descriptor, Reason> {
        self.0.open_at(PathFlags::SYMLINK_FOLLOW, or_dot(path), how, DescriptorFlags::READ).map_err(reason)
    }
}

impl File {
    /// What was opened.
    pub fn stat(&self) -> Result<Stat, Reason> {
        self.0.stat().map(stat).map_err(reason)
    }

    /// Reads up to `length` bytes from `offset`; fewer come at the end, and where the host gives less at a
    /// time. Nothing comes only at the end.
    pub fn read(&self, offset: u64, length: usize) -> Result<(Vec<u8>, bool), Reason> {
        self.0.read(length as u64, offset).map_err(reason)
    }
}

/// WASI has no empty path.
fn or_dot(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

fn kind(kind: DescriptorType) -> Kind {
    match kind {
        DescriptorType::RegularFile => Kind::File,
        DescriptorType::Directory => Kind::Directory,
        DescriptorType::SymbolicLink => Kind::Link,
        _ => Kind::Special,
    }
}

fn stat(stat: DescriptorStat) -> Stat {
    Stat { kind: kind(stat.type_), size: stat.size }
}

fn reason(error: ErrorCode) -> Reason {
    match error {
        ErrorCode::NoEntry => Reason::NotFound,
        ErrorCode::Access | ErrorCode::NotPermitted => Reason::Refused,
        ErrorCode::ReadOnly => Reason::ReadOnly,
        ErrorCode::Exist => Reason::Exists,
        ErrorCode::NotEmpty => Reason::NotEmpty,
        ErrorCode::InsufficientSpace | ErrorCode::Quota | ErrorCode::FileTooLarge => Reason::NoSpace,
        ErrorCode::IsDirectory => Reason::IsDirectory,
        ErrorCode::NotDirectory => Reason::NotDirectory,
        ErrorCode::Loop => Reason::LinkLoop,
        ErrorCode::NameTooLong => Reason::NameTooLong,
        ErrorCode::IllegalByteSequence => Reason::NameInvalid,
        _ => Reason::Unreadable,
    }
}

fn written(error: ErrorCode) -> Reason {
    reason(error).of_writing()
}
