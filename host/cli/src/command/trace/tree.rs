//! The agents of a run.

use remit_agent::trace::Session;
use remit_agent::{EventKind, Outcome, Status};
use serde::Serialize;

use crate::command::Output;
use crate::failure::Failure;
use crate::screen::{Screen, count, cut, line, time, width};
use crate::view::closing;

/// What an agent did, in figures.
#[derive(Debug, Default, Serialize)]
struct Agent {
    agent: String,
    role: String,
    model: String,
    /// Nothing if it has not ended, or its process was killed.
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    turns: u64,
    tokens: u64,
    tool_calls: u64,
    duration_ms: u64,
    /// What it was asked; of a conversation, first.
    task: String,
    /// Turns and tokens of the prompts that have ended, of a conversation.
    #[serde(skip)]
    before: (u64, u64),
}

/// The agents as one JSON object a line.
pub(super) fn write_json(session: &Session, output: &mut Output) -> Result<(), Failure> {
    for agent in agents(session)?.0 {
        output.json(&agent)?;
    }
    Ok(())
}

/// The agents as a tree.
pub(super) fn in_words(session: &Session, screen: Screen) -> Result<String, Failure> {
    let (agents, outcome) = agents(session)?;
    let mut text = String::new();
    for agent in &agents {
        let indent = " ".repeat(agent.agent.matches('/').count() * 2);
        let status = match agent.status {
            Some(Status::Completed) => screen.good("completed"),
            Some(other) => screen.bad(other.as_str()),
            None if session.is_running() => "running".to_owned(),
            None => screen.bad("broken off"),
        };
        let limit = agent.limit.as_ref().map(|limit| format!(" ({})", line(limit))).unwrap_or_default();
        text += &format!(
            "{indent}{}  {status}{limit} · {} · {} · {} · {}\n",
            screen.strong(&line(&agent.agent)),
            count(agent.turns, "turn"),
            count(agent.tool_calls, "tool call"),
            count(agent.tokens, "token"),
            time(agent.duration_ms),
        );
        let room = screen.width.saturating_sub(width(&indent) + 2);
        text += &format!("{indent}  {}\n", screen.faint(&cut(&line(&agent.task), room)));
    }
    text.push('\n');
    match outcome {
        Some(outcome) => text += &closing(&outcome, None, screen),
        None if session.is_running() => text += "it is still running\n",
        None => text += "its process ended before it did\n",
    }
    text += &screen.entry("conversations:", &format!("remit trace {} AGENT", session.id()), 16);
    Ok(text)
}

fn agents(session: &Session) -> Result<(Vec<Agent>, Option<Outcome>), Failure> {
    let mut outcome = None;
    let mut agents = Vec::new();
    for path in session.agents().map_err(Failure::refused)? {
        let mut agent = Agent { agent: path, ..Agent::default() };
        for event in session.trace(&agent.agent).map_err(Failure::refused)?.events {
            agent.note(event.kind, &mut outcome);
        }
        agents.push(agent);
    }
    // A child's task is in its parent's words, and its first message is a whole assignment.
    let tasks = agents.iter().map(|agent| task_of(session, &agent.agent)).collect::<Result<Vec<_>, _>>()?;
    for (agent, task) in agents.iter_mut().zip(tasks) {
        if let Some(task) = task {
            agent.task = task;
        }
    }
    Ok((agents, outcome))
}

/// What the agent's parent gave it to do.
fn task_of(session: &Session, path: &str) -> Result<Option<String>, Failure> {
    let Some((parent, _)) = path.rsplit_once('/') else { return Ok(None) };
    let events = session.trace(parent).map_err(Failure::refused)?.events;
    Ok(events.into_iter().find_map(|event| match event.kind {
        EventKind::Delegated { child, task, .. } if child == path => Some(task),
        _ => None,
    }))
}

impl Agent {
    fn note(&mut self, kind: EventKind, outcome: &mut Option<Outcome>) {
        match kind {
            EventKind::RunStarted { prompt, role, .. } => {
                // Of a conversation, what it began with.
                if self.task.is_empty() {
                    self.task = prompt;
                }
                self.role = role;
                *outcome = None;
            }
            EventKind::AgentStarted { role, model, .. } => {
                self.role = role;
                self.model = model;
                self.status = None;
            }
            EventKind::ModelReply { usage, .. } => {
                self.turns += 1;
                self.tokens = self.tokens.saturating_add(usage.total());
            }
            EventKind::ToolStarted { .. } => self.tool_calls += 1,
            // What the runtime counted is right also where a provider told nothing.
            EventKind::AgentFinished { status, limit, reason, turns, usage, duration_ms, .. } => {
                self.status = Some(status);
                (self.limit, self.reason) = (limit, reason);
                self.turns = self.before.0 + turns;
                self.tokens = self.before.1.saturating_add(usage.total());
                self.duration_ms = self.duration_ms.saturating_add(duration_ms);
                self.before = (self.turns, self.tokens);
            }
            EventKind::Outcome(of_run) => *outcome = Some(of_run),
            _ => {}
        }
    }
}
