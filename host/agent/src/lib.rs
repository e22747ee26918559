//! Agents: who they are, what they may use, and how they work.
//!
//! A run begins with [`run`], a [`Conversation`] with its first prompt: the root agent gets it, and [`run_loop`] asks its model, makes the calls that
//! the model asks for, and goes on until there are none. An agent whose role has delegates is offered `task`, which runs
//! the same loop for a child with four other arguments: a prompt, a tool set, a [`Toolbox`] and a [`Budget`]. The child's
//! messages begin with its assignment and end with a [`Report`], which is all that its parent sees of it.
//!
//! Who the agents are is said in `roles.toml` ([`roles`]). What they do is told by [`Event`]s, which a [`Recorder`] keeps
//! and [`trace`] reads back.

mod agent;
mod agent_path;
mod approval;
mod budget;
mod conversation;
mod crew;
mod delegate;
mod event;
mod inbox;
mod ledger;
mod models;
mod notes;
mod outcome;
mod patience;
mod prices;
mod prompt;
mod record;
mod report;
pub mod roles;
mod run;
mod run_loop;
mod sandbox_toolbox;
mod toolbox;
pub mod trace;
pub mod trust;

pub use agent::{Agent, Ending, RoleRef};
pub use agent_path::AgentPath;
pub use approval::{Answer, Approver, Asked, Broker, Decider, Policy, Question, Scope as AnswerScope};
pub use budget::{Budget, Exhausted, Scope, Tree};
pub use conversation::{Conversation, Setup};
pub use crew::StartError;
pub use delegate::{Delegation, TaskArguments, TaskError};
pub use event::{
    CallRecord, ChannelSink, Event, EventError, EventKind, EventSink, Events, SinkError,
    VERSION as EVENT_VERSION,
};
pub use inbox::Inbox;
pub use ledger::{
    CallLedger, Change, ChangeKind, EffectSource, Entry, HostUse, NetChange, Staged, Verification, Version,
};
pub use models::{ChosenModels, Models};
pub use notes::{NoteRecord, Notes, NotesError};
pub use outcome::{Figures, Outcome, Status, Unfinished};
pub use patience::Patience;
pub use prices::{Cost, PRICES_FILE, Price, Prices, PricesError, Pricing};
pub use record::{FOLDER, RecordError, Recorder};
pub use remit_sandbox::{Consent, Outward, Petition};
pub use report::{ClaimedRun, Evidence, Findings, Observed, Report};
pub use run::{RunError, RunRequest, run};
pub use run_loop::run_loop;
pub use sandbox_toolbox::{PluginError, SandboxToolboxes, plugin_sources};
pub use toolbox::{CallLimits, CallTerms, ToolInfo, ToolOutcome, Toolbox, ToolboxError, ToolboxFactory};
