//! What became of each file in the end.

use serde::{Deserialize, Serialize};

use crate::agent_path::AgentPath;
use remit_sandbox::{ChangeKind, Entry, Version};

/// What an agent, with all agents below it, did to one file in the end: created and deleted again is nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetChange {
    /// The file, relative to the workspace.
    pub path: String,
    /// What became of it.
    pub kind: ChangeKind,
    /// Where it was before, if it was moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Lines that were added, over all calls.
    pub added: u64,
    /// Lines that were removed, over all calls.
    pub removed: u64,
    /// The agent below that changed it last; nothing if it was the agent itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// What was done, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deed {
    pub(crate) agent: AgentPath,
    /// An [`Entry::Changed`], [`Entry::Contacted`] or [`Entry::Ran`].
    pub(crate) entry: Entry,
}

/// A file on its way through the changes.
struct File<'a> {
    /// Where it is; where it was, if it is gone.
    path: &'a str,
    /// Where it was before everything; nothing if it was not there.
    origin: Option<&'a str>,
    is_there: bool,
    before: Option<&'a Version>,
    after: Option<&'a Version>,
    added: u64,
    removed: u64,
    agent: &'a AgentPath,
}

/// The net of `deeds`, which are in the order in which they were done, as the agent `of` has to answer for it.
pub(crate) fn net(deeds: &[Deed], of: &AgentPath) -> Vec<NetChange> {
    let mut files: Vec<File<'_>> = Vec::new();
    for deed in deeds {
        let Entry::Changed { path, kind, from, added, removed, before, after } = &deed.entry else {
            continue;
        };
        let source = from.as_deref().unwrap_or(path);
        let is_there = *kind != ChangeKind::Deleted;
        let known = files.iter().position(|file| file.path == source);
        let index = known.unwrap_or_else(|| {
            let origin = (*kind != ChangeKind::Created).then_some(source);
            let before = before.as_ref();
            let agent = &deed.agent;
            files.push(File {
                path: source,
                origin,
                is_there: true,
                before,
                after: None,
                added: 0,
                removed: 0,
                agent,
            });
            files.len() - 1
        });
        if source != path {
            // Whatever was at the place that it was moved to is overwritten. If it was there before everything, it is what
            // is changed.
            if let Some(at) = files.iter().position(|file| file.path == path) {
                let over = files.remove(at);
                let index = index - usize::from(at < index);
                let Some(file) = files.get_mut(index) else { continue };
                if over.origin.is_some() && file.origin.is_none() {
                    (file.origin, file.before) = (over.origin, over.before);
                }
                update(file, path, is_there, after.as_ref(), (*added, *removed), &deed.agent);
                continue;
            }
        }
        let Some(file) = files.get_mut(index) else { continue };
        update(file, path, is_there, after.as_ref(), (*added, *removed), &deed.agent);
    }
    let mut changes: Vec<NetChange> = files.iter().filter_map(|file| change(file, of)).collect();
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

fn update<'a>(
    file: &mut File<'a>,
    path: &'a str,
    is_there: bool,
    after: Option<&'a Version>,
    (added, removed): (u64, u64),
    agent: &'a AgentPath,
) {
    (file.path, file.is_there, file.after, file.agent) = (path, is_there, after, agent);
    file.added = file.added.saturating_add(added);
    file.removed = file.removed.saturating_add(removed);
}

