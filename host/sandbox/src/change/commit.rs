//! From memory to disk: every change of a call, or none.
//!
//! New contents are first written beside the workspace's files, in a folder within `.remit`, and a journal in a folder
//! of the user's own says where they belong. Then each is renamed into its place, so that every file is at every moment the
//! old one or the new one. What is replaced is kept until all is done: an error on the way takes everything back. A process
//! that is killed on the way leaves the journal, from which [`recover`](super::recover) finishes.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawMode, Stat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::area::{Area, Like, open_dir};
use super::diff::sides;
use super::{Changes, Item, Journals, State, find, version};
use crate::gate::Base;
use crate::ledger::{Entry, Ledger};

/// Why changes were not made. None of them was.
#[derive(Debug, Error)]
pub enum CommitError {
    /// Somebody else changed the file between the call and the commit.
    #[error("{path} was changed by somebody else meanwhile; nothing was written: read it again")]
    Conflict {
        /// The file, relative to the workspace.
        path: String,
    },
    /// Something went wrong on the way, and what was done could not be taken back. What was replaced is kept.
    #[error(
        "{path} could not be written: {source}; what was written before it could not be taken back: the replaced files \
         are in .remit/staging/{kept}"
    )]
    HalfDone {
        /// The file at which it stopped, relative to the workspace.
        path: String,
        /// The folder that has the old contents.
        kept: String,
        /// The system's word at taking back.
        source: io::Error,
    },
    /// The system refuses.
    #[error("cannot write {path}: {source}; nothing was written")]
    Io {
        /// The file, relative to the workspace.
        path: String,
        /// The system's word.
        source: io::Error,
    },
}

/// What identifies a file's content without reading it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    dev: u64,
    ino: u64,
    size: u64,
    modified: (i64, u64),
    mode: u32,
}

impl Mark {
    #[expect(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "the types differ between systems"
    )]
    fn of(stat: &Stat) -> Self {
        Self {
            dev: stat.st_dev as u64,
            ino: stat.st_ino.into(),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: (stat.st_mtime.into(), stat.st_mtime_nsec as u64),
            mode: stat.st_mode.into(),
        }
    }
}

/// One step of a commit. Contents are in the area, under their number; what they replace is kept as `NUMBER.old`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(super) enum Op {
    /// Makes a directory.
    Mkdir { path: String },
    /// Puts a content in its place; `over` is what is there before.
    Put { path: String, number: usize, over: Option<Mark> },
    /// Removes a file or link.
    Remove { path: String, number: usize, was: Mark },
    /// Removes an empty directory.
    Rmdir { path: String },
}

impl Op {
    pub(super) fn path(&self) -> &str {
        match self {
            Self::Mkdir { path }
            | Self::Put { path, .. }
            | Self::Remove { path, .. }
            | Self::Rmdir { path } => path,
        }
    }

    /// Does it. `Ok(false)`: what is there is not what should be.
    pub(super) fn apply(&self, root: BorrowedFd<'_>, area: &Area) -> io::Result<bool> {
        let (dir, name) = parent(root, self.path())?;
        match self {
            Self::Mkdir { .. } => match rustix::fs::mkdirat(&dir, name, Mode::from_raw_mode(0o777)) {
                Ok(()) => {}
                Err(Errno::EXIST) => return Ok(look(&dir, name)?.is_some_and(|stat| is_dir(&stat))),
                Err(error) => return Err(error.into()),
            },
            Self::Put { number, over, .. } => {
                if look(&dir, name)?.as_ref().map(Mark::of) != *over {
                    return Ok(false);
                }
                let (new, old) = (number.to_string(), old(*number));
                if over.is_some() {
                    keep(&dir, name, area, &old)?;
                    rustix::fs::renameat(area.dir(), new.as_str(), &dir, name)?;
                } else {
                    // Not over a file that has come meanwhile.
                    match put_new(area, &new, &dir, name) {
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
                        done => done?,
                    }
                }
            }
            Self::Remove { number, was, .. } => {
                if look(&dir, name)?.as_ref().map(Mark::of).as_ref() != Some(was) {
                    return Ok(false);
                }
                rustix::fs::renameat(&dir, name, area.dir(), old(*number).as_str())?;
            }
            Self::Rmdir { .. } => match rustix::fs::unlinkat(&dir, name, AtFlags::REMOVEDIR) {
                Ok(()) => {}
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => return Ok(false),
                Err(error) => return Err(error.into()),
            },
        }
        Ok(true)
    }

    /// Takes it back after it was done.
    fn undo(&self, root: BorrowedFd<'_>, area: &Area) -> io::Result<()> {
        let (dir, name) = parent(root, self.path())?;
        match self {
            Self::Mkdir { .. } => rustix::fs::unlinkat(&dir, name, AtFlags::REMOVEDIR)?,
            Self::Put { number, over: None, .. } => {
                rustix::fs::renameat(&dir, name, area.dir(), number.to_string().as_str())?;
            }
            Self::Put { number, .. } | Self::Remove { number, .. } => {
                rustix::fs::renameat(area.dir(), old(*number).as_str(), &dir, name)?;
            }
            Self::Rmdir { .. } => rustix::fs::mkdirat(&dir, name, Mode::from_raw_mode(0o777))?,
        }
        Ok(())
    }
}

