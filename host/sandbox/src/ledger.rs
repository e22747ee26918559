//! What a call really did: the record that no component and no model can write.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

/// How many entries one call may have; the others are counted. Against a guest that opens files for the record's sake.
const MAX_ENTRIES: usize = 200_000;

/// How many refusals are kept; a component that probes a thousand paths needs no thousand lines.
const MAX_REFUSALS: usize = 64;

/// The record of one call. The gate writes it while the call runs, so it is whole however the call ends.
#[derive(Debug, Default)]
pub struct Ledger(Mutex<Book>);

#[derive(Debug)]
struct Book {
    max_entries: usize,
    lines: Vec<Line>,
    read: HashMap<Arc<str>, Arc<AtomicU64>>,
    listed: HashSet<Arc<str>>,
    refusals: usize,
    dropped: u64,
}

#[derive(Debug)]
enum Line {
    Read(Arc<str>, Arc<AtomicU64>),
    Listed(Arc<str>),
    Contacted { method: String, url: String, contact: Arc<Contact> },
    Other(Entry),
}

/// What became of a request so far.
#[derive(Debug, Default)]
pub(crate) struct Contact {
    /// 0 while there is none.
    status: AtomicU16,
    sent: AtomicU64,
    received: AtomicU64,
}

/// One effect. Paths are relative to the workspace, through no link; `.` is the workspace itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Entry {
    /// A file was opened for reading.
    Read {
        /// The file.
        path: String,
        /// How many bytes of it were handed over, repeated ones counted again.
        bytes: u64,
    },
    /// A directory was listed.
    Listed {
        /// The directory.
        path: String,
    },
    /// A file or directory was changed, and is so on disk.
    Changed {
        /// The file, or the directory.
        path: String,
        /// What became of it.
        kind: ChangeKind,
        /// Where it was before, if it was moved.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
        /// Lines that are there now and were not before.
        added: u64,
        /// Lines that were there before and are not now.
        removed: u64,
        /// The content before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<Version>,
        /// The content now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<Version>,
    },
    /// A request was sent, or a connection for it was at least tried.
    Contacted {
        /// The method, such as `GET`.
        method: String,
        /// The URL as the component gave it, without secrets.
        url: String,
        /// The status of the answer; nothing if there was none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// How many bytes of body were sent.
        sent: u64,
        /// How many bytes of the answer's body came.
        received: u64,
    },
    /// A command was run, and is at its end.
    Ran {
        /// The program and its arguments.
        argv: Vec<String>,
        /// Where, relative to the workspace; `.` is the workspace itself.
        directory: String,
        /// Its exit code; nothing if it was ended from outside, or by a signal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// What ended it, if it did not end by itself: `time`, `output`, `memory`, `processes`, `signal 9`, `cancelled`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ended_by: Option<String>,
        /// From its start to its end, in milliseconds.
        duration_ms: u64,
        /// How many bytes it printed to standard output and standard error together, what was not kept counted in.
        output_bytes: u64,
        /// What it ran without, where it could not be contained and the role allows that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        uncontained: Option<String>,
    },
    /// Something was tried and not done.
    Refused {
        /// What was tried: `read`, `list`, `look`, `write`, `request`, `run`.
        action: String,
        /// The path where it was found, or as the component wrote it where it was not; the method and URL of a request;
        /// the arguments of a command.
        path: String,
        /// Why, in words that name the rule.
        reason: String,
    },
}

impl Entry {
    /// What was refused, in words, such as ``read `.env`: hidden by the rule `.env*` ``; nothing if nothing was.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        match self {
            Self::Refused { action, path, reason } => Some(format!("{action} `{path}`: {reason}")),
            _ => None,
        }
    }
}

/// What became of a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Created,
    /// Its content is another.
    Modified,
    /// It is gone.
    Deleted,
    /// It is in another place, its content perhaps another too.
    Moved,
}

/// A file's content at one time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
}

impl Default for Book {
    fn default() -> Self {
        Self {
            max_entries: MAX_ENTRIES,
            lines: Vec::new(),
            read: HashMap::new(),
            listed: HashSet::new(),
            refusals: 0,
            dropped: 0,
        }
    }
}

impl Ledger {
    /// A ledger that keeps at most `max_entries` entries beside the changes, and counts the others.
    #[must_use]
    pub fn bounded(max_entries: usize) -> Self {
        Self(Mutex::new(Book { max_entries, ..Book::default() }))
    }

