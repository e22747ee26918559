//! The place on disk where a commit is prepared: a folder of its own within `.remit`.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::attributes;
use crate::grant::FOLDER;

/// The file whose owner, permissions and attributes a new one gets.
pub(super) struct Like {
    pub(super) stat: rustix::fs::Stat,
    /// None where it cannot be read.
    pub(super) file: Option<File>,
}

const STAGING: &str = "staging";

/// A folder for one commit. It is locked while its process lives.
#[derive(Debug)]
pub(super) struct Area {
    parent: OwnedFd,
    name: String,
    dir: OwnedFd,
}

/// What came of asking for a folder that another process made.
#[derive(Debug)]
pub(super) enum Taken {
    /// It is this process's now.
    Free(Area),
    /// Its process lives.
    InUse,
    /// It is gone.
    Missing,
}

impl Area {
    pub(super) fn create(root: impl AsFd) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let parent = staging(root.as_fd(), true)?;
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{number}-{time}", std::process::id());
            rustix::fs::mkdirat(&parent, name.as_str(), Mode::RWXU)?;
            let dir = open_dir(parent.as_fd(), &name)?;
            rustix::fs::flock(&dir, FlockOperation::LockExclusive)?;
            // Between these lines another process may have taken it for a dead one's, and removed it.
            if rustix::fs::statat(&parent, name.as_str(), AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                return Ok(Self { parent, name, dir });
            }
        }
    }

    /// The folder `name`, if it is there and no process uses it.
    pub(super) fn take(root: impl AsFd, name: &str) -> io::Result<Taken> {
        let missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        if !is_name(name) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let parent = match staging(root.as_fd(), false) {
            Err(error) if missing(&error) => return Ok(Taken::Missing),
            parent => parent?,
        };
        let dir = match open_dir(parent.as_fd(), name) {
            Err(error) if missing(&error) => return Ok(Taken::Missing),
            dir => dir?,
        };
        match rustix::fs::flock(&dir, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Taken::Free(Self { parent, name: name.to_owned(), dir })),
            Err(Errno::WOULDBLOCK) => Ok(Taken::InUse),
            Err(error) => Err(error.into()),
        }
    }

    /// The names of all that there are. What is called otherwise is none of ours.
    pub(super) fn names(root: impl AsFd) -> io::Result<Vec<String>> {
        let parent = match staging(root.as_fd(), false) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            parent => parent?,
        };
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&parent)? {
            let entry = entry?;
            names.extend(entry.file_name().to_str().ok().filter(|name| is_name(name)).map(str::to_owned));
        }
        Ok(names)
    }

    pub(super) fn dir(&self) -> &OwnedFd {
        &self.dir
    }

    /// Writes a file's new content, through to the disk.
    pub(super) fn write(&self, name: &str, content: &[u8], like: Option<&Like>) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // A new file's permissions are what the user's umask makes of these.
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
        let mut file = File::from(rustix::fs::openat(&self.dir, name, flags, mode)?);
        file.write_all(content)?;
        if let Some(Like { stat, file: original }) = like {
            let (user, group) =
                (rustix::fs::Uid::from_raw(stat.st_uid), rustix::fs::Gid::from_raw(stat.st_gid));
            // Not everybody may give files away; the permissions below then are the new owner's.
            let _ = rustix::fs::fchown(&file, Some(user), Some(group));
            rustix::fs::fchmod(&file, Mode::from_raw_mode(stat.st_mode & 0o777))?;
            if let Some(original) = original {
                attributes::copy(original, &file);
            }
        }
        file.sync_data()
    }

    /// The names of what was written reach the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.dir)?)
    }

    /// Gives the folder a name that nobody clears away, and says which.
    pub(super) fn keep(&self) -> String {
        let kept = format!("kept-{}", self.name);
        match rustix::fs::renameat(&self.parent, self.name.as_str(), &self.parent, kept.as_str()) {
            Ok(()) => kept,
            Err(_) => self.name.clone(),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        rustix::fs::statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Removes the folder with all that is in it.
    pub(super) fn remove(self) -> io::Result<()> {
        for entry in rustix::fs::Dir::read_from(&self.dir)? {
            let entry = entry?;
            if entry.file_name() != c"." && entry.file_name() != c".." {
                rustix::fs::unlinkat(&self.dir, entry.file_name(), AtFlags::empty())?;
            }
        }
        rustix::fs::unlinkat(&self.parent, self.name.as_str(), AtFlags::REMOVEDIR)?;
        Ok(())
    }
}

/// Process, number and time, as [`Area::create`] writes them.
fn is_name(name: &str) -> bool {
    let parts = || name.split('-');
    parts().count() == 3
        && parts().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn staging(root: std::os::fd::BorrowedFd<'_>, make: bool) -> io::Result<OwnedFd> {
    let folder = open_or_make(root, FOLDER, make)?;
    if make {
        ignore(&folder)?;
    }
    open_or_make(folder.as_fd(), STAGING, make)
}

/// Has git pass over the folder.
fn ignore(folder: &OwnedFd) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(folder, ".gitignore", flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => File::from(file).write_all(b"*\n"),
        Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn open_or_make(parent: std::os::fd::BorrowedFd<'_>, name: &str, make: bool) -> io::Result<OwnedFd> {
    match open_dir(parent, name) {
        Err(error) if make && error.kind() == io::ErrorKind::NotFound => {
            match rustix::fs::mkdirat(parent, name, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => open_dir(parent, name),
                Err(error) => Err(error.into()),
            }
        }
        dir => dir,
    }
}

pub(super) fn open_dir(parent: std::os::fd::BorrowedFd<'_>, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(parent, name, flags, Mode::empty())?)
}