/// Nothing if it is as it was.
fn change(file: &File<'_>, of: &AgentPath) -> Option<NetChange> {
    let is_moved = file.origin.is_some_and(|origin| origin != file.path);
    let is_same = file.before.is_some() && file.before == file.after;
    let (kind, added, removed) = match (file.origin, file.is_there) {
        (None, false) => return None,
        (None, true) => (ChangeKind::Created, file.added.saturating_sub(file.removed), 0),
        (Some(_), false) => (ChangeKind::Deleted, 0, file.removed.saturating_sub(file.added)),
        (Some(_), true) if is_moved => (ChangeKind::Moved, file.added, file.removed),
        (Some(_), true) if is_same => return None,
        (Some(_), true) => (ChangeKind::Modified, file.added, file.removed),
    };
    let (path, from) = match kind {
        // Where it went before it was deleted is nobody's concern.
        ChangeKind::Deleted => (file.origin.unwrap_or(file.path), None),
        ChangeKind::Moved => (file.path, file.origin.map(str::to_owned)),
        ChangeKind::Created | ChangeKind::Modified => (file.path, None),
    };
    let agent = (file.agent != of).then(|| file.agent.to_string());
    Some(NetChange { path: path.to_owned(), kind, from, added, removed, agent })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(content: &str) -> Option<Version> {
        (!content.is_empty()).then(|| Version { sha256: content.to_owned(), bytes: 1 })
    }

    /// `kind path before after added removed`, where a path may be `from>to` and `-` is no content.
    fn deed(text: &str) -> Deed {
        let [kind, path, before, after, added, removed] = text.split(' ').collect::<Vec<_>>()[..] else {
            panic!()
        };
        let kind = match kind {
            "created" => ChangeKind::Created,
            "modified" => ChangeKind::Modified,
            "deleted" => ChangeKind::Deleted,
            _ => ChangeKind::Moved,
        };
        let (from, path) =
            path.split_once('>').map_or((None, path), |(from, to)| (Some(from.to_owned()), to));
        let content = |text: &str| version(text.trim_matches('-'));
        let (added, removed) = (added.parse().unwrap(), removed.parse().unwrap());
        let entry = Entry::Changed {
            path: path.to_owned(),
            kind,
            from,
            added,
            removed,
            before: content(before),
            after: content(after),
        };
        Deed { agent: AgentPath::root(), entry }
    }

    fn shown(deeds: &[&str]) -> Vec<String> {
        let deeds: Vec<Deed> = deeds.iter().map(|text| deed(text)).collect();
        let line = |change: NetChange| {
            let from = change.from.map(|from| format!("{from}>")).unwrap_or_default();
            format!("{:?} {from}{} +{} -{}", change.kind, change.path, change.added, change.removed)
        };
        net(&deeds, &AgentPath::root()).into_iter().map(line).collect()
    }

    #[test]
    fn what_is_undone_is_nothing() {
        assert_eq!(shown(&["created a - 1 5 0", "deleted a 1 - 0 5"]), [] as [&str; 0]);
        assert_eq!(shown(&["modified a 1 2 1 1", "modified a 2 1 1 1"]), [] as [&str; 0]);
        assert_eq!(shown(&["deleted a 1 - 0 5", "created a - 1 5 0"]), [] as [&str; 0]);
        assert_eq!(shown(&["moved a>b 1 1 0 0", "moved b>a 1 1 0 0"]), [] as [&str; 0]);
        assert_eq!(shown(&["created a - 1 5 0", "moved a>b 1 1 0 0", "deleted b 1 - 0 5"]), [] as [&str; 0]);
    }

    #[test]
    fn what_is_left_is_told_once_for_each_file() {
        for (deeds, left) in [
            (&["created a - 1 5 0", "modified a 1 2 3 1"][..], "Created a +7 -0"),
            (&["modified a 1 2 3 1", "modified a 2 3 1 0"], "Modified a +4 -1"),
            (&["modified a 1 2 3 1", "deleted a 2 - 0 12"], "Deleted a +0 -10"),
            (&["created a - 1 5 0", "moved a>b 1 1 0 0"], "Created b +5 -0"),
            (&["modified a 1 2 1 1", "moved a>b 2 2 0 0", "modified b 2 3 1 0"], "Moved a>b +2 -1"),
            (&["moved a>b 1 1 0 0", "deleted b 1 - 0 4"], "Deleted a +0 -4"),
            (&["deleted a 1 - 0 5", "created a - 2 6 0"], "Modified a +6 -5"),
        ] {
            assert_eq!(shown(deeds), [left], "{deeds:?}");
        }
        let two = shown(&["modified b 1 2 1 1", "created a - 1 1 0"]);
        assert_eq!(two, ["Created a +1 -0", "Modified b +1 -1"]);
        let over = shown(&["modified b 1 2 1 1", "created a - 9 1 0", "moved a>b 9 9 0 0"]);
        assert_eq!(over, ["Modified b +1 -0"]);
    }

    #[test]
    fn what_an_agent_below_changed_names_it() {
        let child = AgentPath::root().child("editor", 1);
        let mut below = deed("created a - 1 1 0");
        below.agent = child.clone();
        let deeds = [below, deed("created b - 1 1 0")];
        let agents = |of| net(&deeds, &of).into_iter().map(|change| change.agent).collect::<Vec<_>>();
        assert_eq!(agents(AgentPath::root()), [Some(child.to_string()), None]);
    }
}
