//! From a guest's path to one file or directory beneath a handle, and to its one true path in the workspace.
//!
//! A rule about paths is worth something only if it sees the path that the file system used. So nothing here hands
//! a symbolic link to the kernel: a path without links is opened in one step (`openat2`), every other is walked,
//! one name at a time, with each link's target read and taken apart here.

use std::collections::VecDeque;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::node::DirNode;
use super::stage::{Now, Stage};

/// How many links a path may go through before it is taken for a loop; what Linux itself allows.
const MAX_LINKS: usize = 40;

/// The longest path that is walked, links' targets counted in; what Linux itself allows in one call.
const MAX_PATH: usize = 4096;

/// Whether a link in the last place is followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Follow {
    Yes,
    No,
}

/// What a path leads to, with what the call has changed taken into account.
#[derive(Debug)]
pub(crate) enum Place {
    /// Something on disk that the call has not changed.
    Disk(Located),
    /// A file or directory that the call has changed.
    Staged { path: String, now: Now },
    /// Nothing, in a directory that is there.
    Missing { path: String },
}

impl Place {
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::Disk(located) => &located.path,
            Self::Staged { path, .. } | Self::Missing { path } => path,
        }
    }

    pub(crate) fn is_dir(&self) -> bool {
        match self {
            Self::Disk(located) => located.is_dir(),
            Self::Staged { now, .. } => matches!(now, Now::Dir),
            Self::Missing { .. } => false,
        }
    }
}

/// What a path led to on disk. Nothing has been opened for reading.
#[derive(Debug)]
pub(crate) struct Located {
    /// Relative to the workspace, through no link; empty for the workspace itself.
    pub(crate) path: String,
    pub(crate) stat: Stat,
    at: At,
}

#[derive(Debug)]
enum At {
    /// The directory that the search began in.
    Base,
    /// `name` in the directory that the search began in, or beneath it through no link.
    Beneath(String),
    /// `name` in another directory.
    Entry(Arc<OwnedFd>, String),
}

impl Located {
    pub(crate) fn file_type(&self) -> FileType {
        FileType::from_raw_mode(self.stat.st_mode)
    }

    pub(crate) fn is_dir(&self) -> bool {
        self.file_type() == FileType::Directory
    }

    /// The target of a link, as it is stored. Fails with `Invalid` when this is none.
    pub(crate) fn link_target(&self, base: &DirNode) -> Result<String, ErrorCode> {
        let (dir, name) = match &self.at {
            At::Base => return Err(ErrorCode::Invalid),
            At::Beneath(name) => (base.fd()?, name),
            At::Entry(dir, name) => (dir.as_fd(), name),
        };
        read_link(dir, name)
    }
}

/// Finds `path` beneath `base` on disk. A path or link that leads out of `base` is `NotPermitted`.
pub(crate) fn locate(base: &DirNode, path: &str, follow: Follow) -> Result<Located, ErrorCode> {
    match find(base, path, follow, &Stage::none())? {
        Place::Disk(located) => Ok(located),
        Place::Staged { .. } | Place::Missing { .. } => Err(ErrorCode::NoEntry),
    }
}

/// Finds `path` beneath `base` as the call sees it.
pub(crate) fn find(base: &DirNode, path: &str, follow: Follow, stage: &Stage) -> Result<Place, ErrorCode> {
    if path.is_empty() {
        return Err(ErrorCode::NoEntry);
    }
    if path.contains('\0') {
        return Err(ErrorCode::Invalid);
    }
    if path.starts_with('/') {
        return Err(ErrorCode::NotPermitted);
    }
    if path.len() > MAX_PATH {
        return Err(ErrorCode::NameTooLong);
    }
    let must_be_dir = path.ends_with('/') || path.ends_with("/.") || path == ".";
    let follow = if must_be_dir { Follow::Yes } else { follow };
    let place = match if stage.is_empty() { direct(base, path, follow)? } else { None } {
        Some(located) => Place::Disk(located),
        None => walk(base, path, follow, stage)?,
    };
    if must_be_dir && !place.is_dir() && !matches!(place, Place::Missing { .. }) {
        return Err(ErrorCode::NotDirectory);
    }
    Ok(place)
}

