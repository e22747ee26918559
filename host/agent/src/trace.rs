//! Reads back what runs left in `.remit/sessions/`.

mod lines;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::agent_path::AgentPath;
use crate::event::{Event, EventError, EventKind};
use crate::outcome::Status;
use crate::record::{EVENTS_FILE, FOLDER, LOCK_FILE, SESSIONS, TRACES, trace_name};
use crate::roles::{nearest, shown};
use lines::{Line, Lines};

/// How many bytes of a file are read to be looked at: against one that would fill the memory.
const MAX_TRACE: u64 = 1 << 30;

/// How many lines that are no events are told.
const MAX_PROBLEMS: usize = 100;

/// One run's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    id: String,
    folder: PathBuf,
}

/// What can be said of a run, or of a conversation, in a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// What the user asked first; empty if the record does not say.
    pub prompt: String,
    /// When it began, in milliseconds since 1970 (UTC).
    pub time: u64,
    /// How it ended; nothing if it has not, or was killed.
    pub status: Option<Status>,
    /// Whether it is still going on.
    pub is_running: bool,
    /// Whether lines of its main file are no events.
    pub is_damaged: bool,
}

/// One agent's events, as far as they can be read.
#[derive(Debug, Default)]
pub struct Trace {
    /// The events, in order.
    pub events: Vec<Event>,
    /// The lines that are none, counted from 1.
    pub problems: Vec<(u64, EventError)>,
    /// Whether the last line is torn: its writer was killed, or the disk was full. It is not among the problems.
    pub is_torn: bool,
    /// Whether there is more, which was not read: the file is too large, or hardly has an event in it.
    pub is_cut: bool,
}

/// Why a record can't be read.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The file system refused.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No run has this id.
    #[error("no run `{id}` in {}{}", folder.display(), near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSession {
        /// What was asked for.
        id: String,
        /// Where the runs are.
        folder: PathBuf,
        /// The nearest one that there is.
        near: Option<String>,
    },
    /// More than one run's id begins so.
    #[error("more than one run's id begins with `{id}`: {some}")]
    Ambiguous {
        /// What was asked for.
        id: String,
        /// The newest of them.
        some: String,
    },
    /// No agent of the run has this path.
    #[error("run {session} has no agent `{agent}`; it has {known}")]
    NoAgent {
        /// The run.
        session: String,
        /// What was asked for.
        agent: String,
        /// All there are.
        known: String,
    },
}

/// The runs that are recorded in a workspace, the newest first.
///
/// # Errors
///
/// When their folder is there and can't be read.
pub fn sessions(workspace: &Path) -> Result<Vec<Session>, TraceError> {
    let folder = sessions_folder(workspace);
    let mut sessions: Vec<Session> = entries(&folder)?
        .into_iter()
        .filter(|id| is_file(&folder.join(id).join(EVENTS_FILE)))
        .map(|id| Session { folder: folder.join(&id), id })
        .collect();
    // Ids begin with a time of fixed length; of those of one second, the longer one is the later.
    sessions.sort_by(|a, b| (b.id.get(..15), b.id.len(), &b.id).cmp(&(a.id.get(..15), a.id.len(), &a.id)));
    Ok(sessions)
}

/// The run with the id `id`, or whose id alone begins so.
///
/// # Errors
///
/// When there is none, or more than one.
pub fn session(workspace: &Path, id: &str) -> Result<Session, TraceError> {
    let all = sessions(workspace)?;
    if let Some(exact) = all.iter().find(|session| session.id == id) {
        return Ok(exact.clone());
    }
    match all.iter().filter(|session| session.id.starts_with(id)).collect::<Vec<_>>()[..] {
        [one] => Ok(one.clone()),
        [first, second, ..] => {
            Err(TraceError::Ambiguous { id: shown(id), some: format!("{}, {} …", first.id, second.id) })
        }
        [] => Err(TraceError::NoSession {
            id: shown(id),
            folder: sessions_folder(workspace),
            near: nearest(id, all.iter().map(Session::id)),
        }),
    }
}

