//! What is to be done, written where nobody but the user can have written it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::commit::Op;
use crate::private_folder;
use crate::workspace::Workspace;

/// The largest journal that is read, in bytes: one of a call that changes as many files as it may is a tenth of it.
const MAX_JOURNAL: u64 = 64 << 20;

/// How journals end; what is still being written ends otherwise.
const ENDING: &str = ".json";

/// A folder for journals, the user's own and outside of every workspace: a journal is carried out, so one that came with
/// a workspace's files must never be taken for it.
#[derive(Debug)]
pub struct Journals {
    dir: PathBuf,
}

/// A commit that has begun.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Journal {
    v: u32,
    place: Place,
    /// The name of the folder in `.remit/staging` that holds the contents.
    pub(super) area: String,
    pub(super) ops: Vec<Op>,
}

/// Which workspace a journal is about: a copy of it elsewhere, or another one in its place, is another.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    path: PathBuf,
    dev: u64,
    ino: u64,
}

impl Place {
    #[expect(clippy::useless_conversion, reason = "the types differ between systems")]
    fn of(workspace: &Workspace) -> io::Result<Self> {
        let stat = rustix::fs::fstat(workspace.root())?;
        Ok(Self { path: workspace.path().to_owned(), dev: stat.st_dev.into(), ino: stat.st_ino.into() })
    }
}

impl Journals {
    /// Takes the folder `dir` for journals. It is made when the first is written; if others can write to it, none is
    /// written or believed.
    #[must_use]
    pub fn at(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Writes down what is about to be done, through to the disk.
    pub(super) fn begin(&self, workspace: &Workspace, area: &str, ops: &[Op]) -> io::Result<()> {
        private_folder::make(&self.dir, "the folder for unfinished changes").map_err(io::Error::other)?;
        let journal =
            Journal { v: 1, place: Place::of(workspace)?, area: area.to_owned(), ops: ops.to_vec() };
        let text = serde_json::to_vec(&journal)?;
        if text.len() as u64 > MAX_JOURNAL {
            return Err(io::Error::other("there is too much to be done at once"));
        }
        let new = self.dir.join(format!("{area}.new"));
        let written = (|| {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
            file.write_all(&text)?;
            file.sync_data()?;
            std::fs::rename(&new, self.path(area))?;
            File::open(&self.dir)?.sync_all()
        })();
        if written.is_err() {
            let _ = std::fs::remove_file(&new);
        }
        written
    }

    /// What was to be done is done, or taken back.
    pub(super) fn end(&self, area: &str) {
        // One that stays is found to have nothing to do.
        let _ = std::fs::remove_file(self.path(area));
    }

    /// The journals of this workspace. One that can't be read is a problem in words.
    pub(super) fn of(&self, workspace: &Workspace) -> io::Result<Vec<Result<Journal, String>>> {
        let place = Place::of(workspace)?;
        let mut found = Vec::new();
        let entries = match std::fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
            entries => entries?,
        };
        private_folder::make(&self.dir, "the folder for unfinished changes").map_err(io::Error::other)?;
        for entry in entries {
            let path = entry?.path();
            if !path.to_str().is_some_and(|path| path.ends_with(ENDING)) {
                continue;
            }
            match read(&path) {
                Ok(journal) if journal.place == place => found.push(Ok(journal)),
                Ok(_) => {}
                // Ended between the listing and the reading.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => found.push(Err(format!(
                    "the journal of an unfinished change, {}, can't be read: {error}; remove it if no file is missed",
                    path.display()
                ))),
            }
        }
        Ok(found)
    }

    fn path(&self, area: &str) -> PathBuf {
        self.dir.join(format!("{area}{ENDING}"))
    }
}

fn read(path: &Path) -> io::Result<Journal> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() || !private_folder::is_ours(&meta) {
        return Err(io::Error::other("others could have written it"));
    }
    if meta.len() > MAX_JOURNAL {
        return Err(io::Error::other("it is too large"));
    }
    let mut text = Vec::new();
    file.take(MAX_JOURNAL).read_to_end(&mut text)?;
    let journal: Journal = serde_json::from_slice(&text)?;
    if journal.v != 1 {
        return Err(io::Error::other("it was written by another version"));
    }
    Ok(journal)
}
