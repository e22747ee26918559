//! A conversation: one transcript over many prompts.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use remit_model::Transcript;
use tokio_util::sync::CancellationToken;

use crate::agent::{Ending, RoleRef, millis};
use crate::agent_path::AgentPath;
use crate::approval::Broker;
use crate::budget::{Budget, Tree};
use crate::crew::{Crew, Numbers};
use crate::event::{EventKind, Events, SinkError};
use crate::inbox::Inbox;
use crate::models::Models;
use crate::notes::Notes;
use crate::outcome::{Figures, Outcome, Status};
use crate::roles::{Authority, Narrowing, Roles};
use crate::run::RunError;
use crate::toolbox::{Toolbox, ToolboxFactory};

/// Who works, with what, and who is told.
pub struct Setup {
    /// The role that answers.
    pub role: String,
    /// What every agent has to keep to, in the user's words.
    pub pins: Vec<String>,
    /// What the project says about itself, for the agent that answers.
    pub notes: Notes,
    /// Who the agents are.
    pub roles: Arc<Roles>,
    /// The directory that all paths are relative to.
    pub workspace: PathBuf,
    /// Makes each agent's tools.
    pub toolboxes: Arc<dyn ToolboxFactory>,
    /// Gives each agent its model.
    pub models: Arc<dyn Models>,
    /// Decides about what roles ask before.
    pub broker: Arc<Broker>,
    /// Where the events go: the recorder first, then whoever watches.
    pub events: Arc<Events>,
}

/// One transcript, one count of agents and one record over all prompts; a budget for each.
///
/// What was said stays as it is and comes first in every later request, whatever ended the prompt before: a call that was
/// cut short has its one result, which says so.
pub struct Conversation {
    setup: Setup,
    role: RoleRef,
    inbox: Arc<Inbox>,
    numbers: Arc<Numbers>,
    /// Made at the first prompt and kept: the tools that a model is told about are the same at every one.
    toolbox: Option<Arc<dyn Toolbox>>,
    transcript: Transcript,
}

impl Conversation {
    /// A conversation in which nothing has been said.
    ///
    /// # Errors
    ///
    /// When there is no such role.
    pub fn new(setup: Setup) -> Result<Conversation, RunError> {
        let role = RoleRef::new(setup.roles.clone(), setup.roles.require(&setup.role)?);
        let inbox = Inbox::new(setup.events.clone(), setup.pins.clone());
        let (numbers, transcript) = (Arc::default(), Transcript::new());
        Ok(Conversation { setup, role, inbox, numbers, toolbox: None, transcript })
    }

    /// Where to put what the user says while a prompt is worked on.
    pub fn inbox(&self) -> Arc<Inbox> {
        self.inbox.clone()
    }

    /// From the next prompt on, agents ask these models.
    pub fn ask_others(&mut self, models: Arc<dyn Models>) {
        self.setup.models = models;
    }

    /// Works on a prompt to its end, or until `cancel` is cancelled.
    ///
    /// # Errors
    ///
    /// Only before anything was started. Whatever happens later is told by the [`Outcome`].
    pub async fn prompt(&mut self, prompt: &str, cancel: CancellationToken) -> Result<Outcome, RunError> {
        let crew = self.crew();
        crew.check_prices(&self.role)?;
        let narrowing = Narrowing::default();
        let toolbox = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            toolbox = self.toolbox(&crew, &narrowing) => Some(toolbox?),
        };
        let model = crew.model(&self.role)?;
        let root = AgentPath::root();
        let ending = match (self.announce(&root, prompt), toolbox) {
            (Err(error), _) => Ending::early(Status::Failed, Some(error.to_string())),
            (Ok(()), None) => Ending::early(Status::Cancelled, None),
            (Ok(()), Some(toolbox)) => {
                let budget = Budget::root(&crew.tree, crew.roles.limits_of(self.role.get()));
                let parts = (toolbox, model);
                let mut agent = crew.agent(root.clone(), self.role.clone(), narrowing, parts, budget, cancel);
                self.setup.notes.add_to(&mut agent.prompt);
                agent.inbox = Some(self.inbox.clone());
                let message = self.inbox.message(prompt);
                crew.start(&agent, &mut self.transcript, message).await.ending
            }
        };
        let mut outcome = outcome(&crew, ending);
        if let Err(SinkError(error)) = crew.events.emit(&root, EventKind::Outcome(outcome.clone())) {
            // An end that could not be recorded is not passed off as one that was.
            outcome.status = Status::Failed;
            outcome.reason.get_or_insert(error);
        }
        Ok(outcome)
    }

    /// What the agents of one prompt share.
    fn crew(&self) -> Arc<Crew> {
        let setup = &self.setup;
        Arc::new(Crew {
            roles: setup.roles.clone(),
            workspace: setup.workspace.clone(),
            inbox: self.inbox.clone(),
            numbers: self.numbers.clone(),
            toolboxes: setup.toolboxes.clone(),
            models: setup.models.clone(),
            broker: setup.broker.clone(),
            events: setup.events.clone(),
            tree: Tree::new(setup.roles.budget().clone()),
            tally: Mutex::default(),
        })
    }

    async fn toolbox(&mut self, crew: &Crew, narrowing: &Narrowing) -> Result<Arc<dyn Toolbox>, RunError> {
        if let Some(toolbox) = &self.toolbox {
            return Ok(toolbox.clone());
        }
        let authority = Authority::of(&self.setup.roles, self.role.get(), narrowing);
        let toolbox = crew.toolbox(&self.role, &authority).await?;
        Ok(self.toolbox.insert(toolbox).clone())
    }

    /// Records what is begun, and with which notes.
    fn announce(&self, root: &AgentPath, prompt: &str) -> Result<(), SinkError> {
        let setup = &self.setup;
        setup.events.emit(
            root,
            EventKind::RunStarted {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                prompt: prompt.to_owned(),
                pins: self.inbox.pins(),
                role: self.role.name().to_owned(),
            },
        )?;
        match setup.notes.records() {
            notes if self.transcript.is_empty() && !notes.is_empty() => {
                setup.events.emit(root, EventKind::Notes { notes })
            }
            _ => Ok(()),
        }
    }
}

fn outcome(crew: &Crew, ending: Ending) -> Outcome {
    let (unfinished, kept_out_bytes) = crew.gathered();
    let totals = crew.tree.totals();
    let limit = ending.limit();
    let mut answer = remit_pack::inert(ending.text.trim()).into_owned();
    if !unfinished.is_empty() {
        if !answer.is_empty() {
            answer.push_str("\n\n");
        }
        let lines: Vec<String> = unfinished.iter().map(|child| format!("! {child}")).collect();
        answer.push_str(&lines.join("\n"));
    }
    let root = AgentPath::root();
    let mut warnings = ending.warnings;
    warnings.extend(ending.account.refusals());
    warnings.extend(ending.account.nothing_changed());
    Outcome {
        status: ending.status,
        limit,
        reason: ending.reason,
        answer,
        warnings,
        unfinished,
        changes: ending.account.changes(&root),
        verification: ending.account.verification(&root),
        hosts: ending.account.hosts(),
        figures: Figures {
            turns: totals.turns,
            model_calls: totals.model_calls,
            tool_calls: totals.tool_calls,
            delegations: totals.delegations,
            usage: totals.usage,
            tokens_estimated: totals.tokens_estimated,
            cost: totals.cost,
            cost_partial: totals.cost.is_some() && totals.unpriced,
            root_usage: ending.usage,
            main_context_bytes: ending.context_bytes,
            kept_out_bytes,
            duration_ms: millis(crew.tree.started().elapsed()),
        },
    }
}
