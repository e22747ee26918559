//! Looks at entries of the workspace without leaving it: every name on the way is opened from the directory above it,
//! and no symbolic link is followed.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use thiserror::Error;

use super::path::WorkspacePath;
use super::shown::shown;
use super::suggest::nearest;

/// Why an entry of the workspace is not what `roles.toml` or a `task` call takes it for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EntryProblem {
    /// Nothing of that name is there.
    #[error("`{path}` does not exist in the workspace")]
    Missing {
        /// The part of the path that is missing, with what leads to it.
        path: String,
        /// An entry that is there, and near in name.
        nearest: Option<String>,
    },
    /// A name on the way is a symbolic link. Following it could lead out of what the path claims to lie in.
    #[error("`{path}` is a symbolic link")]
    Link {
        /// The part of the path that is a link.
        path: String,
        /// What the link says.
        target: String,
    },
    /// A directory was asked for.
    #[error("`{path}` is a file, not a directory")]
    NotDirectory {
        /// The part of the path that is no directory.
        path: String,
        /// The directory that holds it.
        parent: String,
    },
    /// A file was asked for, and this is a directory, a device, a socket or a pipe.
    #[error("`{path}` is not a file")]
    NotFile {
        /// The path.
        path: String,
    },
    /// The file is larger than what is read of its kind.
    #[error("`{path}` is larger than {limit} bytes")]
    TooLarge {
        /// The path.
        path: String,
        /// The most that is read, in bytes.
        limit: u64,
    },
    /// The file should hold text.
    #[error("`{path}` is not UTF-8 text")]
    NotText {
        /// The path.
        path: String,
    },
    /// The system refused.
    #[error("cannot open `{path}`: {reason}")]
    System {
        /// The part of the path that could not be opened.
        path: String,
        /// The system's words.
        reason: String,
    },
}

impl EntryProblem {
    /// What to do about it, where that is clear.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Missing { nearest: Some(nearest), .. } => Some(format!("did you mean \"{nearest}\"?")),
            Self::Missing { path, .. } if path.contains('*') => {
                Some("a grant names directories, not patterns; each holds all that is below it".to_owned())
            }
            Self::Missing { nearest: None, .. } => Some("paths are relative to the workspace".to_owned()),
            Self::Link { target, .. } => {
                Some(format!("name what it leads to, \"{target}\", if that is in the workspace"))
            }
            Self::NotDirectory { parent, .. } => {
                Some(format!("name the directory that holds it, \"{parent}\""))
            }
            Self::NotFile { .. } | Self::TooLarge { .. } | Self::NotText { .. } | Self::System { .. } => None,
        }
    }
}

/// How many names of a directory are looked at for one that is near: a suggestion is not worth a slow start.
const MAX_CANDIDATES: usize = 2000;

/// Opens a directory of the workspace.
pub(super) fn open_directory(workspace: &Path, path: &WorkspacePath) -> Result<OwnedFd, EntryProblem> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut at = WorkspacePath::workspace();
    let mut directory =
        rustix::fs::open(workspace, flags, Mode::empty()).map_err(|errno| system_problem(&at, errno))?;
    for part in path.parts() {
        let next = at.join(part);
        directory = rustix::fs::openat(&directory, part, flags | OFlags::NOFOLLOW, Mode::empty())
            .map_err(|errno| explain(&directory, &at, &next, part, errno))?;
        at = next;
    }
    Ok(directory)
}

/// Opens a regular file of the workspace. A pipe or a device is refused at once, without waiting for its other end.
pub(super) fn open_file(workspace: &Path, path: &WorkspacePath) -> Result<File, EntryProblem> {
    let not_file = || EntryProblem::NotFile { path: shown(path.as_str()) };
    let Some(name) = path.parts().last() else { return Err(not_file()) };
    let directory = open_directory(workspace, &path.parent())?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(&directory, name, flags, Mode::empty()) {
        // What opening a socket or a device without a driver says.
        Err(Errno::NXIO | Errno::NODEV) => return Err(not_file()),
        opened => opened.map_err(|errno| explain(&directory, &path.parent(), path, name, errno))?,
    };
    let kind = rustix::fs::fstat(&file).map_err(|errno| system_problem(path, errno))?.st_mode;
    if FileType::from_raw_mode(kind) == FileType::RegularFile {
        Ok(File::from(file))
    } else {
        Err(not_file())
    }
}

