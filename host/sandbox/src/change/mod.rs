//! What a call wants changed: staged in memory, shown, and then committed whole or dropped.

mod area;
mod attributes;
mod commit;
mod diff;
mod journal;
mod recovery;

use std::io::Read;
use std::os::fd::AsFd;
use std::sync::Arc;

use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use self::commit::CommitError;
pub use self::journal::Journals;
pub use self::recovery::{Recovered, recover};

use crate::gate::{Base, Now, Stage};
use crate::ledger::{ChangeKind, Version};
use crate::workspace::Workspace;

/// The largest file that was removed unread whose lines are counted and shown.
const MAX_SHOWN: u64 = 1 << 20;

/// What one call changed, none of it on disk. Dropping it drops it.
#[derive(Debug, Default)]
pub struct Changes {
    workspace: Option<Workspace>,
    items: Vec<Item>,
    files: Vec<Change>,
}

/// One file or directory of a call's changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Relative to the workspace.
    pub path: String,
    /// What becomes of it.
    pub kind: ChangeKind,
    /// Where it was before, if it is moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Lines that will be there and are not now; none for a directory or a file that is no text.
    pub added: u64,
    /// Lines that are there now and will not be.
    pub removed: u64,
    /// Whether a file's content, before or after, is no text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub binary: bool,
}

/// One path's change.
#[derive(Debug)]
struct Item {
    path: String,
    base: Option<Base>,
    now: State,
}

/// What a path will be.
#[derive(Debug)]
enum State {
    File { content: Arc<[u8]>, mode: Option<u32>, from: Option<String> },
    Dir,
    Gone,
}

impl Item {
    /// None where the call has left things as they were.
    fn of(workspace: &Workspace, path: String, base: Option<Base>, now: Now) -> Option<Self> {
        let now = match now {
            Now::File { content, from, mode } => {
                let content: Arc<[u8]> = std::mem::take(&mut *content.bytes()).into();
                let is_same = base.as_ref().and_then(|base| base.content.as_ref()) == Some(&content);
                if is_same && from.is_none() {
                    return None;
                }
                State::File { content, mode, from }
            }
            Now::Dir if base.as_ref().is_some_and(Base::is_dir) => return None,
            Now::Dir => State::Dir,
            Now::Gone => State::Gone,
        };
        let base = base.map(|base| match base.content {
            None if !base.is_dir() => Base { content: read(workspace, &path, &base), ..base },
            _ => base,
        });
        Some(Self { path, base, now })
    }

    fn before(&self) -> Option<&[u8]> {
        self.base.as_ref()?.content.as_deref()
    }

    fn after(&self) -> Option<&[u8]> {
        match &self.now {
            State::File { content, .. } => Some(content),
            _ => None,
        }
    }

    /// Where a moved file was.
    fn from(&self) -> Option<&str> {
        match &self.now {
            State::File { from, .. } => from.as_deref(),
            _ => None,
        }
    }

    /// Whether something that is on disk goes.
    fn is_removal(&self) -> bool {
        matches!(self.now, State::Gone) && self.base.is_some()
    }

    fn is_about_dir(&self) -> bool {
        match &self.now {
            State::Dir => true,
            State::File { .. } => false,
            State::Gone => self.base.as_ref().is_some_and(Base::is_dir),
        }
    }
}

/// A removed file's content, as far as it is small enough to be shown.
fn read(workspace: &Workspace, path: &str, base: &Base) -> Option<Arc<[u8]>> {
    if FileType::from_raw_mode(base.stat.st_mode) != FileType::RegularFile {
        return None;
    }
    if u64::try_from(base.stat.st_size).is_ok_and(|size| size > MAX_SHOWN) {
        return None;
    }
    let mut bytes = Vec::new();
    let file = commit::open(workspace.root().as_fd(), path).ok()?;
    file.take(MAX_SHOWN).read_to_end(&mut bytes).ok()?;
    Some(bytes.into())
}

impl Changes {
    pub(crate) fn of(workspace: Option<&Workspace>, stage: Stage) -> Self {
        let Some(workspace) = workspace.filter(|_| !stage.is_empty()) else { return Self::default() };
        let nodes = stage.into_nodes();
        let items: Vec<Item> = nodes
            .into_iter()
            .filter_map(|(path, staged)| Item::of(workspace, path, staged.base, staged.now))
            .collect();
        let files = diff::changes(&items);
        Self { workspace: Some(workspace.clone()), items, files }
    }

    /// Whether nothing would change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// What would change, by path. Directories are named where no file within them says the same.
    #[must_use]
    pub fn files(&self) -> &[Change] {
        &self.files
    }

    /// What would change, as a unified diff of at most `max_bytes` bytes and a mark where it is cut. Safe to show.
    #[must_use]
    pub fn unified_diff(&self, max_bytes: usize) -> String {
        diff::unified(&self.items, &self.files, max_bytes)
    }
}

/// The item of `path` among items in the order of their paths.
fn find<'a>(items: &'a [Item], path: &str) -> Option<&'a Item> {
    let at = items.binary_search_by(|item| item.path.as_str().cmp(path)).ok()?;
    items.get(at)
}

fn version(content: &[u8]) -> Version {
    let sha256 = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    Version { sha256, bytes: content.len() as u64 }
}
