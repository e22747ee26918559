//! What a call has changed so far, in memory: a layer over the file system that only this call sees.
//!
//! Nothing of it is on disk. A call that ends well hands it over as [`Changes`](crate::Changes); any other drops it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{FileType, Stat};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// The paths that a call has changed, relative to the workspace.
#[derive(Debug)]
pub(crate) struct Stage {
    nodes: BTreeMap<String, Staged>,
    max_nodes: usize,
    room: Arc<Room>,
}

/// One path: what is on disk, and what the call made of it.
#[derive(Clone, Debug)]
pub(crate) struct Staged {
    pub(crate) base: Option<Base>,
    pub(crate) now: Now,
}

#[derive(Clone, Debug)]
pub(crate) enum Now {
    File {
        content: Content,
        /// Where it was before, if it was moved.
        from: Option<String>,
        /// Permission bits to keep; those of a new file are the system's to choose.
        mode: Option<u32>,
    },
    Dir,
    Gone,
}

/// What a path was on disk when the call first changed it.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) stat: Stat,
    /// A file's content, unless it was removed unread.
    pub(crate) content: Option<Arc<[u8]>>,
}

impl Base {
    pub(crate) fn is_dir(&self) -> bool {
        FileType::from_raw_mode(self.stat.st_mode) == FileType::Directory
    }
}

/// How many bytes a call may still stage.
#[derive(Debug)]
struct Room(AtomicUsize);

impl Room {
    fn take(&self, bytes: usize) -> Result<(), ErrorCode> {
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.map(|_| ()).map_err(|_| ErrorCode::InsufficientSpace)
    }

    fn give(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A staged file's bytes, shared by the path and every open descriptor of it.
#[derive(Clone, Debug)]
pub(crate) struct Content(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    bytes: Mutex<Vec<u8>>,
    room: Arc<Room>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        let bytes = self.bytes.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.room.give(bytes.len());
    }
}

impl Content {
    pub(crate) fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells one content from another.
    pub(crate) fn id(&self) -> u64 {
        Arc::as_ptr(&self.0).addr() as u64
    }

    pub(crate) fn read_at(&self, size: usize, position: u64) -> Vec<u8> {
        let bytes = self.bytes();
        let start = usize::try_from(position).unwrap_or(usize::MAX).min(bytes.len());
        bytes[start..start.saturating_add(size).min(bytes.len())].to_vec()
    }

    /// Writes `new` at `position`, with zeros before it where the file is shorter.
    pub(crate) fn write_at(&self, new: &[u8], position: u64) -> Result<(), ErrorCode> {
        let mut bytes = self.bytes();
        let start = usize::try_from(position).map_err(|_| ErrorCode::FileTooLarge)?;
        let end = start.checked_add(new.len()).ok_or(ErrorCode::FileTooLarge)?;
        if end > bytes.len() {
            self.0.room.take(end - bytes.len())?;
            bytes.resize(end, 0);
        }
        bytes[start..end].copy_from_slice(new);
        Ok(())
    }

    pub(crate) fn append(&self, new: &[u8]) -> Result<(), ErrorCode> {
        let end = self.bytes().len() as u64;
        self.write_at(new, end)
    }

    pub(crate) fn set_size(&self, size: u64) -> Result<(), ErrorCode> {
        let mut bytes = self.bytes();
        let size = usize::try_from(size).map_err(|_| ErrorCode::FileTooLarge)?;
        match size.checked_sub(bytes.len()) {
            Some(more) => self.0.room.take(more)?,
            None => self.0.room.give(bytes.len() - size),
        }
        bytes.resize(size, 0);
        Ok(())
    }
}

impl Stage {
    pub(crate) fn new(max_bytes: usize, max_nodes: usize) -> Self {
        Self { nodes: BTreeMap::new(), max_nodes, room: Arc::new(Room(AtomicUsize::new(max_bytes))) }
    }

    /// One that stays empty.
    pub(crate) fn none() -> Self {
        Self::new(0, 0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn get(&self, path: &str) -> Option<&Staged> {
        self.nodes.get(path)
    }

    /// A content of its own, with room for it.
    pub(crate) fn content(&self, bytes: Vec<u8>) -> Result<Content, ErrorCode> {
        self.room.take(bytes.len())?;
        Ok(Content(Arc::new(Shared { bytes: Mutex::new(bytes), room: self.room.clone() })))
    }

    /// Takes room for what is kept beside the stage until the call has ended.
    pub(crate) fn charge(&self, bytes: usize) -> Result<(), ErrorCode> {
        self.room.take(bytes)
    }

    /// What `path` is on disk: what was found there when it was first changed, else `found`.
    pub(crate) fn base(&self, path: &str, found: Option<Base>) -> Option<Base> {
        self.get(path).map_or(found, |staged| staged.base.clone())
    }

    /// `path` is now so. One that is neither on disk nor in the stage is forgotten.
    pub(crate) fn put(&mut self, path: String, base: Option<Base>, now: Now) -> Result<(), ErrorCode> {
        if base.is_none() && matches!(now, Now::Gone) {
            self.nodes.remove(&path);
            return Ok(());
        }
        if self.nodes.len() >= self.max_nodes && !self.nodes.contains_key(&path) {
            return Err(ErrorCode::InsufficientSpace);
        }
        self.nodes.insert(path, Staged { base, now });
        Ok(())
    }

    /// The staged entries of the directory `path`: name and node.
    pub(crate) fn children<'a>(&'a self, path: &'a str) -> impl Iterator<Item = (&'a str, &'a Staged)> {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        let skip = prefix.len();
        let beneath = self.nodes.range(prefix.clone()..).take_while(move |(key, _)| key.starts_with(&prefix));
        beneath
            .filter_map(move |(key, staged)| Some((key.get(skip..)?, staged)))
            .filter(|(name, _)| !name.contains('/'))
    }

    /// Everything, by path: directories before what is in them.
    pub(crate) fn into_nodes(self) -> BTreeMap<String, Staged> {
        self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_takes_room_and_gives_it_back() {
        let stage = Stage::new(10, 10);
        let content = stage.content(b"12345".to_vec()).unwrap();
        content.write_at(b"ab", 8).unwrap();
        assert_eq!(*content.bytes(), b"12345\0\0\0ab");
        assert_eq!(content.append(b"x").unwrap_err().name(), ErrorCode::InsufficientSpace.name());
        assert!(stage.content(vec![0]).is_err());
        content.set_size(1).unwrap();
        assert!(stage.content(vec![0; 9]).is_ok());
        drop(content);
        assert!(stage.content(vec![0; 10]).is_ok());
        assert!(stage.content(vec![0; 11]).is_err());
    }

    #[test]
    fn children_are_those_of_one_directory_only() {
        let mut stage = Stage::new(10, 10);
        for path in ["a", "a/b", "a/b/c", "a/d", "ab", "x"] {
            stage.put(path.into(), None, Now::Dir).unwrap();
        }
        let names = |path| stage.children(path).map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(names("a"), ["b", "d"]);
        assert_eq!(names(""), ["a", "ab", "x"]);
        assert_eq!(names("a/b"), ["c"]);
        assert!(names("x").is_empty());
    }
}
