//! Delegation: a `task` call becomes an agent with an empty conversation, and its end becomes a report.

mod claims;
mod task;

use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use remit_model::{ToolCall, ToolSpec, Transcript};

pub(crate) use task::schema;
pub use task::{TaskArguments, TaskError};

use crate::agent::{Agent, RoleRef};
use crate::approval::{Asked, Decision, Effect, decide};
use crate::crew::{Crew, Ended};
use crate::event::{EventKind, SinkError};
use crate::ledger::{Account, Entry};
use crate::outcome::{Status, Unfinished};
use crate::prompt;
use crate::report::{Known, Report};
use crate::roles::{Authority, EffectKind, Narrowing, Role, TASK_TOOL, Target};
use crate::toolbox::ToolOutcome;

/// What `task` does for one agent: whom it may start, and within what.
pub struct Delegation {
    crew: Arc<Crew>,
    to: Vec<RoleRef>,
    narrowing: Narrowing,
}

/// What a `task` call came to.
pub(crate) struct Returned {
    pub(crate) outcome: ToolOutcome,
    /// Set if something could not be recorded: the parent must not act on the outcome.
    pub(crate) unrecorded: Option<SinkError>,
    /// What the child did and saw, and reported; nothing if there was none.
    pub(crate) child: Option<(Account, Report)>,
    /// What was decided against it.
    pub(crate) decided: Vec<Entry>,
}

impl Returned {
    fn refused(why: impl Into<String>) -> Returned {
        Returned { outcome: ToolOutcome::error(why), unrecorded: None, child: None, decided: Vec::new() }
    }

    fn unrecorded(error: SinkError) -> Returned {
        Returned { unrecorded: Some(error.clone()), ..Returned::refused(error.to_string()) }
    }
}

impl Delegation {
    /// What an agent of `role` may delegate to, within `narrowing`; nothing if its role has no delegates.
    pub(crate) fn of(crew: &Arc<Crew>, role: &Role, narrowing: &Narrowing) -> Option<Delegation> {
        let to: Vec<RoleRef> = role.delegates().filter_map(|name| crew.role(name)).collect();
        (!to.is_empty()).then(|| Delegation { crew: crew.clone(), to, narrowing: narrowing.clone() })
    }

    /// `task` as the agent's model is told about it.
    pub(crate) fn spec(&self) -> ToolSpec {
        let roles: Vec<(String, String)> = self
            .to
            .iter()
            .map(|role| (role.name().to_owned(), self.in_words(role.get(), &self.narrowing)))
            .collect();
        ToolSpec {
            name: TASK_TOOL.to_owned(),
            description: "Gives a piece of work to a subagent, which starts with an empty conversation, and returns its \
                          report."
                .to_owned(),
            input_schema: schema(&roles),
        }
    }

    /// A role's description and grants, on one line.
    fn in_words(&self, role: &Role, narrowing: &Narrowing) -> String {
        let list =
            |patterns: Vec<String>| if patterns.is_empty() { "none".to_owned() } else { patterns.join(", ") };
        let tools = list(role.tools().map(ToString::to_string).collect());
        let without: Vec<String> = role.disallowed_tools().map(ToString::to_string).collect();
        let without =
            if without.is_empty() { String::new() } else { format!(" without {}", without.join(", ")) };
        let authority = Authority::of(self.crew.roles(), role, narrowing);
        let more = [
            ("Writes", authority.writes_in_words()),
            ("Reaches", authority.hosts_in_words()),
            ("Runs", authority.commands_in_words()),
        ];
        let more = more.map(|(does, what)| what.map(|what| format!(" {does} {what}.")).unwrap_or_default());
        let (reads, more) = (authority.in_words(), more.concat());
        format!("{} Tools: {tools}{without}. Reads {reads}.{more}", role.description())
    }

