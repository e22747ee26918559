//! One run: a prompt in, an outcome out.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::agent::{Ending, RoleRef, millis};
use crate::agent_path::AgentPath;
use crate::budget::{Budget, Tree};
use crate::crew::{Crew, StartError};
use crate::event::{EventKind, Events, SinkError};
use crate::models::Models;
use crate::outcome::{Figures, Outcome, Status};
use crate::prompt;
use crate::roles::{Narrowing, Roles, UnknownRole};
use crate::toolbox::ToolboxFactory;

/// What to run, and with what.
pub struct RunRequest {
    /// What the user asks.
    pub prompt: String,
    /// The role that answers.
    pub role: String,
    /// What every agent of the run has to keep to, in the user's words.
    pub pins: Vec<String>,
    /// Who the agents are.
    pub roles: Arc<Roles>,
    /// The directory that all paths are relative to.
    pub workspace: PathBuf,
    /// Makes each agent's tools.
    pub toolboxes: Arc<dyn ToolboxFactory>,
    /// Gives each agent its model.
    pub models: Arc<dyn Models>,
    /// Where the events go: the recorder first, then whoever watches.
    pub events: Arc<Events>,
    /// Stops the run.
    pub cancel: CancellationToken,
}

/// Why a run was not started.
#[derive(Debug, Error)]
pub enum RunError {
    /// The roles have no such role.
    #[error(transparent)]
    Role(#[from] UnknownRole),
    /// The role's tools or model can't be had.
    #[error(transparent)]
    Start(#[from] StartError),
}

/// Runs a prompt to its end.
///
/// # Errors
///
/// Only before anything was started. Whatever happens later is told by the [`Outcome`].
pub async fn run(request: RunRequest) -> Result<Outcome, RunError> {
    let tree = Tree::new(request.roles.budget().clone());
    let role = request.roles.require(&request.role)?;
    let role = RoleRef::new(request.roles.clone(), role);
    let RunRequest { prompt, pins, roles, workspace, toolboxes, models, events, cancel, .. } = request;
    let tally = Mutex::default();
    let crew = Arc::new(Crew { roles, workspace, pins, toolboxes, models, events, tree, tally });
    let narrowing = Narrowing::default();
    let parts = tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        parts = crew.parts(&role, &narrowing) => Some(parts?),
    };
    let root = AgentPath::root();
    let started = crew.events.emit(
        &root,
        EventKind::RunStarted {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            prompt: prompt.clone(),
            pins: crew.pins.clone(),
            role: role.name().to_owned(),
        },
    );
    let ending = match (started, parts) {
        (Err(error), _) => Ending::early(Status::Failed, Some(error.to_string())),
        (Ok(()), None) => Ending::early(Status::Cancelled, None),
        (Ok(()), Some(parts)) => {
            let budget = Budget::root(&crew.tree, crew.roles.limits_of(role.get()));
            let agent = crew.agent(root.clone(), role, narrowing, parts, budget, cancel);
            crew.start(&agent, prompt::first_message(&prompt, &crew.pins)).await.ending
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
    Outcome {
        status: ending.status,
        limit,
        reason: ending.reason,
        answer,
        warnings,
        unfinished,
        changes: ending.account.changes(&root),
        figures: Figures {
            turns: totals.turns,
            model_calls: totals.model_calls,
            tool_calls: totals.tool_calls,
            delegations: totals.delegations,
            usage: totals.usage,
            tokens_estimated: totals.tokens_estimated,
            root_usage: ending.usage,
            main_context_bytes: ending.context_bytes,
            kept_out_bytes,
            duration_ms: millis(crew.tree.started().elapsed()),
        },
    }
}
