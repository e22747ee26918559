//! One tool call, from the component to the disk: run it, hold its changes against the rules, put them into the workspace.

use std::pin::pin;
use std::time::Duration;

use remit_model::ToolCall;
use remit_pack::inert_line;
use remit_sandbox::{Consent, Petition};
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep_until};

use super::Stop;
use super::calls::MAX_EFFECTS;
use super::petition::{self, Answered};
use crate::agent::Agent;
use crate::approval::{Asked, Decision, Effect, decide};
use crate::event::{EventKind, SinkError};
use crate::ledger::{CallLedger, Change, ChangeKind, Entry, Staged};
use crate::roles::{EffectKind, format_duration};
use crate::toolbox::{CallTerms, ToolOutcome};

/// How much longer than its time a call may take before the loop itself gives it up. A toolbox ends its calls in time;
/// this is for one that does not.
const GRACE: Duration = Duration::from_secs(1);

/// How many changed files a result names where the tool itself named none.
const MAX_NAMED: usize = 20;

/// What came of running a tool.
#[derive(Default)]
pub(super) struct Ran {
    pub(super) outcome: ToolOutcome,
    /// What ends the loop, if anything happened meanwhile.
    pub(super) stop: Option<Stop>,
    /// What it did, and was refused.
    pub(super) entries: Vec<Entry>,
    /// What was decided against it.
    pub(super) decided: Vec<Entry>,
    /// Why effects that it asked about were not let, in the words that its entries have for it.
    pub(super) said_no: Vec<String>,
    /// How much more than `entries` the ledger had.
    pub(super) more: u64,
    /// What the runtime adds to the result, whatever the result's length.
    pub(super) note: String,
}

/// Why changes were not made.
struct Dropped {
    why: String,
    /// Whether it was somebody's decision, and for which of the files.
    refused: Vec<String>,
    stop: Option<Stop>,
}

impl Ran {
    pub(super) fn error(why: impl Into<String>) -> Ran {
        Ran { outcome: ToolOutcome::error(why), ..Ran::default() }
    }
}

impl Dropped {
    fn because(why: impl Into<String>) -> Dropped {
        Dropped { why: why.into(), refused: Vec::new(), stop: None }
    }
}

/// Runs one tool to its end, its changes included.
pub(super) async fn run(agent: &Agent, tool: &str, call: &ToolCall) -> Ran {
    let ledger = CallLedger::default();
    let mut ran = run_tool(agent, tool, call, &ledger).await;
    let changes = ran.outcome.changes.take();
    // Whatever a call did not bring to its end, or says that it failed at, is dropped.
    let is_done = !ran.outcome.is_error && ran.stop.is_none();
    if let Some(changes) = changes.filter(|changes| is_done && !changes.files().is_empty()) {
        let files = changes.files().to_vec();
        match settle(agent, tool, call, changes).await {
            Ok(()) => ran.note = changed(&files, &ran.outcome.text),
            Err(dropped) => {
                let printed = std::mem::take(&mut ran.outcome.printed);
                ran.outcome = ToolOutcome { printed, ..ToolOutcome::error(dropped.why.clone()) };
                ran.stop = dropped.stop;
                let because = |path| Entry::Refused {
                    action: EffectKind::Write.to_string(),
                    path,
                    reason: dropped.why.clone(),
                };
                ran.decided = dropped.refused.into_iter().map(because).collect();
            }
        }
    }
    (ran.entries, ran.more) = (ledger.entries(), ledger.dropped());
    ran
}