/// Reads a regular file of the workspace, of at most `limit` bytes.
pub(super) fn read_file(workspace: &Path, path: &WorkspacePath, limit: u64) -> Result<Vec<u8>, EntryProblem> {
    let mut file = open_file(workspace, path)?;
    let failed =
        |error: io::Error| EntryProblem::System { path: shown(path.as_str()), reason: error.to_string() };
    match read_at_most(&mut file, limit).map_err(failed)? {
        Some(bytes) => Ok(bytes),
        None => Err(EntryProblem::TooLarge { path: shown(path.as_str()), limit }),
    }
}

/// All of `file`, or nothing where it has more than `limit` bytes: its size is never taken from what it says of itself.
pub(crate) fn read_at_most(file: &mut File, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((u64::try_from(read).is_ok_and(|read| read <= limit)).then_some(bytes))
}

/// The files below a directory of the workspace, sorted, at most `limit` of them; more are an error, and so is a link.
pub(super) fn files_below(
    workspace: &Path,
    path: &WorkspacePath,
    limit: usize,
) -> Result<Vec<WorkspacePath>, EntryProblem> {
    let mut files = Vec::new();
    let mut seen = 0_usize;
    let mut open = vec![path.clone()];
    while let Some(directory) = open.pop() {
        let handle = open_directory(workspace, &directory)?;
        for (name, kind) in entries(&handle, limit + 1).map_err(|errno| system_problem(&directory, errno))? {
            seen += 1;
            let entry = directory.join(&name);
            if seen > limit {
                let reason = format!("it holds more than {limit} entries");
                return Err(EntryProblem::System { path: shown(path.as_str()), reason });
            }
            match kind {
                FileType::Directory => open.push(entry),
                FileType::RegularFile => files.push(entry),
                FileType::Symlink => return Err(link(&handle, &entry, &name)),
                _ => return Err(EntryProblem::NotFile { path: shown(entry.as_str()) }),
            }
        }
    }
    files.sort();
    Ok(files)
}

fn entries(directory: &OwnedFd, most: usize) -> Result<Vec<(String, FileType)>, Errno> {
    let mut entries = Vec::new();
    for entry in Dir::read_from(directory)? {
        if entries.len() == most {
            break;
        }
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        // A name that no path can be made of would go unseen, and whoever reads the directory later would see it.
        let text = name.to_str().map_err(|_| Errno::ILSEQ)?;
        let kind = match entry.file_type() {
            // Some file systems do not say.
            FileType::Unknown => FileType::from_raw_mode(
                rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode,
            ),
            kind => kind,
        };
        entries.push((text.to_owned(), kind));
    }
    Ok(entries)
}

/// The words for a name that did not open. Only words: what could be opened was decided before.
fn explain(
    dir: &OwnedFd,
    parent: &WorkspacePath,
    path: &WorkspacePath,
    name: &str,
    errno: Errno,
) -> EntryProblem {
    if errno == Errno::NOENT {
        let names = Dir::read_from(dir).into_iter().flatten().flatten().take(MAX_CANDIDATES);
        let names: Vec<_> =
            names.filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned)).collect();
        let visible = names.iter().map(String::as_str).filter(|name| !name.starts_with('.'));
        let nearest = nearest(name, visible).map(|name| shown(parent.join(&name).as_str()));
        return EntryProblem::Missing { path: shown(path.as_str()), nearest };
    }
    let kind =
        rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map(|s| FileType::from_raw_mode(s.st_mode));
    match (kind, errno) {
        (Ok(FileType::Symlink), _) => link(dir, path, name),
        (Ok(FileType::Directory), _) | (Err(_), _) => system_problem(path, errno),
        (Ok(_), Errno::NOTDIR) => {
            EntryProblem::NotDirectory { path: shown(path.as_str()), parent: shown(parent.as_str()) }
        }
        (Ok(_), _) => system_problem(path, errno),
    }
}