/// Opens for reading what was located. Only regular files and directories are opened, and never in a way that
/// waits; what was replaced since it was located is `Busy`.
pub(crate) fn open_located(base: &DirNode, located: &Located) -> Result<File, ErrorCode> {
    let kind = match located.file_type() {
        FileType::RegularFile => OFlags::empty(),
        FileType::Directory => OFlags::DIRECTORY,
        FileType::Symlink => return Err(ErrorCode::Loop),
        _ => return Err(ErrorCode::NotPermitted),
    };
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | kind;
    let fd = match &located.at {
        At::Base => rustix::fs::openat(base.fd()?, ".", flags, Mode::empty()),
        At::Beneath(name) => open_beneath(base.fd()?, name, flags),
        At::Entry(dir, name) => rustix::fs::openat(dir, name.as_str(), flags, Mode::empty()),
    }
    .map_err(code)?;
    let now = rustix::fs::fstat(&fd).map_err(code)?;
    if (now.st_dev, now.st_ino) != (located.stat.st_dev, located.stat.st_ino) {
        return Err(ErrorCode::Busy);
    }
    Ok(File::from(fd))
}

#[cfg(target_os = "linux")]
fn open_beneath(dir: BorrowedFd<'_>, path: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::ResolveFlags;
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(dir, path, flags, Mode::empty(), beneath)
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(_: BorrowedFd<'_>, _: &str, _: OFlags) -> rustix::io::Result<OwnedFd> {
    Err(Errno::NOSYS)
}

/// The path in one step, if no link lies on it. `None`: walk it.
#[cfg(target_os = "linux")]
fn direct(base: &DirNode, path: &str, follow: Follow) -> Result<Option<Located>, ErrorCode> {
    let Ok(dir) = base.fd() else { return Ok(None) };
    if base.walk_only() {
        return Ok(None);
    }
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = match open_beneath(dir, path, flags) {
        Ok(fd) => fd,
        // A link on the way; or a kernel, or a filter around it, without the call; or a rename on the way. What is
        // missing is walked to, too: its directory may be there.
        Err(Errno::LOOP | Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::INVAL | Errno::NOENT) => {
            return Ok(None);
        }
        Err(error) => return Err(code(error)),
    };
    let stat = rustix::fs::fstat(&fd).map_err(code)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink && follow == Follow::Yes {
        return Ok(None);
    }
    // No link was on the way, so taking the path apart as text is what the kernel did with it.
    let names = names(path);
    let at = if names.is_empty() { At::Base } else { At::Beneath(names.join("/")) };
    Ok(Some(Located { path: joined(base.path(), names.iter().copied()), stat, at }))
}

#[cfg(not(target_os = "linux"))]
fn direct(_: &DirNode, _: &str, _: Follow) -> Result<Option<Located>, ErrorCode> {
    Ok(None)
}

/// A directory that a walk has gone into; one that exists only in the stage has no handle.
struct Step {
    dir: Option<Arc<OwnedFd>>,
    name: String,
}

/// The path, one name at a time.
fn walk(base: &DirNode, path: &str, follow: Follow, stage: &Stage) -> Result<Place, ErrorCode> {
    let mut todo: VecDeque<String> = path.split('/').map(str::to_owned).collect();
    let mut done: Vec<Step> = Vec::new();
    let mut links = 0;
    let mut length = path.len();
    while let Some(part) = todo.pop_front() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                done.pop().ok_or(ErrorCode::NotPermitted)?;
                continue;
            }
            _ => {}
        }
        let last = todo.iter().all(|part| matches!(part.as_str(), "" | "."));
        let place = || joined(base.path(), done.iter().map(|step| step.name.as_str()).chain([part.as_str()]));
        let missing = || if last { Ok(Place::Missing { path: place() }) } else { Err(ErrorCode::NoEntry) };
        if !stage.is_empty()
            && let Some(staged) = stage.get(&place())
        {
            match &staged.now {
                Now::Gone => return missing(),
                Now::Dir => {
                    done.push(Step { dir: None, name: part });
                    continue;
                }
                Now::File { .. } if !last || !todo.is_empty() => return Err(ErrorCode::NotDirectory),
                now => return Ok(Place::Staged { path: place(), now: now.clone() }),
            }
        }
        let Some(dir) = done.last().map_or(base.dir(), |step| step.dir.as_ref()) else {
            return missing();
        };
        let stat = match rustix::fs::statat(dir, part.as_str(), AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return missing(),
            stat => stat.map_err(code)?,
        };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink if !last || follow == Follow::Yes => {
                links += 1;
                let target = read_link(dir.as_fd(), &part)?;
                length += target.len();
                if links > MAX_LINKS || length > MAX_PATH {
                    return Err(ErrorCode::Loop);
                }
                if target.starts_with('/') {
                    return Err(ErrorCode::NotPermitted);
                }
                for part in target.split('/').rev() {
                    todo.push_front(part.to_owned());
                }
            }
            FileType::Directory if !last || !todo.is_empty() => {
                let flags = PASS_THROUGH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let fd = rustix::fs::openat(dir, part.as_str(), flags, Mode::empty()).map_err(code)?;
                done.push(Step { dir: Some(Arc::new(fd)), name: part });
            }
            _ if !last => return Err(ErrorCode::NotDirectory),
            _ => {
                let (path, at) = (place(), At::Entry(dir.clone(), part));
                return Ok(Place::Disk(Located { path, stat, at }));
            }
        }
    }
    // The path ended in `.`, `..` or a slash: what was last gone into is what it names.
    let path = joined(base.path(), done.iter().map(|step| step.name.as_str()));
    let Some(Step { dir, name }) = done.pop() else {
        let Ok(fd) = base.fd() else { return Ok(Place::Staged { path, now: Now::Dir }) };
        let stat = rustix::fs::fstat(fd).map_err(code)?;
        return Ok(Place::Disk(Located { path, stat, at: At::Base }));
    };
    let Some(dir) = dir else { return Ok(Place::Staged { path, now: Now::Dir }) };
    let stat = rustix::fs::fstat(&dir).map_err(code)?;
    // What holds a directory that is on disk is on disk.
    let parent = done.pop().map_or_else(|| base.dir().cloned(), |step| step.dir).ok_or(ErrorCode::NoEntry)?;
    Ok(Place::Disk(Located { path, stat, at: At::Entry(parent, name) }))
}

/// Enough of a handle to look up names in it: a directory may be passed through without being readable.
#[cfg(target_os = "linux")]
const PASS_THROUGH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PASS_THROUGH: OFlags = OFlags::RDONLY;

fn read_link(dir: BorrowedFd<'_>, name: &str) -> Result<String, ErrorCode> {
    let target = rustix::fs::readlinkat(dir, name, Vec::new()).map_err(code)?;
    target.into_string().map_err(|_| ErrorCode::IllegalByteSequence)
}

/// The names that a path comes down to when no link is on it.
pub(crate) fn names(path: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    names
}

pub(crate) fn joined<'a>(base: &'a str, names: impl Iterator<Item = &'a str>) -> String {
    let mut path = base.to_owned();
    for name in names {
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(name);
    }
    path
}

/// The guest's word for an error of the operating system.
pub(crate) fn code(error: Errno) -> ErrorCode {
    match error {
        // `openat2` says this of a path that leads out.
        Errno::XDEV => ErrorCode::NotPermitted,
        error => ErrorCode::from(std::io::Error::from(error)),
    }
}