/// Runs a component until it is done, or the agent's time or the call's is over, or the agent is cancelled, and answers what
/// it asks meanwhile. Leaving it drops its future, which stops it.
async fn run_tool(agent: &Agent, tool: &str, call: &ToolCall, ledger: &CallLedger) -> Ran {
    let budget = &agent.budget;
    let limits = budget.call_limits();
    // Where no rule could say no, nothing is asked.
    let (consent, mut petitions) = if agent.role.get().decides_during_calls() {
        let (consent, petitions) = Consent::asked();
        (consent, Some(petitions))
    } else {
        (Consent::default(), None)
    };
    let mut said_no = Vec::new();
    let mut calling = agent.toolbox.call(tool, &call.arguments, CallTerms { limits, ledger, consent });
    let mut overdue = Instant::now() + limits.time + GRACE;
    let (outcome, stop) = loop {
        let petition = tokio::select! {
            biased;
            () = agent.cancel.cancelled() => break (ToolOutcome::error("cancelled"), Some(Stop::Cancelled)),
            () = budget.work_ended() => {
                let limit = budget.time_limit();
                let why = format!("stopped: the limit `{}` is reached", limit.limit());
                break (ToolOutcome::error(why), Some(Stop::Exhausted(limit)));
            }
            () = sleep_until(overdue) => {
                let time = format_duration(budget.call_time());
                let why = format!("stopped after {time} (call_time, {})", agent.role.place("call_time"));
                break (ToolOutcome::error(why), None);
            }
            outcome = &mut calling => break (outcome, None),
            petition = next(&mut petitions) => petition,
        };
        let asked = Instant::now();
        let mut answering = pin!(petition::answer(agent, tool, &call.id, petition));
        // What else the call has in hand goes on meanwhile. If it ends, it is not waited for an answer any more.
        let (answered, ended) = tokio::select! {
            biased;
            answered = &mut answering => (answered, None),
            outcome = &mut calling => (answering.await, Some(outcome)),
        };
        overdue += asked.elapsed();
        match (answered, ended) {
            (Answered::Unrecorded(error), _) => {
                break (ToolOutcome::error(format!("stopped: {error}")), Some(error.into()));
            }
            (_, Some(outcome)) => break (outcome, None),
            (Answered::No(why), None) => said_no.push(why),
            (Answered::Yes, None) => {}
        }
    };
    Ran { outcome, stop, said_no, ..Ran::default() }
}

/// What the call asks next, if it ever does.
async fn next(petitions: &mut Option<Receiver<Petition>>) -> Petition {
    if let Some(petitions) = petitions
        && let Some(petition) = petitions.recv().await
    {
        return petition;
    }
    std::future::pending().await
}

/// Holds what a call would change against the rules, and makes the changes, all of them or none.
async fn settle(agent: &Agent, tool: &str, call: &ToolCall, changes: Box<dyn Staged>) -> Result<(), Dropped> {
    let unrecorded = |error: SinkError| Dropped {
        stop: Some(error.clone().into()),
        ..Dropped::because(format!("not written: {error}"))
    };
    let files = changes.files();
    let staged = EventKind::Staged {
        call_id: call.id.clone(),
        tool: tool.to_owned(),
        files: files.iter().take(MAX_EFFECTS).cloned().collect(),
        more: files.len().saturating_sub(MAX_EFFECTS) as u64,
    };
    agent.emit(staged).map_err(unrecorded)?;
    let effect = Effect { call_id: &call.id, tool, targets: changes.targets() };
    let asked = || Asked::write(&*changes);
    match decide(agent, EffectKind::Write, effect, asked, std::future::pending()).await {
        Decision::Granted => {}
        Decision::Denied { why, about } => {
            let stop = stopped(agent);
            return Err(Dropped { refused: about, stop, ..Dropped::because(format!("not written: {why}")) });
        }
        Decision::Unrecorded(error) => return Err(unrecorded(error)),
    }
    if let Some(stop) = stopped(agent) {
        return Err(Dropped { stop: Some(stop), ..Dropped::because("not written: the run ended before") });
    }
    // What is begun is brought to its end, also if the agent is cancelled meanwhile: whole or not at all.
    match tokio::task::spawn_blocking(move || changes.commit()).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(why)) => Err(Dropped::because(format!("nothing was written: {why}"))),
        Err(broken) => Err(Dropped::because(format!("it is not known what was written: {broken}"))),
    }
}

/// What ended the agent while it waited.
fn stopped(agent: &Agent) -> Option<Stop> {
    if agent.cancel.is_cancelled() {
        return Some(Stop::Cancelled);
    }
    let is_over = Instant::now() >= agent.budget.work_end();
    is_over.then(|| Stop::Exhausted(agent.budget.time_limit()))
}

/// What was changed, for a model whose tool did not say so.
fn changed(files: &[Change], text: &str) -> String {
    let unsaid: Vec<&Change> = files.iter().filter(|file| !text.contains(&file.path)).collect();
    if unsaid.is_empty() {
        return String::new();
    }
    let line = |file: &&Change| {
        let path = inert_line(&file.path);
        match (file.kind, &file.from) {
            (ChangeKind::Deleted, _) => format!("{path} deleted"),
            (ChangeKind::Moved, Some(from)) => format!("{} moved to {path}", inert_line(from)),
            (ChangeKind::Created, _) => format!("{path} created, {} lines", file.added),
            _ => format!("{path} +{} −{}", file.added, file.removed),
        }
    };
    let mut lines: Vec<String> = unsaid.iter().take(MAX_NAMED).map(line).collect();
    if let Some(more @ 1..) = unsaid.len().checked_sub(MAX_NAMED) {
        lines.push(format!("and {more} more"));
    }
    format!("\n[changed: {}]", lines.join("; "))
}
