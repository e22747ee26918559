//! A directory's entries, as far as they may be seen.

use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, Dir, FileType};
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorType, DirectoryEntry, ErrorCode};

use super::locate::code;
use super::node::DirNode;
use crate::hidden::Hidden;

/// Reads a directory entry by entry, so that a folder with a million of them costs no more memory than one.
pub(crate) struct Listing {
    entries: Dir,
    path: String,
}

impl Listing {
    pub(crate) fn open(dir: &DirNode) -> Result<Self, ErrorCode> {
        Ok(Self { entries: Dir::read_from(dir.fd()).map_err(code)?, path: dir.path().to_owned() })
    }

    /// The next entry that no rule hides. A name that is not UTF-8 is given with replacement characters: it can be
    /// seen, and not opened.
    pub(crate) fn next(&mut self, hidden: &Hidden) -> Result<Option<DirectoryEntry>, ErrorCode> {
        while let Some(entry) = self.entries.read() {
            let entry = entry.map_err(code)?;
            let name = entry.file_name().to_string_lossy();
            if name == "." || name == ".." {
                continue;
            }
            let file_type = match entry.file_type() {
                FileType::Unknown => self.look(entry.file_name()),
                known => known,
            };
            let path = if self.path.is_empty() { name.to_string() } else { format!("{}/{name}", self.path) };
            if hidden.hides_entry(&path, file_type == FileType::Directory).is_some() {
                continue;
            }
            return Ok(Some(DirectoryEntry { type_: descriptor_type(file_type), name: name.into_owned() }));
        }
        Ok(None)
    }

    /// The type of an entry of a file system that does not list types.
    fn look(&self, name: &std::ffi::CStr) -> FileType {
        let stat = self
            .entries
            .fd()
            .and_then(|dir: BorrowedFd<'_>| rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW));
        stat.map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
    }
}

pub(crate) fn descriptor_type(file_type: FileType) -> DescriptorType {
    match file_type {
        FileType::RegularFile => DescriptorType::RegularFile,
        FileType::Directory => DescriptorType::Directory,
        FileType::Symlink => DescriptorType::SymbolicLink,
        FileType::Fifo => DescriptorType::Fifo,
        FileType::Socket => DescriptorType::Socket,
        FileType::CharacterDevice => DescriptorType::CharacterDevice,
        FileType::BlockDevice => DescriptorType::BlockDevice,
        FileType::Unknown => DescriptorType::Unknown,
    }
}
