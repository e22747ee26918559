//! After a process was killed in the middle of a commit.

use std::io;
use std::os::fd::AsFd;

use super::area::Area;
use super::commit::Op;
use crate::workspace::Workspace;

/// What became of commits that were cut short.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Files that now are as the cut commit wanted them.
    pub finished: Vec<String>,
    /// What could not be finished, a sentence each.
    pub problems: Vec<String>,
}

/// The journals are believed: this is for a workspace whose `.remit` is known to be the caller's own, not for one that came
/// from somewhere with all that is in it.
///
/// Finishes commits of processes that were killed after they had begun to make their changes, and clears away what
/// others left. A file that was changed since is left as it is, and named.
///
/// # Errors
///
/// When `.remit/staging` can't be read.
pub fn recover(workspace: &Workspace) -> io::Result<Recovered> {
    let mut recovered = Recovered::default();
    for area in Area::abandoned(workspace.root())? {
        match area.journal() {
            Ok(None) => {}
            Ok(Some(ops)) => finish(workspace, &area, &ops, &mut recovered),
            Err(error) => {
                let name = area.name();
                recovered.problems.push(format!(
                    "the journal of an unfinished change, .remit/staging/{name}, can't be read: {error}"
                ));
                continue;
            }
        }
        let name = area.name().to_owned();
        if let Err(error) = area.remove() {
            recovered.problems.push(format!("can't remove .remit/staging/{name}: {error}"));
        }
    }
    Ok(recovered)
}

fn finish(workspace: &Workspace, area: &Area, ops: &[Op], recovered: &mut Recovered) {
    for op in ops {
        let is_done = match op {
            Op::Put { number, .. } => !area.has(&number.to_string()),
            Op::Remove { number, .. } => area.has(&format!("{number}.old")),
            Op::Mkdir { .. } | Op::Rmdir { .. } => false,
        };
        if is_done {
            continue;
        }
        match op.apply(workspace.root().as_fd(), area) {
            Ok(true) => recovered.finished.push(op.path().to_owned()),
            Ok(false) => recovered.problems.push(format!(
                "{} was changed since a change of it was cut short; it is left as it is",
                op.path()
            )),
            // A directory that is gone already.
            Err(error) if error.kind() == io::ErrorKind::NotFound && matches!(op, Op::Rmdir { .. }) => {}
            Err(error) => recovered.problems.push(format!("cannot finish {}: {error}", op.path())),
        }
    }
}