fn old(number: usize) -> String {
    format!("{number}.old")
}

/// A second name for what is about to be replaced, or a copy where the file system knows no second names.
fn keep(dir: &OwnedFd, name: &str, area: &Area, old: &str) -> io::Result<()> {
    match rustix::fs::linkat(dir, name, area.dir(), old, AtFlags::empty()) {
        Ok(()) => Ok(()),
        Err(Errno::EXIST) if area.has(old) => Ok(()),
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::MLINK | Errno::ACCESS) => {
            let mut content = Vec::new();
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let mut file = File::from(rustix::fs::openat(dir, name, flags, Mode::empty())?);
            let stat = rustix::fs::fstat(&file)?;
            file.read_to_end(&mut content)?;
            area.write(old, &content, Some(&Like { stat, file: Some(file) }))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(target_os = "linux")]
fn put_new(area: &Area, new: &str, dir: &OwnedFd, name: &str) -> io::Result<()> {
    use rustix::fs::RenameFlags;
    match rustix::fs::renameat_with(area.dir(), new, dir, name, RenameFlags::NOREPLACE) {
        // A file system without the flag.
        Err(Errno::INVAL | Errno::NOSYS) => link_new(area, new, dir, name),
        done => Ok(done?),
    }
}

#[cfg(not(target_os = "linux"))]
fn put_new(area: &Area, new: &str, dir: &OwnedFd, name: &str) -> io::Result<()> {
    link_new(area, new, dir, name)
}

fn link_new(area: &Area, new: &str, dir: &OwnedFd, name: &str) -> io::Result<()> {
    rustix::fs::linkat(area.dir(), new, dir, name, AtFlags::empty())?;
    rustix::fs::unlinkat(area.dir(), new, AtFlags::empty())?;
    Ok(())
}

fn look(dir: &OwnedFd, name: &str) -> io::Result<Option<Stat>> {
    match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn is_dir(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode as RawMode) == FileType::Directory
}

/// The directory that holds `path`, reached through no link, and the last name.
fn parent<'a>(root: BorrowedFd<'_>, path: &'a str) -> io::Result<(OwnedFd, &'a str)> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if path.split('/').any(|name| matches!(name, "" | "." | "..")) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no path of a file in the workspace"));
    }
    let mut dir = open_dir(root, ".")?;
    for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
        dir = open_dir(dir.as_fd(), folder)?;
    }
    Ok((dir, name))
}

/// Opens a regular file of the workspace for reading, through no link.
pub(super) fn open(root: BorrowedFd<'_>, path: &str) -> io::Result<File> {
    let (dir, name) = parent(root, path)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::openat(dir, name, flags, Mode::empty())?))
}

impl Changes {
    /// Makes the changes and notes them in the ledger. This waits for the disk: call it where that may block.
    ///
    /// # Errors
    ///
    /// When a file is no longer what the call saw, or the system refuses. Nothing has changed then.
    pub fn commit(self, ledger: &Ledger) -> Result<(), CommitError> {
        let Some(workspace) = self.workspace.as_ref().filter(|_| !self.items.is_empty()) else {
            return Ok(());
        };
        let root = workspace.root().as_fd();
        for item in &self.items {
            check(root, item)?;
        }
        let ops = ops(&self.items);
        let area = Area::create(root).map_err(|source| in_area(source, ".remit/staging"))?;
        let begin = |journals: &Journals| journals.begin(workspace, area.name(), &ops);
        let prepared = self.prepare(root, &area, &ops).and_then(|()| {
            let begun = workspace.journals().map_or(Ok(()), begin);
            begun.map_err(|source| in_area(source, "the journal of unfinished changes"))
        });
        let end = |area: Area| {
            let name = area.name().to_owned();
            // The folder first: without its journal it would be taken for one that was never begun.
            let _ = area.remove();
            if let Some(journals) = workspace.journals() {
                journals.end(&name);
            }
        };
        if let Err(error) = prepared {
            end(area);
            return Err(error);
        }
        for (number, op) in ops.iter().enumerate() {
            let error = match op.apply(root, &area) {
                Ok(true) => continue,
                Ok(false) => CommitError::Conflict { path: op.path().to_owned() },
                Err(source) => in_area(source, op.path()),
            };
            // In reverse, so that each finds what it left.
            let undone = ops[..number].iter().rev().try_for_each(|op| op.undo(root, &area));
            if let Err(source) = undone {
                // Nobody finishes what was told to have failed.
                let kept = area.keep();
                if let Some(journals) = workspace.journals() {
                    journals.end(area.name());
                }
                return Err(CommitError::HalfDone { path: op.path().to_owned(), kept, source });
            }
            end(area);
            return Err(error);
        }
        end(area);
        self.record(ledger);
        Ok(())
    }