impl Session {
    /// Its id, such as `20260731-142501`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a process writes to it.
    pub fn is_running(&self) -> bool {
        lines::open(&self.folder.join(LOCK_FILE))
            .is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(fs::TryLockError::WouldBlock)))
    }

    /// The run in a line.
    ///
    /// # Errors
    ///
    /// When its main file can't be read.
    pub fn summary(&self) -> Result<Summary, TraceError> {
        let path = self.folder.join(EVENTS_FILE);
        let at = |source| TraceError::Io { path: path.clone(), source };
        let mut lines = Lines::open(&path).map_err(at)?;
        let (mut prompt, mut time, mut status, mut is_damaged) = (None, None, None, false);
        while let Some((line, _)) = lines.next().map_err(at)? {
            let Line::Event(event) = line else {
                is_damaged |= matches!(line, Line::Problem(_));
                continue;
            };
            time.get_or_insert(event.time);
            match event.kind {
                EventKind::RunStarted { prompt: first, .. } => {
                    prompt.get_or_insert(first);
                    // The last prompt's end counts, if it has one.
                    status = None;
                }
                EventKind::Outcome(outcome) => status = Some(outcome.status),
                _ => {}
            }
        }
        Ok(Summary {
            prompt: prompt.unwrap_or_default(),
            time: time.unwrap_or_default(),
            status,
            is_running: self.is_running(),
            is_damaged,
        })
    }

    /// The paths of its agents: the root, then every child in the order in which they were started.
    ///
    /// # Errors
    ///
    /// When a file can't be read.
    pub fn agents(&self) -> Result<Vec<String>, TraceError> {
        let folder = self.folder.join(TRACES);
        let mut children = Vec::new();
        for name in entries(&folder)? {
            let path = folder.join(name);
            let at = |source| TraceError::Io { path: path.clone(), source };
            if is_file(&path)
                && let Some((Line::Event(first), _)) =
                    Lines::open(&path).and_then(|mut lines| lines.next()).map_err(at)?
            {
                children.push((first.seq, first.agent));
            }
        }
        children.sort();
        let children = children.into_iter().map(|(_, agent)| agent);
        Ok(std::iter::once(AgentPath::root().to_string()).chain(children).collect())
    }

    /// The events of the agent at the path `agent`; the root's are the main conversation.
    ///
    /// # Errors
    ///
    /// When there is no such agent, or its file can't be read.
    pub fn trace(&self, agent: &str) -> Result<Trace, TraceError> {
        let is_root = agent == AgentPath::root().as_str();
        let path = if is_root {
            self.folder.join(EVENTS_FILE)
        } else {
            self.folder.join(TRACES).join(trace_name(agent))
        };
        if !is_root && !is_file(&path) {
            let known = self.agents()?.join(", ");
            return Err(TraceError::NoAgent { session: self.id.clone(), agent: shown(agent), known });
        }
        read(&path)
    }
}

fn sessions_folder(workspace: &Path) -> PathBuf {
    workspace.join(FOLDER).join(SESSIONS)
}

/// The names in a folder; none if there is no such folder.
fn entries(folder: &Path) -> Result<Vec<String>, TraceError> {
    let at = |source| TraceError::Io { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(at(error)),
    };
    let names = entries.map(|entry| Ok(entry.map_err(at)?.file_name()));
    // A name that is no text is none of ours.
    Ok(names.collect::<Result<Vec<_>, _>>()?.into_iter().filter_map(|name| name.into_string().ok()).collect())
}

/// Whether a regular file is there.
fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
}

/// Reads all events, up to what one can look at.
fn read(path: &Path) -> Result<Trace, TraceError> {
    let at = |source| TraceError::Io { path: path.to_owned(), source };
    let mut lines = Lines::open(path).map_err(at)?;
    let mut trace = Trace::default();
    let (mut number, mut bytes) = (0, 0_u64);
    while let Some((line, size)) = lines.next().map_err(at)? {
        number += 1;
        bytes = bytes.saturating_add(size);
        match line {
            Line::Event(event) => trace.events.push(*event),
            Line::Problem(error) => trace.problems.push((number, error)),
            Line::Torn => trace.is_torn = true,
        }
        if bytes > MAX_TRACE || trace.problems.len() > MAX_PROBLEMS {
            trace.is_cut = true;
            break;
        }
    }
    Ok(trace)
}

#[cfg(test)]
mod tests;
