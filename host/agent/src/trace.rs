//! Reads back what runs left in `.remit/sessions/`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::agent_path::AgentPath;
use crate::event::{Event, EventError, EventKind};
use crate::outcome::Status;
use crate::record::{EVENTS_FILE, FOLDER, LOCK_FILE, SESSIONS, TRACES, trace_name};
use crate::roles::{nearest, shown};

/// One run's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    id: String,
    folder: PathBuf,
}

/// What can be said of a run, or of a conversation, in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// What the user asked first; empty if the record does not say.
    pub prompt: String,
    /// When it began, in milliseconds since 1970 (UTC).
    pub time: u64,
    /// How it ended; nothing if it has not, or was killed.
    pub status: Option<Status>,
    /// Whether it is still going on.
    pub is_running: bool,
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
        _ => Err(TraceError::NoSession {
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
        let lock = OpenOptions::new().read(true).open(self.folder.join(LOCK_FILE));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(fs::TryLockError::WouldBlock)))
    }

    /// The run in a line.
    ///
    /// # Errors
    ///
    /// When its main file can't be read.
    pub fn summary(&self) -> Result<Summary, TraceError> {
        let events = self.trace(&AgentPath::root().to_string())?.events;
        let prompt = events.iter().find_map(|event| match &event.kind {
            EventKind::RunStarted { prompt, .. } => Some(prompt.clone()),
            _ => None,
        });
        // The last prompt's end, if it has one.
        let status = events.iter().rev().find_map(|event| match &event.kind {
            EventKind::Outcome(outcome) => Some(Some(outcome.status)),
            EventKind::RunStarted { .. } => Some(None),
            _ => None,
        });
        Ok(Summary {
            prompt: prompt.unwrap_or_default(),
            time: events.first().map_or(0, |event| event.time),
            status: status.flatten(),
            is_running: self.is_running(),
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
            if is_file(&path)
                && let Some(first) = read(&path, Some(1))?.events.into_iter().next()
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
        read(&path, None)
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

/// Whether a regular file is there. Nothing else is opened: a pipe would be waited for.
fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
}

/// Reads events, at most `most` lines.
fn read(path: &Path, most: Option<u64>) -> Result<Trace, TraceError> {
    let at = |source| TraceError::Io { path: path.to_owned(), source };
    let mut reader = BufReader::new(File::open(path).map_err(at)?);
    let mut trace = Trace::default();
    let mut line = Vec::new();
    for number in 1..=most.unwrap_or(u64::MAX) {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(at)? == 0 {
            break;
        }
        if line.pop_if(|last| *last == b'\n').is_none() {
            trace.is_torn = true;
            break;
        }
        match Event::from_line(&String::from_utf8_lossy(&line)) {
            Ok(event) => trace.events.push(event),
            Err(error) => trace.problems.push((number, error)),
        }
    }
    Ok(trace)
}

#[cfg(test)]
mod tests;
