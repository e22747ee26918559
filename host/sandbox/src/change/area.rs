//! The place on disk where a commit is prepared: a folder of its own within `.remit`.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::commit::Op;
use crate::grant::FOLDER;

const STAGING: &str = "staging";
const JOURNAL: &str = "journal";

/// A folder for one commit. It is locked while its process lives.
pub(super) struct Area {
    parent: OwnedFd,
    name: String,
    dir: OwnedFd,
}

/// What is to be done, written before any of it is.
#[derive(Serialize, Deserialize)]
struct Journal {
    v: u32,
    ops: Vec<Op>,
}

impl Area {
    pub(super) fn create(root: impl AsFd) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let parent = staging(root.as_fd(), true)?;
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let name = format!("{}-{}-{time}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        rustix::fs::mkdirat(&parent, name.as_str(), Mode::RWXU)?;
        let dir = open_dir(parent.as_fd(), &name)?;
        rustix::fs::flock(&dir, FlockOperation::LockExclusive)?;
        if rustix::fs::statat(&parent, name.as_str(), AtFlags::SYMLINK_NOFOLLOW).is_err() {
            // Taken for a dead process's between the two lines above.
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(Self { parent, name, dir })
    }

    /// Those that are left over from processes that are gone.
    pub(super) fn abandoned(root: impl AsFd) -> io::Result<Vec<Self>> {
        let parent = match staging(root.as_fd(), false) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            parent => parent?,
        };
        let mut found = Vec::new();
        for entry in rustix::fs::Dir::read_from(&parent)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name == "." || name == ".." {
                continue;
            }
            let Ok(dir) = open_dir(parent.as_fd(), name) else { continue };
            if rustix::fs::flock(&dir, FlockOperation::NonBlockingLockExclusive).is_ok() {
                found.push(Self { parent: parent.try_clone()?, name: name.to_owned(), dir });
            }
        }
        Ok(found)
    }

    pub(super) fn dir(&self) -> &OwnedFd {
        &self.dir
    }

    /// Writes a file's new content, through to the disk.
    pub(super) fn write(
        &self,
        name: &str,
        content: &[u8],
        like: Option<&rustix::fs::Stat>,
    ) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // A new file's permissions are what the user's umask makes of these.
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
        let mut file = File::from(rustix::fs::openat(&self.dir, name, flags, mode)?);
        file.write_all(content)?;
        if let Some(like) = like {
            let (user, group) =
                (rustix::fs::Uid::from_raw(like.st_uid), rustix::fs::Gid::from_raw(like.st_gid));
            // Not everybody may give files away; the permissions below then are the new owner's.
            let _ = rustix::fs::fchown(&file, Some(user), Some(group));
            rustix::fs::fchmod(&file, Mode::from_raw_mode(like.st_mode & 0o777))?;
        }
        file.sync_data()
    }

    /// From here on what is to be done is known, whatever becomes of this process.
    pub(super) fn seal(&self, ops: &[Op]) -> io::Result<()> {
        let journal = serde_json::to_vec(&Journal { v: 1, ops: ops.to_vec() })?;
        self.write("journal.new", &journal, None)?;
        rustix::fs::renameat(&self.dir, "journal.new", &self.dir, JOURNAL)?;
        rustix::fs::fsync(&self.dir)?;
        Ok(())
    }

    /// Takes the seal back.
    pub(super) fn unseal(&self) {
        let _ = rustix::fs::unlinkat(&self.dir, JOURNAL, AtFlags::empty());
    }

    /// What a sealed area says is to be done; none for one that was never sealed.
    pub(super) fn journal(&self) -> io::Result<Option<Vec<Op>>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.dir, JOURNAL, flags, Mode::empty()) {
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
            Ok(file) => {
                let journal: Journal = serde_json::from_reader(io::BufReader::new(File::from(file)))?;
                if journal.v != 1 {
                    return Err(io::Error::other("it was written by another version"));
                }
                Ok(Some(journal.ops))
            }
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

fn staging(root: std::os::fd::BorrowedFd<'_>, make: bool) -> io::Result<OwnedFd> {
    let folder = open_or_make(root, FOLDER, make)?;
    open_or_make(folder.as_fd(), STAGING, make)
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
