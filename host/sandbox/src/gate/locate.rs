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

/// What a path led to. Nothing has been opened for reading.
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
            At::Beneath(name) => (base.fd(), name),
            At::Entry(dir, name) => (dir.as_fd(), name),
        };
        read_link(dir, name)
    }
}

/// Finds `path` beneath `base`. A path or link that leads out of `base` is `NotPermitted`.
pub(crate) fn locate(base: &DirNode, path: &str, follow: Follow) -> Result<Located, ErrorCode> {
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
    let located = match direct(base, path, follow)? {
        Some(located) => located,
        None => walk(base, path, follow)?,
    };
    if must_be_dir && !located.is_dir() {
        return Err(ErrorCode::NotDirectory);
    }
    Ok(located)
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
        At::Base => rustix::fs::openat(base.fd(), ".", flags, Mode::empty()),
        At::Beneath(name) => open_beneath(base.fd(), name, flags),
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
    if base.walk_only() {
        return Ok(None);
    }
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = match open_beneath(base.fd(), path, flags) {
        Ok(fd) => fd,
        // A link on the way; or a kernel, or a filter around it, without the call; or a rename on the way.
        Err(Errno::LOOP | Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::INVAL) => return Ok(None),
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

/// The path, one name at a time.
fn walk(base: &DirNode, path: &str, follow: Follow) -> Result<Located, ErrorCode> {
    let mut todo: VecDeque<String> = path.split('/').map(str::to_owned).collect();
    let mut done: Vec<(Arc<OwnedFd>, String)> = Vec::new();
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
        let dir = done.last().map_or(base.fd(), |(dir, _)| dir.as_fd());
        let stat = rustix::fs::statat(dir, part.as_str(), AtFlags::SYMLINK_NOFOLLOW).map_err(code)?;
        let last = todo.iter().all(|part| matches!(part.as_str(), "" | "."));
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink if !last || follow == Follow::Yes => {
                links += 1;
                let target = read_link(dir, &part)?;
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
                done.push((Arc::new(fd), part));
            }
            _ if !last => return Err(ErrorCode::NotDirectory),
            _ => {
                let path =
                    joined(base.path(), done.iter().map(|(_, name)| name.as_str()).chain([part.as_str()]));
                let at = match done.pop() {
                    Some((dir, _)) => At::Entry(dir, part),
                    None => At::Entry(base.shared(), part),
                };
                return Ok(Located { path, stat, at });
            }
        }
    }
    // The path ended in `.`, `..` or a slash: what was last gone into is what it names.
    let Some((dir, name)) = done.pop() else {
        let stat = rustix::fs::fstat(base.fd()).map_err(code)?;
        return Ok(Located { path: base.path().to_owned(), stat, at: At::Base });
    };
    let path = joined(base.path(), done.iter().map(|(_, name)| name.as_str()).chain([name.as_str()]));
    let stat = rustix::fs::fstat(&dir).map_err(code)?;
    Ok(Located { path, stat, at: At::Entry(done.pop().map_or_else(|| base.shared(), |(dir, _)| dir), name) })
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
