use futures::future::BoxFuture;
use remit_pack::{inert, inert_line};
use remit_sandbox::Outward;
use serde::{Deserialize, Serialize};

use crate::ledger::{Change, Staged, origin};
use crate::report::bounded;
use crate::roles::EffectKind;

/// How much of a diff a question shows, in bytes: a few screens of it, and what an event may hold.
const MAX_DIFF_BYTES: usize = 64 * 1024;

/// How many files a question names.
const MAX_FILES: usize = 200;

/// How much of a task, and of a path, a question repeats, in bytes.
const MAX_TASK_BYTES: usize = 4 * 1024;
const MAX_PATH_BYTES: usize = 1024;

/// How much of a URL, and of one argument of a command, a question shows, in bytes, and how many arguments: what a person
/// can judge.
const MAX_URL_BYTES: usize = 8 * 1024;
const MAX_ARGUMENT_BYTES: usize = 8 * 1024;
const MAX_ARGUMENTS: usize = 200;

/// Who wants to do what. All of it is safe to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The agent's path, such as `root/editor#1`.
    pub agent: String,
    /// Its role.
    pub role: String,
    /// The tool.
    pub tool: String,
    /// What would be done.
    pub effect: Asked,
}

/// An effect, as a person is asked about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Asked {
    /// Files would be changed.
    Write {
        /// The files, the first some hundred of them.
        files: Vec<Change>,
        /// How many more there are.
        more: u64,
        /// The changes as a unified diff; a cut is marked.
        diff: String,
    },
    /// A request would be sent.
    Request {
        /// The method, such as `GET`.
        method: String,
        /// The URL, without secrets; a cut is marked.
        url: String,
    },
    /// A command would be run.
    Command {
        /// The program and its arguments; a cut is marked.
        argv: Vec<String>,
        /// Where, relative to the workspace; `.` is the workspace itself.
        directory: String,
    },
    /// An agent would be started.
    Delegate {
        /// Its role.
        role: String,
        /// Its task, as the asking agent worded it.
        task: String,
        /// Its tools, and what it could touch, in words.
        grants: String,
    },
}

/// What a person answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This once.
    Once,
    /// This and whatever this agent asks of the kind.
    Agent,
    /// This and whatever an agent of this role asks of the kind, until the run ends.
    Session,
    /// No, and why, for the model.
    No {
        /// In the person's words; may be empty.
        reason: String,
    },
}

/// How far a yes goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// For this effect.
    Once,
    /// For the agent's effects of this kind.
    Agent,
    /// For the role's effects of this kind, in this run.
    Session,
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// A person, just now.
    Person,
    /// A person, by an earlier answer that covers this.
    Earlier,
    /// A rule of the role.
    Rule,
    /// The run was told to answer every question so.
    Policy,
    /// There was nobody to ask.
    Nobody,
    /// The run was cancelled, or the time was over, before there was an answer.
    End,
}

/// Asks a person.
pub trait Approver: Send + Sync {
    /// Asks, and waits for as long as it takes. It is never asked a second question before the first is answered or given
    /// up; giving one up drops the future. Whatever is no clear yes is an [`Answer::No`].
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer>;
}

impl Asked {
    /// The changes of a call.
    pub(crate) fn write(changes: &dyn Staged) -> Asked {
        let files = changes.files();
        let named = files.iter().take(MAX_FILES).map(|file| Change {
            path: one_line(&file.path),
            from: file.from.as_deref().map(one_line),
            ..file.clone()
        });
        Asked::Write {
            files: named.collect(),
            more: files.len().saturating_sub(MAX_FILES) as u64,
            diff: inert(&changes.unified_diff(MAX_DIFF_BYTES)).into_owned(),
        }
    }

    /// What a call would do outside of the workspace.
    pub(crate) fn outward(effect: &Outward) -> Asked {
        match effect {
            Outward::Request { method, url } => {
                Asked::Request { method: one_line(method), url: inert_line(&bounded(url, MAX_URL_BYTES)) }
            }
            Outward::Command { argv, directory } => {
                let mut words: Vec<String> =
                    argv.iter().take(MAX_ARGUMENTS).map(|word| argument(word)).collect();
                if let Some(more @ 1..) = argv.len().checked_sub(MAX_ARGUMENTS) {
                    words.push(format!("[… and {more} more arguments]"));
                }
                Asked::Command { argv: words, directory: one_line(directory) }
            }
        }
    }

    /// A child that would be started.
    pub(crate) fn delegate(role: &str, task: &str, grants: &str) -> Asked {
        Asked::Delegate {
            role: role.to_owned(),
            task: bounded(task, MAX_TASK_BYTES),
            grants: inert(grants).into_owned(),
        }
    }

    /// What a yes that lasts is about beside the kind, in words; nothing if that is every effect of the kind.
    #[must_use]
    pub fn lasting(&self) -> Option<String> {
        match self {
            Asked::Write { .. } => None,
            Asked::Request { method, url } => Some(format!("{method} {}", origin(url))),
            Asked::Command { .. } => Some("this command".to_owned()),
            Asked::Delegate { role, .. } => Some(format!("delegating to {role}")),
        }
    }

    /// The kind of the effect.
    pub fn kind(&self) -> EffectKind {
        match self {
            Asked::Write { .. } => EffectKind::Write,
            Asked::Request { .. } => EffectKind::Network,
            Asked::Command { .. } => EffectKind::Command,
            Asked::Delegate { .. } => EffectKind::Delegate,
        }
    }
}

/// An argument as it is, spaces at its ends included.
fn argument(word: &str) -> String {
    let kept = &word[..word.floor_char_boundary(MAX_ARGUMENT_BYTES)];
    let cut = if kept.len() < word.len() { " […]" } else { "" };
    format!("{}{cut}", inert_line(kept))
}

fn one_line(path: &str) -> String {
    inert_line(&bounded(path, MAX_PATH_BYTES))
}
