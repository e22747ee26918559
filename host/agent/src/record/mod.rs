//! The files that a run leaves: `.remit/sessions/<id>/`.
//!
//! `events.jsonl` holds the main conversation and `traces/<agent>.jsonl` each child's own, one event a line. A line is
//! handed to the operating system before what it tells of is acted on, so that a process that is killed loses at most the
//! line that it was writing.

mod session_id;

use std::collections::HashMap;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;

use crate::event::{Event, EventKind, EventSink, SinkError};

/// The folder in a workspace that holds what remit keeps there. No role sees it.
pub const FOLDER: &str = ".remit";
pub(crate) const SESSIONS: &str = "sessions";
pub(crate) const EVENTS_FILE: &str = "events.jsonl";
pub(crate) const TRACES: &str = "traces";
pub(crate) const LOCK_FILE: &str = "lock";

/// How many names are tried for a session before the attempt is given up. Stops a loop where nothing can be made.
const MAX_NAMES: u32 = 1000;

/// Writes the events of one run. Nobody else writes to its session while it lives.
pub struct Recorder {
    id: String,
    folder: PathBuf,
    files: Mutex<Files>,
    /// Locked for as long as the recorder lives, and by the operating system's doing no longer than the process.
    _lock: File,
}

struct Files {
    open: HashMap<String, File>,
    /// The first failure. After it nothing is written: a line behind a torn one could not be told from it.
    broken: Option<SinkError>,
}

/// Why a run can't be recorded.
#[derive(Debug, Error)]
pub enum RecordError {
    /// Something else than a folder is where a folder must be. A link is not followed: it may come with a cloned
    /// repository.
    #[error("{} is not a folder; remit keeps its records there: remove or rename it", .0.display())]
    NotAFolder(PathBuf),
    /// The file system refused.
    #[error("cannot record to {}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process writes to this session.
    #[error(
        "session {id} is being written by process {holder}; wait for it to end, or start another session"
    )]
    Locked {
        /// The session.
        id: String,
        /// The process's number, as it noted it itself.
        holder: String,
    },
}

impl Recorder {
    /// Makes a session of its own for one run in the workspace `workspace`, and what of `.remit` there is not yet: a
    /// folder that only its owner can read, and that git ignores.
    ///
    /// # Errors
    ///
    /// See [`RecordError`].
    pub fn create(workspace: &Path) -> Result<Recorder, RecordError> {
        let home = workspace.join(FOLDER);
        folder(&home)?;
        let ignore = home.join(".gitignore");
        match create_file(&ignore).and_then(|mut file| file.write_all(b"*\n")) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(at(&ignore)(error)),
            _ => {}
        }
        let sessions = home.join(SESSIONS);
        folder(&sessions)?;
        let base = session_id::now();
        for attempt in 1..MAX_NAMES {
            let id = if attempt == 1 { base.clone() } else { format!("{base}-{attempt}") };
            let path = sessions.join(&id);
            if make_folder(&path).map_err(at(&path))? {
                return Recorder::open(path, id);
            }
        }
        Err(at(&sessions)(io::Error::new(ErrorKind::AlreadyExists, "no free name for a session")))
    }

    /// Takes the session whose folder is `folder` for this process.
    fn open(folder: PathBuf, id: String) -> Result<Recorder, RecordError> {
        let lock = lock(&folder, &id)?;
        let traces = folder.join(TRACES);
        make_folder(&traces).map_err(at(&traces))?;
        let files = Files { open: HashMap::new(), broken: None };
        Ok(Recorder { id, folder, files: Mutex::new(files), _lock: lock })
    }

    /// The session's id: when it began (UTC), such as `20260731-142501`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The session's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn append(&self, files: &mut Files, event: &Event) -> Result<(), SinkError> {
        let path = self.file_of(&event.agent);
        let said =
            |why: &dyn std::fmt::Display| SinkError(format!("cannot record to {}: {why}", path.display()));
        let mut line = event.to_line().map_err(|why| said(&why))?;
        line.push('\n');
        if !files.open.contains_key(&event.agent) {
            let file = create_file(&path).map_err(|why| said(&why))?;
            files.open.insert(event.agent.clone(), file);
        }
        let Some(file) = files.open.get_mut(&event.agent) else { return Ok(()) };
        // One write a line, with no buffer behind it: what returns has been handed over.
        file.write_all(line.as_bytes()).map_err(|why| said(&why))?;
        // A child's last event: a long conversation has more children than a process has files.
        if matches!(event.kind, EventKind::AgentFinished { .. }) && event.agent.contains('/') {
            files.open.remove(&event.agent);
        }
        Ok(())
    }

    /// The file of the agent at the path `agent`. A role's name can hold neither `.` nor `#`, so no two paths share one.
    fn file_of(&self, agent: &str) -> PathBuf {
        match agent.split_once('/') {
            None => self.folder.join(EVENTS_FILE),
            Some(_) => self.folder.join(TRACES).join(trace_name(agent)),
        }
    }
}

impl EventSink for Recorder {
    fn accept(&self, event: &Arc<Event>) -> Result<(), SinkError> {
        if matches!(event.kind, EventKind::TextDelta { .. }) {
            return Ok(());
        }
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = &files.broken {
            return Err(error.clone());
        }
        let recorded = self.append(&mut files, event);
        if let Err(error) = &recorded {
            files.broken = Some(error.clone());
        }
        recorded
    }
}

/// The name of the file that holds the events of the child at the path `agent`.
pub(crate) fn trace_name(agent: &str) -> String {
    format!("{}.jsonl", agent.replace('/', "."))
}

fn lock(folder: &Path, id: &str) -> Result<File, RecordError> {
    let path = folder.join(LOCK_FILE);
    let mut options = OpenOptions::new();
    let mut file = options
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(at(&path))?;
    match file.try_lock() {
        Ok(()) => {
            file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())).map_err(at(&path))?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let holder = io::read_to_string(&mut file).unwrap_or_default();
            let holder = if holder.is_empty() { "unknown".to_owned() } else { holder };
            Err(RecordError::Locked { id: id.to_owned(), holder })
        }
        Err(TryLockError::Error(source)) => Err(RecordError::Io { path, source }),
    }
}

/// Sees to it that `path` is a folder.
fn folder(path: &Path) -> Result<(), RecordError> {
    if make_folder(path).map_err(at(path))? {
        return Ok(());
    }
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(RecordError::NotAFolder(path.to_owned())),
        Err(source) => Err(RecordError::Io { path: path.to_owned(), source }),
    }
}

/// Makes a folder for its owner alone; `false` if something has its name.
fn make_folder(path: &Path) -> io::Result<bool> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)
}

fn at(path: &Path) -> impl Fn(io::Error) -> RecordError + use<> {
    let path = path.to_owned();
    move |source| RecordError::Io { path: path.clone(), source }
}

#[cfg(test)]
mod tests;
