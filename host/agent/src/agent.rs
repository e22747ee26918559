//! One agent, with everything that sets it apart from another.

use std::sync::Arc;
use std::time::Duration;

use remit_model::{Model, ToolSet, Usage};
use tokio_util::sync::CancellationToken;

use crate::agent_path::AgentPath;
use crate::approval::Broker;
use crate::budget::{Budget, Exhausted, Scope};
use crate::delegate::Delegation;
use crate::event::{EventKind, Events, SinkError};
use crate::inbox::Inbox;
use crate::ledger::Account;
use crate::outcome::Status;
use crate::patience::Patience;
use crate::prices::{Cost, Pricing};
use crate::roles::{Role, Roles, Rule};
use crate::toolbox::Toolbox;

/// What [`run_loop`](crate::run_loop) runs. Root and child differ in these fields and in nothing else.
pub struct Agent {
    /// Its place in the run.
    pub path: AgentPath,
    /// Its role.
    pub role: RoleRef,
    /// The system prompt.
    pub prompt: String,
    /// The tools that its model is told about.
    pub tools: ToolSet,
    /// The tools that there are for it.
    pub toolbox: Arc<dyn Toolbox>,
    /// Where it stops.
    pub budget: Budget,
    /// Whom it asks.
    pub model: Arc<dyn Model>,
    /// What that costs.
    pub pricing: Pricing,
    /// How patiently it asks.
    pub patience: Patience,
    /// What `task` does; without it there is no `task`.
    pub delegation: Option<Delegation>,
    /// Decides about what its role asks before.
    pub broker: Arc<Broker>,
    /// Where its events go.
    pub events: Arc<Events>,
    /// What the user says meanwhile; nothing for an agent that no user speaks to.
    pub inbox: Option<Arc<Inbox>>,
    /// Stops it, and every agent below it.
    pub cancel: CancellationToken,
}

/// A role, and the file that it stands in.
#[derive(Clone)]
pub struct RoleRef {
    roles: Arc<Roles>,
    role: Arc<Role>,
}

/// How an agent's loop ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// How.
    pub status: Status,
    /// The limit that ended it.
    pub exhausted: Option<Exhausted>,
    /// Why it is not completed, in a sentence.
    pub reason: Option<String>,
    /// Its last words, as the model said them.
    pub text: String,
    /// What the reader of its words should know.
    pub warnings: Vec<String>,
    /// Turns, the wrap-up included.
    pub turns: u64,
    /// Tokens, the wrap-up included, its children's not.
    pub usage: Usage,
    /// What they cost, where that is known.
    pub cost: Option<Cost>,
    /// Bytes of its messages.
    pub context_bytes: u64,
    /// Bytes of the tool results among them.
    pub result_bytes: u64,
    /// From its start to its end.
    pub duration: Duration,
    /// What it did and saw.
    pub(crate) account: Account,
}

impl Agent {
    /// Tells of something that happened to this agent.
    pub(crate) fn emit(&self, kind: EventKind) -> Result<(), SinkError> {
        self.events.emit(&self.path, kind)
    }
}

impl Ending {
    /// The ending of an agent that could not even begin.
    pub(crate) fn early(status: Status, reason: Option<String>) -> Ending {
        Ending {
            status,
            exhausted: None,
            reason,
            text: String::new(),
            warnings: Vec::new(),
            turns: 0,
            usage: Usage::default(),
            cost: None,
            context_bytes: 0,
            result_bytes: 0,
            duration: Duration::ZERO,
            account: Account::default(),
        }
    }

    /// The limit that ended it, by the name that reports use.
    pub fn limit(&self) -> Option<String> {
        self.exhausted.as_ref().map(Exhausted::limit)
    }

    /// The length of its life in milliseconds.
    pub fn duration_ms(&self) -> u64 {
        millis(self.duration)
    }
}

impl RoleRef {
    /// The role `role` of the file `roles`.
    pub fn new(roles: Arc<Roles>, role: &Role) -> RoleRef {
        RoleRef { roles, role: Arc::new(role.clone()) }
    }

    /// The role.
    pub fn get(&self) -> &Role {
        &self.role
    }

    /// The role's name.
    pub fn name(&self) -> &str {
        self.role.name()
    }

    /// Where the role's `key` stands, such as `roles.toml:12`.
    pub fn place(&self, key: &str) -> String {
        self.roles.place_of(&self.role, key)
    }

    /// Where the line `line` of its file is, such as `roles.toml:12`.
    pub fn place_of_line(&self, line: u32) -> String {
        format!("{}:{line}", self.roles.text().name())
    }

    /// That `rule` denies something to the role, and where it says so.
    pub fn denied_by(&self, rule: &Rule) -> String {
        format!("`{rule}` is denied to role `{}` ({})", self.name(), self.place_of_line(rule.line()))
    }

    /// What a limit that is used up is set to, and where.
    pub fn explain(&self, exhausted: &Exhausted) -> String {
        let Exhausted { scope, key, value } = exhausted;
        match scope {
            Scope::Agent => {
                format!("role `{}` has {key} = {value} ({})", self.name(), self.place(key))
            }
            Scope::Tree => {
                let place = match self.roles.budget_line_of(key) {
                    Some(line) => format!("{}:{line}", self.roles.text().name()),
                    None => format!("the default; set it in {}", self.roles.text().name()),
                };
                format!("[budget] has {key} = {value} ({place})")
            }
            Scope::Parent(path) => format!("{path} has {key} = {value}, and its children end within it"),
        }
    }
}

/// A duration in whole milliseconds.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