    /// Carries out a `task` call of the agent `parent`. It returns when the child has ended; a cancelled parent's child
    /// is cancelled too, and returns at once.
    pub(crate) fn run<'a>(&'a self, parent: &'a Agent, call: &'a ToolCall) -> BoxFuture<'a, Returned> {
        self.delegate(parent, call).boxed()
    }

    async fn delegate(&self, parent: &Agent, call: &ToolCall) -> Returned {
        let not = |why: String| Returned::refused(format!("not delegated: {why}"));
        let (task, role, narrowing) = match self.read(call) {
            Ok(read) => read,
            Err(why) => return not(why),
        };
        let effect = Effect { call_id: &call.id, tool: TASK_TOOL, targets: vec![Target::Role(role.name())] };
        let asked = || Asked::delegate(role.name(), &task.task, &self.in_words(role.get(), &narrowing));
        match decide(parent, EffectKind::Delegate, effect, asked, pending()).await {
            Decision::Granted => {}
            Decision::Denied { why, .. } => {
                let (action, path) = (EffectKind::Delegate.to_string(), role.name().to_owned());
                let decided = vec![Entry::Refused { action, path, reason: why.clone() }];
                return Returned { decided, ..not(why) };
            }
            Decision::Unrecorded(error) => return Returned::unrecorded(error),
        }
        let prepared = tokio::select! {
            biased;
            () = parent.cancel.cancelled() => return Returned::refused("cancelled"),
            () = parent.budget.work_ended() => Err(parent.role.explain(&parent.budget.time_limit())),
            prepared = self.prepare(parent, role, narrowing) => prepared,
        };
        let child = match prepared {
            Ok(child) => child,
            Err(why) => return not(why),
        };
        let delegated = EventKind::Delegated {
            call_id: call.id.clone(),
            child: child.path.to_string(),
            role: task.role.clone(),
            task: task.task.clone(),
        };
        if let Err(error) = parent.emit(delegated) {
            return Returned::unrecorded(error);
        }
        let assignment = prompt::assignment(&task, &child.toolbox.grants(), &self.crew.pins());
        let ended = self.crew.start(&child, &mut Transcript::new(), assignment).await;
        let (report, text) = report(&child, &ended).into_result(parent.budget.result_bytes());
        let ending = ended.ending;
        if report.status != Status::Completed {
            self.crew.note_unfinished(Unfinished {
                agent: child.path.to_string(),
                status: report.status,
                limit: report.limit.clone(),
                reason: ending.reason.clone(),
            });
        }
        let is_error = report.status != Status::Completed;
        let reported = parent.emit(EventKind::Report { call_id: call.id.clone(), report: report.clone() });
        let outcome = match &reported {
            Ok(()) => ToolOutcome { text, is_error, ..ToolOutcome::default() },
            Err(error) => ToolOutcome::error(error.to_string()),
        };
        let child = Some((ending.account, report));
        Returned { outcome, unrecorded: reported.err(), child, decided: Vec::new() }
    }

    /// What a call asks for: of whom, and within what.
    fn read(&self, call: &ToolCall) -> Result<(TaskArguments, &RoleRef, Narrowing), String> {
        let names: Vec<&str> = self.to.iter().map(RoleRef::name).collect();
        let task = TaskArguments::decode(&call.arguments, &names).map_err(|error| error.to_string())?;
        let role = self.to.iter().find(|role| role.name() == task.role).ok_or("there is no such role")?;
        let narrowed = (task.paths.as_deref(), task.hosts.as_deref());
        let narrowing =
            self.crew.narrow(&self.narrowing, role, narrowed).map_err(|error| error.to_string())?;
        Ok((task, role, narrowing))
    }

    /// Everything that can keep a child from being started is found out here, before anything of it exists.
    async fn prepare(&self, parent: &Agent, role: &RoleRef, narrowing: Narrowing) -> Result<Agent, String> {
        let parts = self.crew.parts(role, &narrowing).await.map_err(|error| error.to_string())?;
        let limits = self.crew.roles().limits_of(role.get());
        let budget = parent.budget.child(limits, parent.path.as_str()).map_err(|exhausted| {
            format!("the limit `{}` is reached: {}", exhausted.limit(), parent.role.explain(&exhausted))
        })?;
        let path = self.crew.numbers.next_child(&parent.path, role.name());
        let cancel = parent.cancel.child_token();
        Ok(self.crew.agent(path, role.clone(), narrowing, parts, budget, cancel))
    }
}

/// The runtime's report on a child that has ended.
fn report(child: &Agent, ended: &Ended) -> Report {
    let Ended { ending, findings, below } = ended;
    let mut findings = findings.clone();
    let status = ending.status;
    let mut warnings = ending.warnings.clone();
    if ending.text.trim().is_empty() {
        // Whatever is missing is missing because there was no reply.
        findings.warnings.clear();
    }
    if status != Status::Completed {
        let reason = ending.reason.as_ref().map(|reason| format!(", {reason}")).unwrap_or_default();
        warnings.push(format!("not completed: {status}{reason}; take it for an unfinished lead"));
    }
    warnings.extend(below.iter().map(ToString::to_string));
    let changes = ending.account.changes(&child.path);
    let verification = ending.account.verification(&child.path);
    warnings.extend(claims::untrue(&findings, &changes, &verification));
    warnings.extend(ending.account.refusals());
    findings.into_report(Known {
        status,
        limit: ending.limit(),
        changes,
        verification,
        hosts: ending.account.hosts(),
        warnings,
        turns: ending.turns,
        usage: ending.usage,
        cost: ending.cost,
        role: child.role.name(),
        agent: &child.path,
        duration_ms: ending.duration_ms(),
    })
}