    /// What there is so far, in the order in which it happened. A file that was opened often, or a directory that was
    /// listed often, is there once.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let shown = |path: &str| if path.is_empty() { ".".to_owned() } else { path.to_owned() };
        let book = self.book();
        let entries = book.lines.iter().map(|line| match line {
            Line::Read(path, bytes) => {
                Entry::Read { path: path.to_string(), bytes: bytes.load(Ordering::Relaxed) }
            }
            Line::Listed(path) => Entry::Listed { path: shown(path) },
            Line::Contacted { method, url, contact } => contact.entry(method, url),
            Line::Other(entry) => entry.clone(),
        });
        entries.collect()
    }

    /// How many entries there was no room for.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.book().dropped
    }

    /// A file is opened for reading. What is read of it is added to the counter.
    pub(crate) fn read(&self, path: &str) -> Arc<AtomicU64> {
        let mut book = self.book();
        if let Some(bytes) = book.read.get(path) {
            return bytes.clone();
        }
        let (path, bytes) = (Arc::<str>::from(path), Arc::new(AtomicU64::new(0)));
        if book.push(|| Line::Read(path.clone(), bytes.clone())) {
            book.read.insert(path, bytes.clone());
        }
        bytes
    }

    pub(crate) fn listed(&self, path: &str) {
        let mut book = self.book();
        if book.listed.contains(path) {
            return;
        }
        let path = Arc::<str>::from(path);
        if book.push(|| Line::Listed(path.clone())) {
            book.listed.insert(path);
        }
    }

    pub(crate) fn refused(&self, action: &str, path: &str, reason: String) {
        let mut book = self.book();
        if book.refusals == MAX_REFUSALS {
            book.dropped += 1;
            return;
        }
        book.refusals += 1;
        let entry = Entry::Refused { action: action.to_owned(), path: path.to_owned(), reason };
        book.push(|| Line::Other(entry));
    }

    /// A request is about to be sent. How many there can be is limited elsewhere, so none is left out.
    pub(crate) fn contacted(&self, method: &str, url: &str) -> Arc<Contact> {
        let contact = Arc::new(Contact::default());
        let (method, url) = (method.to_owned(), url.to_owned());
        self.book().lines.push(Line::Contacted { method, url, contact: contact.clone() });
        contact
    }

    pub(crate) fn changed(&self, entry: Entry) {
        // What is on disk is never left out.
        self.book().lines.push(Line::Other(entry));
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contact {
    pub(crate) fn answered(&self, status: u16) {
        self.status.store(status, Ordering::Relaxed);
    }

    pub(crate) fn sent(&self, bytes: u64) {
        self.sent.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn received(&self, bytes: u64) {
        self.received.fetch_add(bytes, Ordering::Relaxed);
    }

    fn entry(&self, method: &str, url: &str) -> Entry {
        let status = self.status.load(Ordering::Relaxed);
        Entry::Contacted {
            method: method.to_owned(),
            url: url.to_owned(),
            status: (status != 0).then_some(status),
            sent: self.sent.load(Ordering::Relaxed),
            received: self.received.load(Ordering::Relaxed),
        }
    }
}

impl Book {
    fn push(&mut self, line: impl FnOnce() -> Line) -> bool {
        let has_room = self.lines.len() < self.max_entries;
        if has_room {
            self.lines.push(line());
        } else {
            self.dropped += 1;
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stands_once_with_all_that_was_read_of_it() {
        let ledger = Ledger::default();
        ledger.listed("");
        ledger.read("a").fetch_add(3, Ordering::Relaxed);
        ledger.read("a").fetch_add(4, Ordering::Relaxed);
        ledger.listed("");
        assert_eq!(
            ledger.entries(),
            [Entry::Listed { path: ".".into() }, Entry::Read { path: "a".into(), bytes: 7 }]
        );
    }

    #[test]
    fn what_there_is_no_room_for_is_counted_and_a_change_is_always_kept() {
        let ledger = Ledger::bounded(1);
        ledger.listed("");
        ledger.read("a");
        ledger.read("b");
        let change = Entry::Changed {
            path: "a".into(),
            kind: ChangeKind::Created,
            from: None,
            added: 1,
            removed: 0,
            before: None,
            after: None,
        };
        ledger.changed(change.clone());
        assert_eq!(ledger.entries(), [Entry::Listed { path: ".".into() }, change]);
        assert_eq!(ledger.dropped(), 2);
    }

    #[test]
    fn a_request_stands_there_from_its_beginning_and_in_a_full_ledger_too() {
        let ledger = Ledger::bounded(0);
        let contact = ledger.contacted("GET", "https://docs.rs/");
        let entry = |status, received| {
            let (method, url) = ("GET".to_owned(), "https://docs.rs/".to_owned());
            [Entry::Contacted { method, url, status, sent: 3, received }]
        };
        contact.sent(3);
        assert_eq!(ledger.entries(), entry(None, 0));
        contact.answered(200);
        contact.received(7);
        assert_eq!(ledger.entries(), entry(Some(200), 7));
    }

    #[test]
    fn a_storm_of_refusals_is_counted_and_not_kept() {
        let ledger = Ledger::default();
        for number in 0..1000 {
            ledger.refused("read", &number.to_string(), "no".into());
        }
        assert_eq!((ledger.entries().len() as u64, ledger.dropped()), (64, 936));
    }
}