fn link(directory: &OwnedFd, path: &WorkspacePath, name: &str) -> EntryProblem {
    let target = rustix::fs::readlinkat(directory, name, Vec::new());
    let target = target.map(|target| target.to_string_lossy().into_owned()).unwrap_or_default();
    let target = from_workspace(&path.parent(), &target).unwrap_or(target);
    EntryProblem::Link { path: shown(path.as_str()), target: shown(&target) }
}

/// Where a link in `directory` leads, said from the workspace on; nothing where that is outside.
fn from_workspace(directory: &WorkspacePath, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.parts().collect();
    if target.starts_with('/') {
        return None;
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

fn system_problem(path: &WorkspacePath, errno: Errno) -> EntryProblem {
    EntryProblem::System { path: shown(path.as_str()), reason: io::Error::from(errno).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text).unwrap()
    }

    fn workspace() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("src/inner")).unwrap();
        std::fs::create_dir(dir.path().join("private")).unwrap();
        std::fs::write(dir.path().join("src/a.txt"), "hello").unwrap();
        symlink("../private", dir.path().join("src/link")).unwrap();
        symlink("/etc", dir.path().join("etc")).unwrap();
        dir
    }

    #[test]
    fn links_are_never_followed() {
        let dir = workspace();
        for (name, target) in [("src/link", "private"), ("etc", "/etc")] {
            let link = EntryProblem::Link { path: name.into(), target: target.into() };
            assert_eq!(open_directory(dir.path(), &path(name)).unwrap_err(), link, "itself");
            assert_eq!(read_file(dir.path(), &path(name), 9).unwrap_err(), link, "as a file");
            let below = path(name).join("below");
            assert_eq!(open_directory(dir.path(), &below).unwrap_err(), link, "on the way");
        }
        assert!(matches!(files_below(dir.path(), &path("src"), 99), Err(EntryProblem::Link { .. })));
    }

    #[test]
    fn what_is_there_opens() {
        let dir = workspace();
        for name in [".", "src", "src/inner"] {
            open_directory(dir.path(), &path(name)).unwrap();
        }
        assert_eq!(read_file(dir.path(), &path("src/a.txt"), 5).unwrap(), b"hello");
    }

    #[test]
    fn what_is_not_says_what_is() {
        let dir = workspace();
        let missing = |path: &str, nearest: Option<&str>| EntryProblem::Missing {
            path: path.into(),
            nearest: nearest.map(str::to_owned),
        };
        assert_eq!(open_directory(dir.path(), &path("scr")).unwrap_err(), missing("scr", Some("src")));
        assert_eq!(
            open_directory(dir.path(), &path("src/iner/x")).unwrap_err(),
            missing("src/iner", Some("src/inner"))
        );
        assert_eq!(open_directory(dir.path(), &path("zzz")).unwrap_err(), missing("zzz", None));
        let file = EntryProblem::NotDirectory { path: "src/a.txt".into(), parent: "src".into() };
        assert_eq!(open_directory(dir.path(), &path("src/a.txt")).unwrap_err(), file);
        assert_eq!(
            open_file(dir.path(), &path("src")).unwrap_err(),
            EntryProblem::NotFile { path: "src".into() }
        );
        let large = EntryProblem::TooLarge { path: "src/a.txt".into(), limit: 4 };
        assert_eq!(read_file(dir.path(), &path("src/a.txt"), 4).unwrap_err(), large);
    }

    #[test]
    fn a_pipe_is_refused_without_waiting_for_a_writer() {
        let dir = workspace();
        let at = rustix::fs::open(dir.path(), OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
        rustix::fs::mknodat(&at, "pipe", FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert_eq!(
            read_file(dir.path(), &path("pipe"), 9).unwrap_err(),
            EntryProblem::NotFile { path: "pipe".into() }
        );
    }

    #[test]
    fn the_files_below_a_directory_are_listed_in_order_and_bounded() {
        let dir = workspace();
        std::fs::create_dir_all(dir.path().join("wit/deps")).unwrap();
        for name in ["wit/b.wit", "wit/a.wit", "wit/deps/c.wit"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let found = files_below(dir.path(), &path("wit"), 4).unwrap();
        assert_eq!(found, ["wit/a.wit", "wit/b.wit", "wit/deps/c.wit"].map(path));
        assert!(files_below(dir.path(), &path("wit"), 3).is_err());
    }
}
