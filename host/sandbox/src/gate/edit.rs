//! The operations that change something. Each finds, asks, and changes the stage; none touches the disk.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::fs::FileType;
use wasmtime_wasi::p2::bindings::filesystem::types::{ErrorCode, OpenFlags};

use super::locate::{Follow, Located, Place, open_located};
use super::node::{DirNode, FileNode};
use super::stage::{Base, Content, Now};
use super::{Gate, listing};
use crate::grant::NO_WRITING;

impl Gate {
    /// Opens a file for writing, or makes one.
    pub(super) fn open_to_write(
        &mut self,
        dir: &DirNode,
        path: &str,
        follow: Follow,
        flags: OpenFlags,
    ) -> Result<FileNode, ErrorCode> {
        self.writes_at_all(path)?;
        let place = self.seek("write", dir, path, follow)?;
        if place.is_dir() {
            return Err(ErrorCode::IsDirectory);
        }
        if path.ends_with('/') || flags.contains(OpenFlags::DIRECTORY) {
            return Err(ErrorCode::NotDirectory);
        }
        let is_there = !matches!(place, Place::Missing { .. });
        if is_there && flags.contains(OpenFlags::EXCLUSIVE) {
            return Err(ErrorCode::Exist);
        }
        if !is_there && !flags.contains(OpenFlags::CREATE) {
            return Err(ErrorCode::NoEntry);
        }
        self.may_write(place.path())?;
        let truncate = flags.contains(OpenFlags::TRUNCATE);
        let content = match place {
            Place::Staged { now: Now::File { content, .. }, .. } => {
                if truncate {
                    content.set_size(0)?;
                }
                content
            }
            Place::Staged { .. } => return Err(ErrorCode::IsDirectory),
            Place::Missing { path } => {
                let content = self.stage.content(Vec::new())?;
                let base = self.stage.base(&path, None);
                self.stage.put(path, base, file(&content, None, None))?;
                content
            }
            Place::Disk(found) => {
                let (base, original) = self.load(dir, &found)?;
                let content = self.stage.content(if truncate { Vec::new() } else { original.to_vec() })?;
                if !truncate {
                    self.ledger.read(&found.path).fetch_add(original.len() as u64, Ordering::Relaxed);
                }
                let mode = Some(found.stat.st_mode);
                self.stage.put(found.path, Some(base), file(&content, None, mode))?;
                content
            }
        };
        Ok(FileNode::Staged { content, writable: true })
    }

    pub(super) fn create_dir(&mut self, dir: &DirNode, path: &str) -> Result<(), ErrorCode> {
        self.writes_at_all(path)?;
        let Place::Missing { path } = self.seek("write", dir, path, Follow::No)? else {
            return Err(ErrorCode::Exist);
        };
        // A rule may be about directories only.
        self.hidden_by("write", &path, true)?;
        self.may_write(&path)?;
        let base = self.stage.base(&path, None);
        self.stage.put(path, base, Now::Dir)
    }

    pub(super) fn remove_file(&mut self, dir: &DirNode, path: &str) -> Result<(), ErrorCode> {
        self.writes_at_all(path)?;
        let place = self.admit("write", dir, path, Follow::No)?;
        if place.is_dir() {
            return Err(ErrorCode::IsDirectory);
        }
        if path.ends_with('/') {
            return Err(ErrorCode::NotDirectory);
        }
        self.may_write(place.path())?;
        let (path, found) = match place {
            // What is removed need not be read: its content is looked at when the call has ended.
            Place::Disk(found) => (found.path, Some(Base { stat: found.stat, content: None })),
            Place::Staged { path, .. } | Place::Missing { path } => (path, None),
        };
        let base = self.stage.base(&path, found);
        self.stage.put(path, base, Now::Gone)
    }

    pub(super) fn remove_dir(&mut self, dir: &DirNode, path: &str) -> Result<(), ErrorCode> {
        self.writes_at_all(path)?;
        let place = self.admit("write", dir, path, Follow::No)?;
        if !place.is_dir() {
            return Err(ErrorCode::NotDirectory);
        }
        self.may_write(place.path())?;
        let is_used = self.stage.children(place.path()).any(|(_, child)| !matches!(child.now, Now::Gone));
        if is_used {
            return Err(ErrorCode::NotEmpty);
        }
        let (path, found) = match place {
            Place::Disk(found) => {
                // Hidden entries count: a directory is not emptied by not seeing what is in it.
                let handle = open_located(dir, &found)?;
                let is_gone = |name: &str| {
                    let child = format!("{}/{name}", found.path);
                    self.stage.get(&child).is_some_and(|child| matches!(child.now, Now::Gone))
                };
                if listing::has_entry(&handle, |name| !is_gone(name))? {
                    return Err(ErrorCode::NotEmpty);
                }
                (found.path, Some(Base { stat: found.stat, content: None }))
            }
            Place::Staged { path, .. } | Place::Missing { path } => (path, None),
        };
        let base = self.stage.base(&path, found);
        self.stage.put(path, base, Now::Gone)
    }

