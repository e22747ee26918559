//! One tool call, from the component to the disk: run it, hold its changes against the rules, put them into the workspace.

use std::time::Duration;

use remit_model::ToolCall;
use tokio::time::{Instant, sleep_until};

use super::Stop;
use super::calls::MAX_EFFECTS;
use crate::agent::Agent;
use crate::event::EventKind;
use crate::ledger::{CallLedger, Change, ChangeKind, Entry, Staged};
use crate::roles::{EffectKind, Verdict, format_duration};
use crate::toolbox::ToolOutcome;

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
    /// How much more than that.
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
    let (mut outcome, stop) = run_tool(agent, tool, &call.arguments, &ledger).await;
    let changes = outcome.changes.take();
    let mut ran = Ran { outcome, stop, ..Ran::default() };
    let mut refused = Vec::new();
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
                refused = dropped.refused.into_iter().map(because).collect();
            }
        }
    }
    (ran.entries, ran.more) = (ledger.entries(), ledger.dropped());
    if ran.outcome.is_error && !refused.is_empty() {
        // The result's own words say it already.
        ran.note = "\n[nothing was written]".to_owned();
    }
    ran.entries.append(&mut refused);
    ran
}

/// Runs a component until it is done, or the agent's time or the call's is over, or the agent is cancelled. Leaving it
/// drops its future, which stops it.
async fn run_tool(
    agent: &Agent,
    tool: &str,
    arguments: &str,
    ledger: &CallLedger,
) -> (ToolOutcome, Option<Stop>) {
    let budget = &agent.budget;
    let limits = budget.call_limits();
    let overdue = Instant::now() + limits.time + GRACE;
    tokio::select! {
        biased;
        () = agent.cancel.cancelled() => (ToolOutcome::error("cancelled"), Some(Stop::Cancelled)),
        () = sleep_until(budget.work_end()) => {
            let limit = budget.time_limit().clone();
            let why = format!("stopped: the limit `{}` is reached", limit.limit());
            (ToolOutcome::error(why), Some(Stop::Exhausted(limit)))
        }
        () = sleep_until(overdue) => {
            let time = format_duration(budget.call_time());
            let why = format!("stopped after {time} (call_time, {})", agent.role.place("call_time"));
            (ToolOutcome::error(why), None)
        }
        outcome = agent.toolbox.call(tool, arguments, &limits, ledger) => (outcome, None),
    }
}

/// Holds what a call would change against the rules, and makes the changes, all of them or none.
async fn settle(agent: &Agent, tool: &str, call: &ToolCall, changes: Box<dyn Staged>) -> Result<(), Dropped> {
    let unrecorded = |error: crate::event::SinkError| Dropped {
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
    // A file that is moved is changed where it was and where it will be.
    let targets: Vec<&str> =
        files.iter().flat_map(|file| [Some(file.path.as_str()), file.from.as_deref()]).flatten().collect();
    match agent.role.get().judge(EffectKind::Write, &targets) {
        Verdict::Denied { rule, target } => {
            let place = agent.role.place_of_line(rule.line());
            let why = format!("not written: `{rule}` is denied to role `{}` ({place})", agent.role.name());
            return Err(Dropped { refused: vec![target], ..Dropped::because(why) });
        }
        Verdict::Ask | Verdict::Granted => {}
    }
    // What is begun is brought to its end, also if the agent is cancelled meanwhile: whole or not at all.
    match tokio::task::spawn_blocking(move || changes.commit()).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(why)) => Err(Dropped::because(format!("nothing was written: {why}"))),
        Err(broken) => Err(Dropped::because(format!("it is not known what was written: {broken}"))),
    }
}

/// What was changed, for a model whose tool did not say so.
fn changed(files: &[Change], text: &str) -> String {
    let unsaid: Vec<&Change> = files.iter().filter(|file| !text.contains(&file.path)).collect();
    if unsaid.is_empty() {
        return String::new();
    }
    let line = |file: &&Change| {
        let path = remit_pack::inert(&file.path).replace('\n', "\\n");
        match (file.kind, &file.from) {
            (ChangeKind::Deleted, _) => format!("{path} deleted"),
            (ChangeKind::Moved, Some(from)) => format!("{from} moved to {path}"),
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
