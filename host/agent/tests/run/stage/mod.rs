//! A stage for runs: models that say what a test wrote down, tools that note that they were called.

mod model;
mod person;
mod tools;

use std::sync::{Arc, Mutex};

use remit_agent::roles::{BuiltIn, Role, Roles, RolesSource};
use remit_agent::{
    Broker, Change, Entry, Event, EventKind, EventSink, Events, Models, Notes, Outcome, Outward, Patience,
    Policy, RunRequest, Setup, SinkError, ToolboxFactory, run,
};
use remit_model::{Model, ModelError};
use tokio_util::sync::CancellationToken;

pub(crate) use model::{Actor, Line, Seen, call, calls, hangs, says, task};
pub(crate) use person::Person;
pub(crate) use tools::{Call, Props, change};

/// A root that reads and delegates, an explorer that reads and searches, an editor for what an explorer must not have.
pub(crate) const ROLES: &str = r#"
[roles.root]
description = "Plans and answers."
tools = ["files.*", "task"]
delegates = ["explorer", "lead"]
read = ["."]

[roles.lead]
description = "Delegates further."
tools = ["task"]
delegates = ["explorer"]
read = ["."]

[roles.explorer]
description = "Finds things."
tools = ["files.*", "search.grep"]
read = ["src", "docs"]

[roles.editor]
description = "Changes things."
tools = ["edit.*"]
"#;

/// A run to be played.
pub(crate) struct Stage {
    pub(crate) workspace: tempfile::TempDir,
    pub(crate) actor: Arc<Actor>,
    pub(crate) props: Arc<Props>,
    pub(crate) cancel: CancellationToken,
    roles: String,
    role: &'static str,
    pins: Vec<String>,
    notes: Notes,
    sinks: Vec<Box<dyn EventSink>>,
    toolboxes: Option<Arc<dyn ToolboxFactory>>,
    models: Option<Arc<dyn Models>>,
    patience: Patience,
    broker: Arc<Broker>,
}

/// A run that was played.
pub(crate) struct Played {
    pub(crate) outcome: Outcome,
    pub(crate) events: Vec<Event>,
    /// What each model call was shown, in order.
    pub(crate) seen: Vec<Seen>,
    /// The calls that reached a toolbox.
    pub(crate) calls: Vec<Call>,
    /// The roles that a toolbox was made for.
    pub(crate) made: Vec<String>,
    pub(crate) workspace: tempfile::TempDir,
}

