use std::time::Duration;

use remit_model::{Message, ToolCall};
use tokio::time::{Instant, sleep_until};

use super::result::{shown, summary};
use super::{Course, Stop, size};
use crate::agent::{Agent, millis};
use crate::delegate::Delegation;
use crate::event::EventKind;
use crate::roles::{TASK_TOOL, format_duration};
use crate::toolbox::{ToolInfo, ToolOutcome};

/// How much longer than its time a call may take before the loop itself gives it up. A toolbox ends its calls in time;
/// this is for one that does not.
const GRACE: Duration = Duration::from_secs(1);

/// How many refusals a model is told for one call: the first explains the rest.
const MAX_REFUSALS: usize = 2;

/// What a tool's name stands for, for one agent.
enum Target<'a> {
    Tool(&'a ToolInfo),
    Task(&'a Delegation),
}

/// What came of one call.
struct Done {
    tool: String,
    outcome: ToolOutcome,
    duration: Duration,
    /// What ends the loop, if anything happened meanwhile.
    stop: Option<Stop>,
}

impl Done {
    /// A call that was not made.
    fn turned_down(tool: impl Into<String>, why: impl Into<String>) -> Done {
        Done { tool: tool.into(), outcome: ToolOutcome::error(why), duration: Duration::ZERO, stop: None }
    }

    fn stopped(tool: &str, why: impl Into<String>, stop: Stop) -> Done {
        Done { stop: Some(stop), ..Done::turned_down(tool, why) }
    }
}

impl Course<'_> {
    /// Makes the calls of one turn, one after the other, and appends one result for each, in their order. Once something
    /// stops the loop, the calls that are left get a result that says so, and are not made.
    pub(super) async fn run_calls(&mut self, calls: Vec<ToolCall>) -> Result<(), Stop> {
        let most = self.agent.budget.max_tool_calls();
        let total = calls.len();
        if total > most {
            let text = format!("{total} calls in one turn, of which the first {most} are made");
            self.agent.emit(EventKind::Budget { limit: "max_tool_calls".to_owned(), text: text.clone() })?;
            self.warnings.push(text);
        }
        let mut stop = None;
        for (index, call) in calls.into_iter().enumerate() {
            let done = match &stop {
                Some(stop) => Done::turned_down(&call.name, not_made(stop)),
                None if index >= most => Done::turned_down(
                    &call.name,
                    format!(
                        "not run: this is call {} of {total}, and {most} calls are run in one turn (max_tool_calls, {}). \
                         Call it again in a later turn if it is still needed.",
                        index + 1,
                        self.agent.role.place("max_tool_calls"),
                    ),
                ),
                None => self.call(&call).await,
            };
            let finished = self.finish(call, done);
            stop = stop.or(finished);
        }
        stop.map_or(Ok(()), Err)
    }

    async fn call(&mut self, call: &ToolCall) -> Done {
        let agent = self.agent;
        if agent.cancel.is_cancelled() {
            return Done::stopped(&call.name, "cancelled", Stop::Cancelled);
        }
        let Some(target) = find(agent, &call.name) else {
            return Done::turned_down(&call.name, unknown_tool(agent, &call.name));
        };
        let tool = match &target {
            Target::Tool(info) => info.name.as_str(),
            Target::Task(_) => TASK_TOOL,
        };
        let started = EventKind::ToolStarted {
            call_id: call.id.clone(),
            tool: tool.to_owned(),
            arguments: call.arguments.clone(),
        };
        if let Err(error) = agent.emit(started) {
            return Done::stopped(tool, format!("not run: {error}"), error.into());
        }
        agent.budget.count_call();
        let start = Instant::now();
        let (outcome, stop) = match target {
            Target::Tool(_) => run_tool(agent, tool, &call.arguments).await,
            Target::Task(delegation) => {
                let returned = delegation.run(agent, call).await;
                let stop = match returned.unrecorded {
                    Some(error) => Some(error.into()),
                    None => agent.cancel.is_cancelled().then_some(Stop::Cancelled),
                };
                (returned.outcome, stop)
            }
        };
        Done { tool: tool.to_owned(), outcome, duration: start.elapsed(), stop }
    }

    /// Records a result and appends it; gives what stops the loop.
    fn finish(&mut self, call: ToolCall, done: Done) -> Option<Stop> {
        let Done { tool, outcome, duration, stop } = done;
        let is_task = tool == TASK_TOOL;
        // A report is made to fit; cutting it would break its JSON.
        let limit = if is_task { usize::MAX } else { self.agent.budget.result_bytes() };
        let mut result = shown(&outcome.text, limit);
        if outcome.is_error {
            result.text.push_str(&refused(self.agent, &tool, &outcome.refusals));
        }
        let summary = summary(&result.text);
        let mut recorded = Ok(());
        if let Some(note) = self.repeats.note(&tool, &call.arguments, &result.text) {
            recorded = self.agent.emit(EventKind::Warning { text: format!("{tool}: {note}") });
            result.text.push_str(&format!("\n[{note}]"));
        }
        let finished = self.agent.emit(EventKind::ToolFinished {
            call_id: call.id.clone(),
            tool,
            is_error: outcome.is_error,
            summary,
            text: result.text.clone(),
            bytes: size(&result.text),
            cut: result.cut,
            duration_ms: millis(duration),
            printed: outcome.printed,
            refusals: outcome.refusals,
        });
        self.result_bytes += size(&result.text);
        self.push(Message::tool_result(call.id, call.name, result.text, outcome.is_error));
        stop.or_else(|| recorded.and(finished).err().map(Stop::from))
    }
}

