//! The gate: remit's own `wasi:filesystem`, through which every open and every listing of a component passes.
//!
//! wasmtime-wasi's is not linked at all. Here a path is first taken apart until it is the file's one path in the
//! workspace ([`locate`](locate::locate)), then the rules are asked about that path, and only then is anything
//! opened: regular files and directories, never in a way that can wait.
//!
//! Writing goes to the [`Stage`]: a layer in memory that the call sees as if it were on disk. What comes of it is
//! decided when the call has ended.

mod descriptor;
mod edit;
mod facts;
mod hardlink;
mod host;
mod listing;
mod locate;
mod node;
mod stage;
mod stream;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use rustix::fs::{FileType, Stat};
use wasmtime::component::{HasData, Linker, ResourceTable};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::bindings::filesystem::{preopens, types};

pub(crate) use self::hardlink::HiddenInodes;
pub use self::host::{Excerpt, ReadError};
pub(crate) use self::locate::{Follow, Located, locate, open_located};
pub(crate) use self::node::DirNode;
pub(crate) use self::stage::{Base, Now, Stage};

use self::locate::{Place, find, joined, names};
use crate::grant::Grants;
use crate::ledger::Ledger;
use crate::limits::Limits;

/// One call's gate. Made for the call, gone with it.
pub(crate) struct Gate {
    grants: Arc<Grants>,
    ledger: Arc<Ledger>,
    stage: Stage,
    /// Directories that no rule hides, neither them nor one above them.
    clear: HashSet<String>,
    hidden_inodes: Option<HiddenInodes>,
}

impl Gate {
    pub(crate) fn new(grants: Arc<Grants>, ledger: Arc<Ledger>, limits: &Limits) -> Self {
        let stage = Stage::new(limits.write_bytes, limits.write_files);
        Self { grants, ledger, stage, clear: HashSet::new(), hidden_inodes: None }
    }

    /// What the call has changed, none of it on disk yet.
    pub(crate) fn into_stage(self) -> Stage {
        self.stage
    }

    fn refuse(&mut self, action: &str, path: &str, reason: impl Into<String>) {
        self.ledger.refused(action, path, reason.into());
    }

    /// Finds what the guest names and asks the rules. A refusal is noted, and `Access` or `NotPermitted`.
    fn admit(
        &mut self,
        action: &str,
        base: &DirNode,
        path: &str,
        follow: Follow,
    ) -> Result<Place, ErrorCode> {
        match self.seek(action, base, path, follow)? {
            Place::Missing { .. } => Err(ErrorCode::NoEntry),
            place => Ok(place),
        }
    }

    /// As [`Gate::admit`], for what may not be there yet.
    fn seek(&mut self, action: &str, base: &DirNode, path: &str, follow: Follow) -> Result<Place, ErrorCode> {
        let place = match find(base, path, follow, &self.stage) {
            Ok(place) => place,
            Err(ErrorCode::NotPermitted) => {
                self.refuse(action, path, "the path leads out of the granted directory");
                return Err(ErrorCode::NotPermitted);
            }
            // A missing file under a hidden name is refused like one that is there: its absence is no news either.
            Err(error) => {
                let as_written = joined(base.path(), names(path).into_iter());
                return Err(self.hidden_by(action, &as_written, false).err().unwrap_or(error));
            }
        };
        self.hidden_by(action, place.path(), place.is_dir())?;
        let Place::Disk(found) = &place else { return Ok(place) };
        self.hidden_elsewhere(action, &found.path, &found.stat)?;
        match found.file_type() {
            FileType::RegularFile | FileType::Directory | FileType::Symlink => Ok(place),
            _ => {
                let reason = "it is neither a file nor a directory (a pipe, socket or device)";
                self.refuse(action, &found.path, reason);
                Err(ErrorCode::NotPermitted)
            }
        }
    }

    fn hidden_by(&mut self, action: &str, path: &str, is_dir: bool) -> Result<(), ErrorCode> {
        let hidden = self.grants.hidden();
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        let rule = if parent.is_empty() || self.clear.contains(parent) {
            hidden.hides_entry(path, is_dir)
        } else if let Some(rule) = hidden.hides(parent, true) {
            Some(rule)
        } else {
            let rule = hidden.hides_entry(path, is_dir);
            self.clear.insert(parent.to_owned());
            rule
        };
        match rule {
            Some(rule) if !path.is_empty() => {
                self.refuse(action, path, format!("hidden by the rule `{rule}`"));
                Err(ErrorCode::Access)
            }
            _ => Ok(()),
        }
    }

    /// A second name of a hidden file is as hidden as the first.
    fn hidden_elsewhere(&mut self, action: &str, path: &str, stat: &Stat) -> Result<(), ErrorCode> {
        if stat.st_nlink < 2 || FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Ok(());
        }
        let Some(workspace) = self.grants.workspace() else {
            return Err(ErrorCode::Access);
        };
        let inodes = match &mut self.hidden_inodes {
            Some(inodes) => inodes,
            none => none.insert(HiddenInodes::search(workspace, self.grants.hidden())?),
        };
        if inodes.contains(stat) {
            self.refuse(action, path, "it is a hard link to a hidden file");
            return Err(ErrorCode::Access);
        }
        Ok(())
    }
}

/// What the `wasi:filesystem` functions work on.
pub(crate) struct GateView<'a> {
    pub(crate) gate: &'a mut Gate,
    pub(crate) table: &'a mut ResourceTable,
}

/// What has a gate: a store's state.
pub(crate) trait Gated: Send {
    fn gate(&mut self) -> GateView<'_>;
}

struct HasGate;

impl HasData for HasGate {
    type Data<'a> = GateView<'a>;
}

/// Links `wasi:filesystem` to the gate.
pub(crate) fn add_to_linker<T: Gated + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    types::add_to_linker::<T, HasGate>(linker, T::gate)?;
    preopens::add_to_linker::<T, HasGate>(linker, T::gate)
}
