//! Hidden files under a second name.
//!
//! A hard link has no target to resolve: `notes.txt` may simply be `.env`. A file with one name needs no look; for
//! one with more, the hidden files of the workspace are searched for it.

use std::collections::HashSet;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::locate::code;
use crate::hidden::Hidden;
use crate::workspace::Workspace;

/// How many entries of the workspace are looked at before the search gives up, and the file counts as hidden.
const MAX_ENTRIES: usize = 1_000_000;

/// The hidden files that have more than one name, by device and inode.
#[derive(Debug)]
pub(crate) struct HiddenInodes(HashSet<(u64, u64)>);

impl HiddenInodes {
    /// Searches the whole workspace, links not followed.
    ///
    /// # Errors
    ///
    /// `Access` when the workspace is too large to be searched, so that nothing can be said.
    pub(crate) fn search(workspace: &Workspace, hidden: &Hidden) -> Result<Self, ErrorCode> {
        let mut found = HashSet::new();
        let mut seen = 0usize;
        let mut todo: Vec<(OwnedFd, String, bool)> =
            vec![(open(workspace.root(), c".")?, String::new(), false)];
        while let Some((dir, path, inside)) = todo.pop() {
            for entry in Dir::read_from(&dir).map_err(code)? {
                let entry = entry.map_err(code)?;
                let name = entry.file_name();
                if name == c"." || name == c".." {
                    continue;
                }
                seen += 1;
                if seen > MAX_ENTRIES {
                    return Err(ErrorCode::Access);
                }
                let text = name.to_string_lossy();
                let path = if path.is_empty() { text.into_owned() } else { format!("{path}/{text}") };
                let look = || rustix::fs::statat(dir.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW);
                let file_type = match entry.file_type() {
                    FileType::Unknown => {
                        look().map_or(FileType::Unknown, |s| FileType::from_raw_mode(s.st_mode))
                    }
                    known => known,
                };
                let is_dir = file_type == FileType::Directory;
                let hidden = inside || hidden.hides_entry(&path, is_dir).is_some();
                if is_dir {
                    if let Ok(dir) = open(dir.as_fd(), name) {
                        todo.push((dir, path, hidden));
                    }
                } else if hidden
                    && let Ok(stat) = look()
                    && stat.st_nlink > 1
                {
                    found.insert(key(&stat));
                }
            }
        }
        Ok(Self(found))
    }

    pub(crate) fn contains(&self, stat: &Stat) -> bool {
        self.0.contains(&key(stat))
    }
}

fn open(dir: impl AsFd, name: &std::ffi::CStr) -> Result<OwnedFd, ErrorCode> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(dir, name, flags, Mode::empty()).map_err(code)
}

#[expect(clippy::unnecessary_cast, clippy::useless_conversion, reason = "the types differ between systems")]
fn key(stat: &Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino.into())
}
