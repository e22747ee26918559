//! What all agents of one run share, and how each of them is put together.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use remit_model::{Message, Model, ModelError, ToolSet, ToolSpec, Transcript};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, Ending, RoleRef};
use crate::agent_path::AgentPath;
use crate::approval::Broker;
use crate::budget::{Budget, Tree};
use crate::delegate::Delegation;
use crate::event::{EventKind, Events};
use crate::inbox::Inbox;
use crate::models::Models;
use crate::outcome::{Status, Unfinished};
use crate::prices::Pricing;
use crate::prompt;
use crate::report::Findings;
use crate::roles::{Authority, NarrowError, Narrowing, Roles, shown};
use crate::run_loop::run_loop;
use crate::toolbox::{Toolbox, ToolboxError, ToolboxFactory};

/// What all agents of one run share.
pub(crate) struct Crew {
    pub(crate) roles: Arc<Roles>,
    pub(crate) workspace: PathBuf,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) numbers: Arc<Numbers>,
    pub(crate) toolboxes: Arc<dyn ToolboxFactory>,
    pub(crate) models: Arc<dyn Models>,
    pub(crate) broker: Arc<Broker>,
    pub(crate) events: Arc<Events>,
    pub(crate) tree: Arc<Tree>,
    pub(crate) tally: Mutex<Tally>,
}

/// What is gathered while a run goes on.
#[derive(Default)]
pub(crate) struct Tally {
    unfinished: Vec<Unfinished>,
    kept_out_bytes: u64,
}

/// How many children of each role each agent had, so that no path is used twice.
#[derive(Default)]
pub(crate) struct Numbers(Mutex<HashMap<String, u64>>);

impl Numbers {
    /// The path of the next child of `parent` with the role `role`.
    pub(crate) fn next_child(&self, parent: &AgentPath, role: &str) -> AgentPath {
        let mut numbers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = numbers.entry(format!("{parent}/{role}")).or_default();
        *number += 1;
        parent.child(role, *number)
    }
}

/// What an agent is given by its role.
pub(crate) type Parts = (Arc<dyn Toolbox>, Arc<dyn Model>);

/// An agent that has ended.
pub(crate) struct Ended {
    pub(crate) ending: Ending,
    /// What it said, each place with whether it was seen. Of the root, nothing: its words are the answer.
    pub(crate) findings: Findings,
    /// The agents below it that did not complete.
    pub(crate) below: Vec<Unfinished>,
}

/// Why an agent can't be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// Its tools can't be had.
    #[error("role `{role}` can't be started: {source}")]
    Toolbox {
        /// The role.
        role: String,
        /// Why.
        source: ToolboxError,
    },
    /// Its model can't be had.
    #[error("role `{role}` can't be started: {source}")]
    Model {
        /// The role.
        role: String,
        /// Why.
        source: ModelError,
    },
    /// Its cost is limited, and what its model costs is not known.
    #[error(
        "role `{role}` can't be started: its cost is limited ({place}), and {file} has no price of `{model}`\n  \
         help: add [prices.\"{model}\"] with `input` and `output` in dollars for a million tokens, or remove the limit"
    )]
    Price {
        /// The role.
        role: String,
        /// Its model.
        model: String,
        /// The line of the limit.
        place: String,
        /// Where prices stand.
        file: String,
    },
}

impl Crew {
    pub(crate) fn roles(&self) -> &Roles {
        &self.roles
    }

    pub(crate) fn pins(&self) -> Vec<String> {
        self.inbox.pins()
    }

    pub(crate) fn role(&self, name: &str) -> Option<RoleRef> {
        self.roles.get(name).map(|role| RoleRef::new(self.roles.clone(), role))
    }

    pub(crate) fn narrow(
        &self,
        from: &Narrowing,
        role: &RoleRef,
        (paths, hosts): (Option<&[String]>, Option<&[String]>),
    ) -> Result<Narrowing, NarrowError> {
        let mut narrowing = from.clone();
        if let Some(paths) = paths {
            narrowing = narrowing.narrow(&self.roles, role.get(), paths, self.workspace())?;
        }
        if let Some(hosts) = hosts {
            narrowing = narrowing.narrow_hosts(&self.roles, role.get(), hosts)?;
        }
        Ok(narrowing)
    }

    fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// The tools and the model of an agent. Only the components that the role's tools belong to are loaded for it.
    pub(crate) async fn parts(&self, role: &RoleRef, narrowing: &Narrowing) -> Result<Parts, StartError> {
        let authority = Authority::of(&self.roles, role.get(), narrowing);
        Ok((self.toolbox(role, &authority).await?, self.model(role)?))
    }

    /// The tools of an agent.
    pub(crate) async fn toolbox(
        &self,
        role: &RoleRef,
        authority: &Authority,
    ) -> Result<Arc<dyn Toolbox>, StartError> {
        let toolbox = self.toolboxes.make(role, authority).await;
        toolbox.map_err(|source| StartError::Toolbox { role: role.name().to_owned(), source })
    }

    /// The model of an agent.
    pub(crate) fn model(&self, role: &RoleRef) -> Result<Arc<dyn Model>, StartError> {
        let model = self.models.of(role.get());
        let model = model.map_err(|source| StartError::Model { role: role.name().to_owned(), source })?;
        self.check_price(role, model.id())?;
        Ok(model)
    }

