//! After a process was killed in the middle of a commit.

use std::io;
use std::os::fd::AsFd;

use super::area::{Area, Taken};
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

/// Finishes commits of processes that were killed after they had begun to make their changes, and clears away what
/// others left. A file that was changed since is left as it is, and named. Only what this user's own
/// [`Journals`](super::Journals) say is done; a workspace without them is left alone.
///
/// # Errors
///
/// When the journals or `.remit/staging` can't be read.
pub fn recover(workspace: &Workspace) -> io::Result<Recovered> {
    let mut recovered = Recovered::default();
    let Some(journals) = workspace.journals() else { return Ok(recovered) };
    for journal in journals.of(workspace)? {
        let journal = match journal {
            Ok(journal) => journal,
            Err(problem) => {
                recovered.problems.push(problem);
                continue;
            }
        };
        match Area::take(workspace.root(), &journal.area) {
            Ok(Taken::InUse) => continue,
            Ok(Taken::Missing) => {}
            Ok(Taken::Free(area)) => {
                finish(workspace, &area, &journal.ops, &mut recovered);
                clear(area, &mut recovered);
            }
            Err(error) => {
                let problem = format!("can't read .remit/staging/{}: {error}", journal.area);
                recovered.problems.push(problem);
                continue;
            }
        }
        journals.end(&journal.area);
    }
    // Those without a journal were never begun, or were taken back.
    for name in Area::names(workspace.root())? {
        if let Ok(Taken::Free(area)) = Area::take(workspace.root(), &name) {
            clear(area, &mut recovered);
        }
    }
    Ok(recovered)
}

fn clear(area: Area, recovered: &mut Recovered) {
    let name = area.name().to_owned();
    if let Err(error) = area.remove() {
        recovered.problems.push(format!("can't remove .remit/staging/{name}: {error}"));
    }
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
