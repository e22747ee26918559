//! A directory's entries, as far as they may be seen.

use std::collections::HashMap;
use std::fs::File;

use rustix::fs::{AtFlags, Dir, FileType};
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorType, DirectoryEntry, ErrorCode};

use super::locate::code;
use super::node::DirNode;
use super::stage::{Now, Stage};
use crate::hidden::Hidden;

/// Reads a directory entry by entry, so that a folder with a million of them costs no more memory than one.
pub(crate) struct Listing {
    /// Missing for a directory that is not on disk.
    entries: Option<Dir>,
    path: String,
    /// What the call has changed in it, by name: the type that the entry has now, if it is still there.
    staged: HashMap<String, Option<DescriptorType>>,
    /// The staged entries, when those on disk have come to their end.
    rest: Option<Vec<(String, DescriptorType)>>,
}

impl Listing {
    pub(crate) fn open(dir: &DirNode, stage: &Stage) -> Result<Self, ErrorCode> {
        let entries = dir.dir().map(|handle| Dir::read_from(handle).map_err(code)).transpose()?;
        let staged = if stage.is_empty() { HashMap::new() } else { changed(dir.path(), stage) };
        Ok(Self { entries, path: dir.path().to_owned(), staged, rest: None })
    }

    /// The next entry that no rule hides. A name that is not UTF-8 is given with replacement characters: it can be
    /// seen, and not opened.
    pub(crate) fn next(&mut self, hidden: &Hidden) -> Result<Option<DirectoryEntry>, ErrorCode> {
        while let Some((name, type_)) = self.next_of_any()? {
            let path = if self.path.is_empty() { name.clone() } else { format!("{}/{name}", self.path) };
            if hidden.hides_entry(&path, matches!(type_, DescriptorType::Directory)).is_none() {
                return Ok(Some(DirectoryEntry { type_, name }));
            }
        }
        Ok(None)
    }

    fn next_of_any(&mut self) -> Result<Option<(String, DescriptorType)>, ErrorCode> {
        while let Some(entry) = self.entries.as_mut().and_then(Dir::read) {
            let entry = entry.map_err(code)?;
            let name = entry.file_name().to_string_lossy();
            if name == "." || name == ".." || self.staged.contains_key(&*name) {
                continue;
            }
            let file_type = match entry.file_type() {
                FileType::Unknown => self.look(entry.file_name()),
                known => known,
            };
            return Ok(Some((name.into_owned(), descriptor_type(file_type))));
        }
        let staged = std::mem::take(&mut self.staged);
        let rest = self.rest.get_or_insert_with(|| {
            staged.into_iter().filter_map(|(name, type_)| Some((name, type_?))).collect()
        });
        Ok(rest.pop())
    }

    /// The type of an entry of a file system that does not list types.
    fn look(&self, name: &std::ffi::CStr) -> FileType {
        let dir = self.entries.as_ref().and_then(|entries| entries.fd().ok());
        let stat = dir.and_then(|dir| rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).ok());
        stat.map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
    }
}

fn changed(path: &str, stage: &Stage) -> HashMap<String, Option<DescriptorType>> {
    let type_of = |now: &Now| match now {
        Now::File { .. } => Some(DescriptorType::RegularFile),
        Now::Dir => Some(DescriptorType::Directory),
        Now::Gone => None,
    };
    stage.children(path).map(|(name, child)| (name.to_owned(), type_of(&child.now))).collect()
}

/// Whether the directory holds an entry, hidden ones counted in, that `counts`.
pub(crate) fn has_entry(dir: &File, counts: impl Fn(&str) -> bool) -> Result<bool, ErrorCode> {
    for entry in Dir::read_from(dir).map_err(code)? {
        let entry = entry.map_err(code)?;
        let name = entry.file_name().to_string_lossy();
        if name != "." && name != ".." && counts(&name) {
            return Ok(true);
        }
    }
    Ok(false)
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