    /// Moves one file, over another one if there is one.
    pub(super) fn rename(
        &mut self,
        from_dir: &DirNode,
        from: &str,
        to_dir: &DirNode,
        to: &str,
    ) -> Result<(), ErrorCode> {
        self.writes_at_all(from)?;
        let source = self.admit("write", from_dir, from, Follow::No)?;
        let target = self.seek("write", to_dir, to, Follow::No)?;
        self.may_write(source.path())?;
        self.may_write(target.path())?;
        if source.path() == target.path() {
            return Ok(());
        }
        if source.is_dir() {
            // A directory may hold what the call can't see.
            return Err(ErrorCode::Unsupported);
        }
        if target.is_dir() {
            return Err(ErrorCode::IsDirectory);
        }
        if from.ends_with('/') || to.ends_with('/') {
            return Err(ErrorCode::NotDirectory);
        }
        let (from, found, content, origin, mode) = match source {
            Place::Disk(found) => {
                let (base, original) = self.load(from_dir, &found)?;
                let content = self.stage.content(original.to_vec())?;
                let mode = Some(found.stat.st_mode);
                (found.path.clone(), Some(base), content, Some(found.path), mode)
            }
            Place::Staged { path, now: Now::File { content, from, mode } } => {
                // One that was on disk and was only changed so far comes from here.
                let here = self.stage.get(&path).is_some_and(|staged| staged.base.is_some());
                let origin = from.or_else(|| here.then(|| path.clone()));
                (path, None, content, origin, mode)
            }
            Place::Staged { .. } | Place::Missing { .. } => return Err(ErrorCode::NoEntry),
        };
        let (to, over) = match target {
            Place::Disk(found) if found.file_type() == FileType::RegularFile => {
                let base = self.load(to_dir, &found)?.0;
                (found.path, Some(base))
            }
            Place::Disk(_) => return Err(ErrorCode::Unsupported),
            Place::Staged { path, .. } | Place::Missing { path } => (path, None),
        };
        let base = self.stage.base(&from, found);
        self.stage.put(from, base, Now::Gone)?;
        let base = self.stage.base(&to, over);
        let origin = origin.filter(|origin| *origin != to);
        self.stage.put(to, base, file(&content, origin, mode))
    }

    /// A file's content before the first change.
    fn load(&mut self, dir: &DirNode, found: &Located) -> Result<(Base, Arc<[u8]>), ErrorCode> {
        if found.file_type() != FileType::RegularFile {
            return Err(ErrorCode::Unsupported);
        }
        let file = open_located(dir, found)?;
        let size = u64::try_from(found.stat.st_size).unwrap_or(u64::MAX);
        self.stage.charge(usize::try_from(size).map_err(|_| ErrorCode::FileTooLarge)?)?;
        let mut bytes = Vec::new();
        // It may have grown since it was looked at.
        file.take(size.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != size {
            return Err(ErrorCode::Busy);
        }
        let content: Arc<[u8]> = bytes.into();
        Ok((Base { stat: found.stat, content: Some(content.clone()) }, content))
    }

    /// A role without any grant to write is told so, whatever it names.
    pub(super) fn writes_at_all(&mut self, path: &str) -> Result<(), ErrorCode> {
        if self.grants.can_write() {
            return Ok(());
        }
        self.refuse("write", path, NO_WRITING);
        Err(ErrorCode::ReadOnly)
    }

    /// Whether the role may change `path`, which is the file's own.
    fn may_write(&mut self, path: &str) -> Result<(), ErrorCode> {
        let Err(reason) = self.grants.may_write(path) else { return Ok(()) };
        self.refuse("write", path, reason);
        Err(ErrorCode::ReadOnly)
    }
}

fn file(content: &Content, from: Option<String>, mode: Option<u32>) -> Now {
    Now::File { content: content.clone(), from, mode }
}