/// Runs one tool until it is done, or the agent's time or the call's is over, or the agent is cancelled. Leaving it
/// drops its future, which stops it.
async fn run_tool(agent: &Agent, tool: &str, arguments: &str) -> (ToolOutcome, Option<Stop>) {
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
        outcome = agent.toolbox.call(tool, arguments, &limits) => (outcome, None),
    }
}

/// The tool that a model means by `name`: the name on the wire, or the one on screen, which it may have read somewhere.
fn find<'a>(agent: &'a Agent, name: &str) -> Option<Target<'a>> {
    if name == TASK_TOOL {
        return agent.delegation.as_ref().map(Target::Task);
    }
    agent.toolbox.tools().iter().find(|tool| tool.wire_name == name || tool.name == name).map(Target::Tool)
}

fn unknown_tool(agent: &Agent, name: &str) -> String {
    let mut tools: Vec<&str> = agent.toolbox.tools().iter().map(|tool| tool.name.as_str()).collect();
    if agent.delegation.is_some() {
        tools.push(TASK_TOOL);
    }
    let tools = if tools.is_empty() { "it has none".to_owned() } else { tools.join(", ") };
    let role = &agent.role;
    if name == TASK_TOOL && role.get().permits(TASK_TOOL) {
        return format!(
            "not run: no agent may be started from here (max_depth, {}). Go on with this role's tools: {tools}",
            role.place("max_depth")
        );
    }
    format!(
        "not run: `{}` is not among this role's tools: {tools}. Role `{}` of {} would have to be given it ({}).",
        crate::report::bounded(name, 100),
        role.name(),
        agent.path,
        role.place("tools"),
    )
}

/// Who was refused what, and what to change in the file if it was meant to be granted.
fn refused(agent: &Agent, tool: &str, refusals: &[String]) -> String {
    let shown = refusals.iter().take(MAX_REFUSALS).map(|refusal| {
        let role = agent.role.name();
        let place = agent.role.place("read");
        format!("\n[refused to {tool} of {}: {refusal} (grants of role `{role}`: {place})]", agent.path)
    });
    shown.collect()
}

/// The result of a call that is left over once something has stopped the loop.
fn not_made(stop: &Stop) -> String {
    match stop {
        Stop::Cancelled => "cancelled".to_owned(),
        Stop::Exhausted(exhausted) => format!("not run: the limit `{}` is reached", exhausted.limit()),
        Stop::Failed(reason) | Stop::Refused(reason) => format!("not run: {reason}"),
        Stop::Completed => "not run".to_owned(),
    }
}
