//! What of the granted directories a command must not see.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::gate::HiddenInodes;
use crate::hidden::Hidden;
use crate::workspace::Workspace;

/// How many entries of the workspace are looked at before the search gives up and nothing is run.
const MAX_ENTRIES: usize = 1_000_000;

/// How many files may have to be masked: each one is a mount, and the kernel has a limit of its own.
const MAX_MASKS: usize = 4096;

/// What is hidden in the granted directories, by its path in the workspace.
pub(super) struct Masks<'a> {
    hidden: &'a Hidden,
    found: Vec<(String, bool)>,
    /// Files with more than one name, one of which may be hidden.
    linked: Vec<(String, Stat)>,
    seen: usize,
}

impl<'a> Masks<'a> {
    pub(super) fn new(hidden: &'a Hidden) -> Self {
        Self { hidden, found: Vec::new(), linked: Vec::new(), seen: 0 }
    }

    /// Searches `dir`, which is `path` in the workspace. Links are not followed: what they lead to is searched where it is.
    ///
    /// # Errors
    ///
    /// Why it cannot be said what is hidden.
    pub(super) fn search(&mut self, dir: OwnedFd, path: &str) -> Result<(), String> {
        let mut todo = vec![(dir, path.to_owned())];
        while let Some((dir, path)) = todo.pop() {
            let failed = |error: Errno| format!("`{path}` cannot be searched for hidden files: {error}");
            for entry in Dir::read_from(&dir).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let name = entry.file_name();
                if name == c"." || name == c".." {
                    continue;
                }
                self.seen += 1;
                if self.seen > MAX_ENTRIES {
                    return Err(
                        "the granted directories are too large to be searched for hidden files".to_owned()
                    );
                }
                let look = || rustix::fs::statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW);
                let text = name.to_string_lossy();
                let path = if path.is_empty() { text.to_string() } else { format!("{path}/{text}") };
                let file_type = match entry.file_type() {
                    FileType::Unknown => {
                        look().map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
                    }
                    known => known,
                };
                let is_dir = file_type == FileType::Directory;
                // Behind a socket there may be anybody.
                let is_hidden =
                    file_type == FileType::Socket || self.hidden.hides_entry(&path, is_dir).is_some();
                match file_type {
                    FileType::Symlink => {}
                    _ if is_hidden && name.to_str().is_err() => {
                        return Err(format!("`{path}` is hidden, and its name is not UTF-8; rename it"));
                    }
                    _ if is_hidden => self.mask(path, is_dir)?,
                    FileType::Directory => match open(dir.as_fd(), name) {
                        Ok(inner) => todo.push((inner, path)),
                        // Then the command can't either.
                        Err(Errno::ACCESS | Errno::NOENT) => {}
                        Err(error) => {
                            return Err(format!("`{path}` cannot be searched for hidden files: {error}"));
                        }
                    },
                    FileType::RegularFile => {
                        self.linked
                            .extend(look().ok().filter(|stat| stat.st_nlink > 1).map(|stat| (path, stat)));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// All of them: paths, and whether each is a directory.
    pub(super) fn finish(mut self, workspace: &Workspace) -> Result<Vec<(String, bool)>, String> {
        if !self.linked.is_empty() {
            let hidden = HiddenInodes::search(workspace, self.hidden).map_err(|_| {
                "the workspace is too large to be searched for second names of hidden files".to_owned()
            })?;
            for (path, stat) in std::mem::take(&mut self.linked) {
                if hidden.contains(&stat) {
                    self.mask(path, false)?;
                }
            }
        }
        Ok(self.found)
    }

    fn mask(&mut self, path: String, is_dir: bool) -> Result<(), String> {
        if self.found.len() == MAX_MASKS {
            return Err(format!(
                "there are more than {MAX_MASKS} hidden files; hide the directories that hold them"
            ));
        }
        self.found.push((path, is_dir));
        Ok(())
    }
}

pub(super) fn open(dir: impl AsFd, name: impl rustix::path::Arg) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(dir, name, flags, Mode::empty())
}