    /// A limit on cost needs to know what the model costs.
    fn check_price(&self, role: &RoleRef, model: &str) -> Result<(), StartError> {
        let place = match self.roles.limits_of(role.get()).max_cost {
            Some(_) => role.place("max_cost"),
            None if self.roles.budget().max_cost.is_some() => {
                let line = self.roles.budget_line_of("max_cost").unwrap_or(1);
                role.place_of_line(line)
            }
            None => return Ok(()),
        };
        let prices = self.models.prices();
        match prices.of(model) {
            Pricing::Unknown => Err(StartError::Price {
                role: role.name().to_owned(),
                model: shown(model),
                place,
                file: prices.place(),
            }),
            Pricing::Listed(_) | Pricing::Free => Ok(()),
        }
    }

    /// Whether every role that an agent of `role` may start, at any depth, has a price where it needs one. Whatever else keeps
    /// a model from being used is told when it is needed.
    pub(crate) fn check_prices(&self, role: &RoleRef) -> Result<(), StartError> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![role.name().to_owned()]);
        while let Some(name) = open.pop() {
            let Some(role) = self.role(&name).filter(|_| seen.insert(name)) else { continue };
            if let Ok(model) = self.models.of(role.get()) {
                self.check_price(&role, model.id())?;
            }
            open.extend(role.get().delegates().map(str::to_owned));
        }
        Ok(())
    }

    /// Puts an agent together. Its model is told about its toolbox's tools, and about `task` if it may still start
    /// somebody, and about nothing else.
    pub(crate) fn agent(
        self: &Arc<Self>,
        path: AgentPath,
        role: RoleRef,
        narrowing: Narrowing,
        parts: Parts,
        budget: Budget,
        cancel: CancellationToken,
    ) -> Agent {
        let (toolbox, model) = parts;
        let may_delegate = budget.depth() > 0 && budget.limits().max_delegations > 0;
        let delegation = if may_delegate { Delegation::of(self, role.get(), &narrowing) } else { None };
        let mut specs: Vec<ToolSpec> = toolbox
            .tools()
            .iter()
            .map(|tool| ToolSpec {
                name: tool.wire_name.clone(),
                description: tool.description.clone(),
                input_schema: tool.input_schema.clone(),
            })
            .collect();
        specs.extend(delegation.as_ref().map(Delegation::spec));
        let has_tools = !toolbox.tools().is_empty();
        let prompt = prompt::system(role.get().prompt(), has_tools, delegation.is_some(), !path.is_root());
        let events = self.events.clone();
        Agent {
            path,
            role,
            prompt,
            tools: ToolSet::new(specs),
            toolbox,
            budget,
            pricing: self.models.prices().of(model.id()),
            model,
            patience: self.models.patience(),
            delegation,
            broker: self.broker.clone(),
            events,
            inbox: None,
            cancel,
        }
    }

    /// Runs an agent from a first message to its end. Of a conversation, `transcript` holds what was said before.
    pub(crate) async fn start(
        &self,
        agent: &Agent,
        transcript: &mut Transcript,
        first_message: String,
    ) -> Ended {
        let before = self.tally().unfinished.len();
        let started = agent.emit(EventKind::AgentStarted {
            role: agent.role.name().to_owned(),
            model: agent.model.id().to_owned(),
            note: agent.model.note().map(str::to_owned),
            tools: agent.tools.specs().iter().map(|spec| spec.name.clone()).collect(),
            grants: agent.toolbox.grants(),
            system: agent.prompt.clone(),
            first_message: first_message.clone(),
            earlier: transcript.len() as u64,
        });
        let mut ending = match started {
            Ok(()) => {
                transcript.push(Message::user(first_message));
                run_loop(transcript, agent).await
            }
            Err(error) => Ending::early(Status::Failed, Some(error.to_string())),
        };
        let is_child = !agent.path.is_root();
        let mut findings = if is_child { Findings::parse(&ending.text) } else { Findings::default() };
        for place in &mut findings.evidence {
            place.observed = Some(ending.account.sight.observed(place, transcript));
        }
        if is_child && ending.status == Status::Completed && findings.is_empty() {
            ending.status = Status::Failed;
            ending.reason = Some("the report was empty".to_owned());
        }
        let finished = agent.emit(EventKind::AgentFinished {
            status: ending.status,
            limit: ending.limit(),
            reason: ending.reason.clone(),
            turns: ending.turns,
            usage: ending.usage,
            cost: ending.cost,
            duration_ms: ending.duration_ms(),
        });
        if let Err(error) = finished {
            ending.status = Status::Failed;
            ending.reason.get_or_insert(error.to_string());
        }
        let mut tally = self.tally();
        if is_child {
            tally.kept_out_bytes += ending.result_bytes;
        }
        let below = format!("{}/", agent.path);
        let unfinished = tally.unfinished.iter().skip(before).filter(|child| child.agent.starts_with(&below));
        let below = unfinished.cloned().collect();
        Ended { ending, findings, below }
    }

    pub(crate) fn note_unfinished(&self, child: Unfinished) {
        self.tally().unfinished.push(child);
    }

    /// Every agent below the root that did not complete, and the bytes of results that only they were shown.
    pub(crate) fn gathered(&self) -> (Vec<Unfinished>, u64) {
        let tally = self.tally();
        (tally.unfinished.clone(), tally.kept_out_bytes)
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
