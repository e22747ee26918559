use std::time::Duration;

use remit_model::{Message, ToolCall};
use tokio::time::Instant;

use super::result::{shown, summary};
use super::tool::{self, Ran};
use super::{Course, Stop, size};
use crate::agent::{Agent, millis};
use crate::delegate::{Delegation, Returned};
use crate::event::EventKind;
use crate::ledger::{Account, Entry, Seen};
use crate::report::Report;
use crate::roles::TASK_TOOL;
use crate::toolbox::ToolInfo;

/// How many entries one event holds. Stops a search through a large repository from writing megabytes for each call.
pub(super) const MAX_EFFECTS: usize = 2000;

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
    ran: Ran,
    duration: Duration,
    /// What a child did and saw, and reported.
    child: Option<(Account, Report)>,
}

impl Done {
    /// A call that was not made.
    fn turned_down(tool: impl Into<String>, why: impl Into<String>) -> Done {
        Done { tool: tool.into(), ran: Ran::error(why), duration: Duration::ZERO, child: None }
    }

    fn stopped(tool: &str, why: impl Into<String>, stop: Stop) -> Done {
        let mut done = Done::turned_down(tool, why);
        done.ran.stop = Some(stop);
        done
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
        let _in_flight = agent.budget.call();
        let start = Instant::now();
        let (ran, child) = match target {
            Target::Tool(_) => (tool::run(agent, tool, call).await, None),
            Target::Task(delegation) => {
                let returned = delegation.run(agent, call).await;
                let stop = match returned.unrecorded {
                    Some(error) => Some(error.into()),
                    None => agent.cancel.is_cancelled().then_some(Stop::Cancelled),
                };
                let Returned { outcome, child, decided, .. } = returned;
                (Ran { outcome, stop, decided, ..Ran::default() }, child)
            }
        };
        Done { tool: tool.to_owned(), ran, duration: start.elapsed(), child }
    }

    /// Records a result and appends it; gives what stops the loop.
    fn finish(&mut self, call: ToolCall, done: Done) -> Option<Stop> {
        let Done { tool, ran, duration, child } = done;
        let Ran { outcome, stop, mut entries, decided, said_no, more, note } = ran;
        let is_task = tool == TASK_TOOL;
        // A report is made to fit; cutting it would break its JSON.
        let limit = if is_task { usize::MAX } else { self.agent.budget.result_bytes() };
        let mut result = shown(&outcome.text, limit);
        if let Some((account, report)) = child {
            self.account.take_child(account, &report);
        }
        if outcome.is_error {
            result.text.push_str(&refused(self.agent, &tool, &entries, &said_no));
        }
        // The result's own words say what was decided.
        entries.extend(decided);
        let refusals: Vec<String> = entries.iter().filter_map(Entry::refusal).collect();
        let effects = effects(&call.id, &tool, &entries, more).map_or(Ok(()), |event| self.agent.emit(event));
        let path = &self.agent.path;
        let seen = Seen {
            text: &result.text,
            arguments: &call.arguments,
            is_error: outcome.is_error,
            is_complete: more == 0,
        };
        self.account.take_call(path, seen, entries);
        result.text.push_str(&note);
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
            refusals,
        });
        self.result_bytes += size(&result.text);
        self.push(Message::tool_result(call.id, call.name, result.text, outcome.is_error));
        stop.or_else(|| effects.and(recorded).and(finished).err().map(Stop::from))
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

/// Who was refused what, and what to change in the file if it was meant to be granted. What somebody decided, `said_no`, says
/// itself who and why.
fn refused(agent: &Agent, tool: &str, entries: &[Entry], said_no: &[String]) -> String {
    let is_decided =
        |entry: &Entry| matches!(entry, Entry::Refused { reason, .. } if said_no.contains(reason));
    let refusals = entries.iter().filter(|entry| !is_decided(entry));
    let refusals = refusals.filter_map(|entry| Some((entry, entry.refusal()?))).take(MAX_REFUSALS);
    let shown = refusals.map(|(entry, refusal)| {
        let role = agent.role.name();
        let key = match entry {
            Entry::Refused { action, .. } => match action.as_str() {
                "write" => "write",
                "request" => "hosts",
                "run" => "commands",
                _ => "read",
            },
            _ => "read",
        };
        let place = agent.role.place(key);
        format!("\n[refused to {tool} of {}: {refusal} (grants of role `{role}`: {place})]", agent.path)
    });
    shown.collect()
}

/// What a call did, as an event; nothing of a call that did nothing.
fn effects(call_id: &str, tool: &str, entries: &[Entry], more: u64) -> Option<EventKind> {
    let effects: Vec<Entry> = entries.iter().take(MAX_EFFECTS).cloned().collect();
    let more = more.saturating_add((entries.len() - effects.len()) as u64);
    (!effects.is_empty() || more > 0).then(|| EventKind::Effects {
        call_id: call_id.to_owned(),
        tool: tool.to_owned(),
        effects,
        more,
    })
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