impl Stage {
    /// The lines are each agent's turns, by its path, in order.
    pub(crate) fn new(lines: Vec<(&'static str, Line)>) -> Stage {
        let workspace = tempfile::tempdir().unwrap();
        for folder in ["src/inner", "docs"] {
            std::fs::create_dir_all(workspace.path().join(folder)).unwrap();
        }
        std::fs::write(workspace.path().join("src/main.rs"), "").unwrap();
        Stage {
            workspace,
            actor: Arc::new(Actor::new(lines)),
            props: Arc::new(Props::default()),
            cancel: CancellationToken::new(),
            roles: ROLES.to_owned(),
            role: "root",
            pins: Vec::new(),
            notes: Notes::default(),
            sinks: Vec::new(),
            toolboxes: None,
            models: None,
            patience: Patience::none(),
            broker: Broker::new(Policy::Ask, None),
        }
    }

    /// The usual roles with `keys` added to the role `role`, or to `[budget]`.
    pub(crate) fn with(mut self, role: &str, keys: &str) -> Stage {
        let header = if role == "budget" { "[budget]".to_owned() } else { format!("[roles.{role}]") };
        if role == "budget" && !self.roles.contains(&header) {
            self.roles = format!("{header}\n{}", self.roles);
        }
        self.roles = self.roles.replace(&format!("{header}\n"), &format!("{header}\n{keys}\n"));
        self
    }

    /// How patiently the lines are waited for; without this, what fails has failed.
    pub(crate) fn patience(mut self, patience: Patience) -> Stage {
        self.patience = patience;
        self
    }

    /// Somebody to ask.
    pub(crate) fn person(mut self, person: &Arc<Person>) -> Stage {
        self.broker = Broker::new(Policy::Ask, Some(person.clone()));
        self
    }

    /// What is done with questions, with nobody to ask.
    pub(crate) fn policy(mut self, policy: Policy) -> Stage {
        self.broker = Broker::new(policy, None);
        self
    }

    /// A real model in place of the lines.
    pub(crate) fn models(mut self, models: impl Models + 'static) -> Stage {
        self.models = Some(Arc::new(models));
        self
    }

    /// Other roles.
    pub(crate) fn roles(mut self, text: &str) -> Stage {
        self.roles = text.to_owned();
        self
    }

    /// The roles with `from` said as `to`.
    pub(crate) fn replaced(mut self, from: &str, to: &str) -> Stage {
        assert!(self.roles.contains(from), "{from}");
        self.roles = self.roles.replace(from, to);
        self
    }

    /// Real tools in place of the recorded ones.
    pub(crate) fn toolboxes(mut self, toolboxes: impl ToolboxFactory + 'static) -> Stage {
        self.toolboxes = Some(Arc::new(toolboxes));
        self
    }

    pub(crate) fn role(mut self, role: &'static str) -> Stage {
        self.role = role;
        self
    }

    pub(crate) fn pins(mut self, pins: &[&str]) -> Stage {
        self.pins = pins.iter().map(|&pin| pin.to_owned()).collect();
        self
    }

    /// Adds a sink before the one that the test reads.
    pub(crate) fn sink(mut self, sink: impl EventSink + 'static) -> Stage {
        self.sinks.push(Box::new(sink));
        self
    }

    /// What the tool `name` returns.
    pub(crate) fn tool(
        self,
        name: &'static str,
        answer: impl Fn(&str) -> remit_agent::ToolOutcome + Send + Sync + 'static,
    ) -> Stage {
        self.props.answer(name, answer);
        self
    }

    /// What the tool `name` is said to have done.
    pub(crate) fn effects(
        self,
        name: &'static str,
        effects: impl Fn(&str) -> Vec<Entry> + Send + Sync + 'static,
    ) -> Stage {
        self.props.effects(name, effects);
        self
    }

    /// What the tool `name` would change.
    pub(crate) fn changes(
        self,
        name: &'static str,
        changes: impl Fn(&str) -> Vec<Change> + Send + Sync + 'static,
    ) -> Stage {
        self.props.changes(name, changes);
        self
    }

    /// What the tool `name` wants to do outside of the workspace.
    pub(crate) fn outward(
        self,
        name: &'static str,
        outward: impl Fn(&str) -> Vec<Outward> + Send + Sync + 'static,
    ) -> Stage {
        self.props.outward(name, outward);
        self
    }

    /// Plays it to its end, where every line must have been said.
    pub(crate) async fn play(self) -> Played {
        let actor = self.actor.clone();
        let played = self.play_partly().await;
        assert_eq!(
            actor.unsaid(),
            Vec::<String>::new(),
            "lines that nobody was asked for: {:?}",
            played.outcome
        );
        played
    }

    /// What the project says about itself.
    pub(crate) fn notes(mut self, notes: Notes) -> Stage {
        self.notes = notes;
        self
    }

    /// Everything for a run, or a conversation. What was added to the stage to take part is taken from it.
    pub(crate) fn setup(&mut self) -> Setup {
        let built_in =
            BuiltIn { roles: &self.roles, plugins: &["files", "search", "edit", "fetch", "command"] };
        let roles = Roles::load(RolesSource::BuiltIn, &built_in, self.workspace.path());
        let roles = Arc::new(roles.unwrap_or_else(|error| panic!("{error}")));
        let cast = Cast(self.actor.clone(), self.patience.clone());
        Setup {
            role: self.role.into(),
            pins: self.pins.clone(),
            notes: self.notes.clone(),
            roles,
            workspace: self.workspace.path().to_owned(),
            toolboxes: self.toolboxes.take().unwrap_or_else(|| self.props.clone()),
            models: self.models.take().unwrap_or_else(|| Arc::new(cast)),
            broker: self.broker.clone(),
            events: Arc::new(Events::new(std::mem::take(&mut self.sinks))),
        }
    }

    /// Plays it to its end, which may come before the lines are all said.
    pub(crate) async fn play_partly(mut self) -> Played {
        let log = Log::default();
        self.sinks.push(Box::new(log.clone()));
        let (setup, cancel) = (self.setup(), self.cancel.clone());
        let prompt = "Which test framework is used?".to_owned();
        let outcome = run(RunRequest { prompt, setup, cancel }).await.unwrap();
        let events = std::mem::take(&mut *log.0.lock().unwrap());
        Played {
            outcome,
            events,
            seen: self.actor.seen(),
            calls: self.props.calls(),
            made: self.props.made(),
            workspace: self.workspace,
        }
    }
}

impl Played {
    /// What the agent's `turn`th model call (from 0) was shown.
    pub(crate) fn shown(&self, agent: &str, turn: usize) -> &Seen {
        let turns: Vec<&Seen> = self.seen.iter().filter(|seen| seen.agent == agent).collect();
        turns.get(turn).unwrap_or_else(|| panic!("{agent} was asked {} times", turns.len()))
    }

    /// The kinds of the agent's events, in order.
    pub(crate) fn kinds(&self, agent: &str) -> Vec<&EventKind> {
        self.events.iter().filter(|event| event.agent == agent).map(|event| &event.kind).collect()
    }

    /// The only report of the run.
    pub(crate) fn report(&self) -> &remit_agent::Report {
        let reports: Vec<_> = self
            .events
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::Report { report, .. } => Some(report),
                _ => None,
            })
            .collect();
        assert_eq!(reports.len(), 1, "{reports:?}");
        reports[0]
    }
}

/// One model for all roles.
struct Cast(Arc<Actor>, Patience);

impl Models for Cast {
    fn of(&self, _role: &Role) -> Result<Arc<dyn Model>, ModelError> {
        Ok(self.0.clone())
    }

    fn patience(&self) -> Patience {
        self.1.clone()
    }
}

/// Keeps every event.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<Event>>>);

impl EventSink for Log {
    fn accept(&self, event: &Arc<Event>) -> Result<(), SinkError> {
        self.0.lock().unwrap().push((**event).clone());
        Ok(())
    }
}
