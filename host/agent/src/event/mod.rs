//! What happens in a run, as one versioned stream: the live view, `--json` and the files that a run leaves are all made
//! of these events and nothing else.

mod bus;
mod line;

use remit_model::{StopReason, ToolCall, Usage};
use serde::{Deserialize, Serialize};

pub use bus::{ChannelSink, EventSink, Events, SinkError};
pub use line::{EventError, VERSION};

use crate::approval::{Asked, Decider, Scope};
use crate::ledger::{Change, Entry};
use crate::notes::NoteRecord;
use crate::outcome::{Outcome, Status};
use crate::prices::Cost;
use crate::report::Report;

/// One thing that happened.
///
/// As a line it is compact JSON: `{"v":1,"seq":…,"time":…,"agent":"root/explorer#1","kind":"…",…}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Counts the events of a run from 1. In a file that holds one agent's events, there are gaps.
    pub seq: u64,
    /// When, in milliseconds since 1970 (UTC).
    pub time: u64,
    /// The path of the agent that it happened to.
    pub agent: String,
    /// What.
    pub kind: EventKind,
}

/// What happened. A reader skips fields and kinds that it does not know.
///
/// Prompts, replies, arguments and tasks are as they came: they are made inert before they are shown on a terminal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EventKind {
    /// The first event of a run. A conversation is one run after the other, a prompt each.
    RunStarted {
        /// The version of remit.
        version: String,
        /// What the user asked.
        prompt: String,
        /// What the user wants every agent to keep to.
        pins: Vec<String>,
        /// The root's role.
        role: String,
    },
    /// An agent's loop begins. Its messages are `first_message` and what follows.
    AgentStarted {
        /// Its role.
        role: String,
        /// Its model, such as `openai:gpt-5`.
        model: String,
        /// What to know about the model, such as that it is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// The tools that its model is told about, by their wire names.
        tools: Vec<String>,
        /// What it can touch, in words.
        grants: String,
        /// The system prompt.
        system: String,
        /// The user's prompt, or the assignment.
        first_message: String,
        /// How many messages of earlier prompts come before it.
        #[serde(default, skip_serializing_if = "is_zero")]
        earlier: u64,
    },
    /// The project's notes stand in the agent's prompt.
    Notes {
        /// The files, the farthest first.
        notes: Vec<NoteRecord>,
    },
    /// The user said something while the agent worked. It waits.
    InputQueued {
        /// The words.
        text: String,
    },
    /// What the user said and pinned meanwhile is in the agent's messages, behind the results of a turn.
    InputTaken {
        /// The message.
        text: String,
    },
    /// A model is asked.
    ModelRequest {
        /// How many messages it is shown.
        messages: u64,
        /// Their text, in bytes.
        bytes: u64,
        /// Whether this is the last turn of an agent that is out of budget.
        #[serde(default, skip_serializing_if = "is_false")]
        wrap_up: bool,
    },
    /// A part of a reply, as it comes. Only for whoever watches: it is in no file.
    TextDelta {
        /// The part.
        text: String,
    },
    /// A model did not answer, or broke off, and will be asked the same again. No tool has run since it was asked. What was
    /// shown of its reply, if anything, is void: the reply begins anew.
    ModelRetry {
        /// How often it was asked so far.
        attempt: u32,
        /// What came of it.
        reason: String,
        /// How long it is waited for, in milliseconds.
        wait_ms: u64,
    },
    /// A reply is complete. Nothing of it has been acted on.
    ModelReply {
        /// Its words.
        text: String,
        /// The calls that it asks for.
        calls: Vec<CallRecord>,
        /// What the provider counted; zeros where it said nothing.
        usage: Usage,
        /// How much the model thought before, in bytes of what its provider sent of it. What it thought is in no event.
        #[serde(default, skip_serializing_if = "is_zero")]
        thinking_bytes: u64,
        /// Why it ended.
        stop: StopReason,
    },
    /// A call is about to be made.
    ToolStarted {
        /// The call, as in [`CallRecord::id`].
        call_id: String,
        /// The tool, such as `files.read_file`.
        tool: String,
        /// The arguments as the model sent them.
        arguments: String,
    },
    /// A call has ended well, and would change files. None of it is on the disk yet, and if none of it may be, it never is.
    Staged {
        /// The call.
        call_id: String,
        /// The tool.
        tool: String,
        /// The files, the first some thousand of them.
        files: Vec<Change>,
        /// How many more there are.
        #[serde(default, skip_serializing_if = "is_none")]
        more: u64,
    },
    /// A person is asked before an effect. Until there is an answer, nothing of it happens.
    Question {
        /// The call.
        call_id: String,
        /// The tool.
        tool: String,
        /// The role of the agent that asks.
        role: String,
        /// The effect.
        question: Asked,
    },
    /// An effect may be, or may not. Without a [`Question`](EventKind::Question) before it, nobody had to be asked, or could
    /// be.
    Answer {
        /// The call.
        call_id: String,
        /// Whether it may.
        granted: bool,
        /// Who decided.
        by: Decider,
        /// How far a person's yes goes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<Scope>,
        /// A person's word to a no, or the rule that decided.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// What a call did, and was refused, as the host saw it. It comes before the call's result, also of a call that was
    /// stopped; a call that did nothing has none.
    Effects {
        /// The call.
        call_id: String,
        /// The tool.
        tool: String,
        /// What it did, in order, the first some thousand entries.
        effects: Vec<Entry>,
        /// How many more there are.
        #[serde(default, skip_serializing_if = "is_none")]
        more: u64,
    },
    /// A call has its result. Without a [`ToolStarted`](EventKind::ToolStarted) before it, it was turned down and never
    /// made.
    ToolFinished {
        /// The call.
        call_id: String,
        /// The tool; what the model called it, if there is no such tool.
        tool: String,
        /// Whether the result is an error.
        is_error: bool,
        /// The first line of the result, shortened.
        summary: String,
        /// The result as it entered the agent's messages.
        text: String,
        /// How long `text` is.
        bytes: u64,
        /// Whether more was there than `text` holds.
        #[serde(default, skip_serializing_if = "is_false")]
        cut: bool,
        /// How long the call took, in milliseconds.
        duration_ms: u64,
        /// What the component printed, bounded; the model never sees it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        printed: String,
        /// What the component tried and was refused.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        refusals: Vec<String>,
    },
    /// A child was given an assignment.
    Delegated {
        /// The `task` call.
        call_id: String,
        /// The child's path.
        child: String,
        /// The child's role.
        role: String,
        /// The task, as the parent worded it.
        task: String,
    },
    /// A child's report came back.
    Report {
        /// The `task` call.
        call_id: String,
        /// The report, as its parent is shown it.
        report: Report,
    },
    /// Something that the user should know.
    Warning {
        /// What.
        text: String,
    },
    /// A limit was reached.
    Budget {
        /// Which, such as `max_turns` or `budget.max_tokens`.
        limit: String,
        /// What that means here.
        text: String,
    },
    /// An agent's loop has ended.
    AgentFinished {
        /// How.
        status: Status,
        /// The limit that ended it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<String>,
        /// Why, if not completed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// How many turns it took, the wrap-up included.
        turns: u64,
        /// Its own tokens, those of its children not included.
        usage: Usage,
        /// What they cost by the user's prices, in dollars; nothing where its model has no price.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<Cost>,
        /// How long it took, in milliseconds.
        duration_ms: u64,
    },
    /// The last event of a run.
    Outcome(Outcome),
    /// A kind that a newer version of this program wrote. Only ever read.
    #[serde(other)]
    Unknown,
}

/// A call as the model asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRecord {
    /// Its id, unique in the agent's messages.
    pub id: String,
    /// The tool's name as the model gave it.
    pub name: String,
    /// The arguments as the model sent them.
    pub arguments: String,
}

impl From<&ToolCall> for CallRecord {
    fn from(call: &ToolCall) -> CallRecord {
        CallRecord { id: call.id.clone(), name: call.name.clone(), arguments: call.arguments.clone() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_none(value: &u64) -> bool {
    *value == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}