    fn prepare(&self, root: BorrowedFd<'_>, area: &Area, ops: &[Op]) -> Result<(), CommitError> {
        for op in ops {
            let Op::Put { path, number, .. } = op else { continue };
            let Some(Item { base, now: State::File { content, mode, .. }, .. }) = find(&self.items, path)
            else {
                continue;
            };
            let own = base.as_ref().filter(|base| !base.is_dir()).map(|base| (path.as_str(), base.stat));
            let like = own.or_else(|| self.origin(path, mode.is_some()));
            let like = like.map(|(path, stat)| Like { stat, file: open(root, path).ok() });
            area.write(&number.to_string(), content, like.as_ref())
                .map_err(|source| in_area(source, path))?;
        }
        area.sync().map_err(|source| in_area(source, ".remit/staging"))
    }

    /// Where a moved file came from, and what it was like there.
    fn origin(&self, path: &str, has_mode: bool) -> Option<(&str, Stat)> {
        let from = find(&self.items, path)?.from()?;
        let base = find(&self.items, from).filter(|_| has_mode)?.base.as_ref()?;
        Some((from, base.stat))
    }

    fn record(&self, ledger: &Ledger) {
        for change in &self.files {
            let item = find(&self.items, &change.path);
            let (before, after) = item.map_or((None, None), |item| sides(&self.items, item));
            ledger.changed(Entry::Changed {
                path: change.path.clone(),
                kind: change.kind,
                from: change.from.clone(),
                added: change.added,
                removed: change.removed,
                before: before.map(version),
                after: after.map(version),
            });
        }
    }
}

fn in_area(source: io::Error, path: &str) -> CommitError {
    CommitError::Io { path: path.to_owned(), source }
}

/// Whether what is on disk is still what the call saw.
fn check(root: BorrowedFd<'_>, item: &Item) -> Result<(), CommitError> {
    let conflict = || CommitError::Conflict { path: item.path.clone() };
    let io = |source| in_area(source, &item.path);
    let (dir, name) = match parent(root, &item.path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            // A directory that this commit makes.
            return if item.base.is_none() { Ok(()) } else { Err(conflict()) };
        }
        found => found.map_err(io)?,
    };
    let now = look(&dir, name).map_err(io)?;
    match (&item.base, now) {
        (None, None) => Ok(()),
        (Some(base), Some(now)) if base.is_dir() && is_dir(&now) && base.stat.st_ino == now.st_ino => Ok(()),
        (Some(base), Some(now))
            if Mark::of(&base.stat) == Mark::of(&now) && has_content(&dir, name, base) =>
        {
            Ok(())
        }
        _ => Err(conflict()),
    }
}

/// Whether the content is still the one that was read: a clock is too coarse to tell.
fn has_content(dir: &OwnedFd, name: &str, base: &Base) -> bool {
    let Some(expected) = &base.content else { return true };
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::openat(dir, name, flags, Mode::empty()) else { return false };
    let mut found = Vec::with_capacity(expected.len());
    let read = File::from(file).take(expected.len() as u64 + 1).read_to_end(&mut found);
    read.is_ok() && found == **expected
}

/// The steps, in an order in which each finds what it needs and no content is ever only in the area for long.
fn ops(items: &[Item]) -> Vec<Op> {
    let (mut mkdirs, mut puts, mut removes, mut rmdirs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // A file where a directory was, or the other way round: the old one has to go first.
    let mut swaps = false;
    for (number, item) in items.iter().enumerate() {
        let path = item.path.clone();
        let base = item.base.as_ref();
        let (was_dir, was_file) = (base.is_some_and(Base::is_dir), base.is_some_and(|base| !base.is_dir()));
        let mut remove = || {
            if let Some(base) = base {
                removes.push(Op::Remove { path: path.clone(), number, was: Mark::of(&base.stat) });
            }
        };
        match &item.now {
            State::Dir => {
                if was_file {
                    swaps = true;
                    remove();
                }
                mkdirs.push(Op::Mkdir { path });
            }
            State::File { .. } => {
                let over = base.filter(|base| !base.is_dir()).map(|base| Mark::of(&base.stat));
                if was_dir {
                    swaps = true;
                    rmdirs.push(Op::Rmdir { path: path.clone() });
                }
                puts.push(Op::Put { path, number, over });
            }
            State::Gone if was_dir => rmdirs.push(Op::Rmdir { path }),
            State::Gone => remove(),
        }
    }
    // Items are sorted by path, so what is in a directory comes after it.
    rmdirs.reverse();
    let groups = if swaps { [removes, rmdirs, mkdirs, puts] } else { [mkdirs, puts, removes, rmdirs] };
    groups.into_iter().flatten().collect()
}
