//! Events as lines for a person: one a call, indented by how deep the agent is.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use remit_agent::{ChangeKind, Decider, Entry, Event, EventKind, NoteRecord, Report, Status, Verification};

use super::arguments::call;
use super::gist::gist;
use crate::screen::{Screen, bytes, count, cut, line, number, time, width, wrap};

/// How many of a report's warnings are shown; all of them are in the trace.
const MAX_WARNINGS: usize = 3;

/// The fewest columns that the words of a call are cut to.
const LEAST_CALL: usize = 16;

/// Makes the lines of one run.
#[derive(Debug)]
pub(crate) struct Lines {
    screen: Screen,
    /// The arguments of the calls that are under way, by agent and call.
    arguments: HashMap<(String, String), String>,
    /// What the calls changed that are about to be finished.
    changes: HashMap<(String, String), String>,
    /// The `task` calls that have a child, which has lines of its own.
    delegated: HashSet<(String, String)>,
    model: Option<String>,
}

impl Lines {
    pub(crate) fn new(screen: Screen) -> Lines {
        Lines {
            screen,
            arguments: HashMap::new(),
            changes: HashMap::new(),
            delegated: HashSet::new(),
            model: None,
        }
    }

    /// The lines that an event is worth, each with its line break; mostly one, or none.
    pub(crate) fn of(&mut self, event: &Event) -> String {
        let agent = event.agent.as_str();
        match &event.kind {
            EventKind::AgentStarted { model, .. } => self.started(agent, model),
            EventKind::ModelReply { text, calls, .. } => {
                for call in calls {
                    self.arguments.insert((agent.to_owned(), call.id.clone()), call.arguments.clone());
                }
                let words = line(text);
                if calls.is_empty() || words.is_empty() { String::new() } else { self.said(agent, &words) }
            }
            EventKind::Effects { call_id, effects, .. } => {
                if let Some(words) = changes(effects).or_else(|| outward(effects)) {
                    self.changes.insert((agent.to_owned(), call_id.clone()), words);
                }
                String::new()
            }
            EventKind::Answer { granted, by, reason, .. } => self.answer(agent, (*granted, *by), reason),
            EventKind::ToolFinished { call_id, tool, is_error, text, duration_ms, refusals, .. } => {
                let key = (agent.to_owned(), call_id.clone());
                let arguments = self.arguments.remove(&key).unwrap_or_default();
                if self.delegated.remove(&key) {
                    return String::new();
                }
                let changes = self.changes.remove(&key);
                let result = changes.as_deref().filter(|_| !is_error).unwrap_or(text);
                let mut lines = self.call(agent, tool, &arguments, (*is_error, result), *duration_ms);
                for refusal in refusals.iter().take(MAX_WARNINGS) {
                    lines += &self.remark(agent, &format!("refused: {refusal}"));
                }
                lines
            }
            EventKind::Delegated { call_id, child, task, .. } => {
                self.delegated.insert((agent.to_owned(), call_id.clone()));
                let name = child.rsplit('/').next().unwrap_or(child);
                self.delegated(agent, &format!("→ {}", line(name)), &line(task))
            }
            EventKind::Report { report, .. } => self.report(report),
            EventKind::Notes { notes } => {
                let note = |note: &NoteRecord| {
                    format!("{} ({}{})", note.path, bytes(note.bytes), if note.cut { ", cut" } else { "" })
                };
                let words: Vec<String> = notes.iter().map(note).collect();
                self.said(agent, &format!("notes: {}", line(&words.join(", "))))
            }
            EventKind::InputQueued { text } => self.said(agent, &format!("queued: {}", line(text))),
            EventKind::InputTaken { text } => self.said(agent, &format!("taken in: {}", line(text))),
            EventKind::ModelRetry { reason, wait_ms, .. } => {
                self.remark(agent, &format!("{reason}; asked again in {}", time(*wait_ms)))
            }
            EventKind::Warning { text } => self.remark(agent, text),
            EventKind::Budget { limit, text } => self.remark(agent, &format!("{limit}: {text}")),
            _ => String::new(),
        }
    }

    /// Only a model that is another than the root's is worth a line.
    fn started(&mut self, agent: &str, model: &str) -> String {
        let of_root = self.model.get_or_insert_with(|| model.to_owned());
        if of_root == model { String::new() } else { self.said(agent, &format!("asks {}", line(model))) }
    }

    fn call(&self, agent: &str, tool: &str, arguments: &str, result: (bool, &str), millis: u64) -> String {
        let (is_error, text) = result;
        let first = || line(text.lines().find(|line| !line.trim().is_empty()).unwrap_or("error"));
        let (gist, time) = if is_error { (first(), time(millis)) } else { (gist(text), time(millis)) };
        let (head, tool) = (head(agent), line(tool));
        // The words of the call give way before the result's do, and both before the time.
        let fixed = width(&head) + width(&tool) + width(&time) + 7;
        let room = self.screen.width.saturating_sub(fixed);
        let gist = cut(&gist, room.saturating_sub(LEAST_CALL).max(LEAST_CALL));
        let words = call(arguments, room.saturating_sub(width(&gist)).max(LEAST_CALL));
        let gist = if is_error { self.screen.bad(&gist) } else { gist };
        let gap = if words.is_empty() { "" } else { " " };
        format!("{}{}{gap}{words} · {gist} · {time}\n", self.screen.faint(&head), self.screen.strong(&tool))
    }

    /// Only what the person who watches did not answer just now is news.
    fn answer(&self, agent: &str, (granted, by): (bool, Decider), reason: &str) -> String {
        let words = match (granted, by) {
            (true, Decider::Policy) => "approved, as --approve says",
            (true, Decider::Earlier) => "approved, as you said before",
            (false, Decider::Policy) => "not approved, as --approve says",
            (false, Decider::Nobody) => {
                "not approved: there is no terminal to ask on (--approve allow answers yes)"
            }
            (false, Decider::Rule) => reason,
            _ => return String::new(),
        };
        if granted { self.said(agent, words) } else { self.remark(agent, words) }
    }

    fn report(&self, report: &Report) -> String {
        let agent = report.agent.as_str();
        let status = match report.status {
            Status::Completed => self.screen.good(report.status.as_str()),
            other => self.screen.bad(other.as_str()),
        };
        let limit = report.limit.as_ref().map(|limit| format!(" ({})", line(limit))).unwrap_or_default();
        let changes = match u64::try_from(report.changes.len()) {
            Ok(0) | Err(_) => String::new(),
            Ok(files) => format!(" · {} changed", count(files, "file")),
        };
        let ran = ran(&report.verification);
        let places = u64::try_from(report.evidence.len()).unwrap_or(u64::MAX);
        let figures = format!(
            "{limit} · {}{changes}{ran} · {} · {} · {}",
            count(places, "place"),
            count(report.turns, "turn"),
            count(report.usage.total(), "token"),
            time(report.duration_ms)
        );
        let mut lines = format!("{}{status}{figures}\n", self.screen.faint(&head(agent)));
        let summary = line(&report.summary);
        if !summary.is_empty() {
            lines += &self.said(agent, &summary);
        }
        for warning in report.warnings.iter().take(MAX_WARNINGS) {
            lines += &self.remark(agent, warning);
        }
        if let Some(more @ 1..) = report.warnings.len().checked_sub(MAX_WARNINGS) {
            let more = number(u64::try_from(more).unwrap_or(u64::MAX));
            lines += &self.remark(agent, &format!("and {more} more warnings"));
        }
        lines
    }

    /// Somebody's words, as far as they fit on the line.
    fn said(&self, agent: &str, words: &str) -> String {
        let head = head(agent);
        let words = cut(words, self.screen.width.saturating_sub(width(&head)).max(LEAST_CALL));
        format!("{}\n", self.screen.faint(&format!("{head}{words}")))
    }

    /// Who is to do something, and what, as far as it fits.
    fn delegated(&self, agent: &str, child: &str, task: &str) -> String {
        let head = head(agent);
        let taken = width(&head) + width(child) + 2;
        let task = cut(task, self.screen.width.saturating_sub(taken).max(LEAST_CALL));
        format!("{}{}  {task}\n", self.screen.faint(&head), self.screen.strong(child))
    }

    /// Something to be careful about, whole.
    fn remark(&self, agent: &str, text: &str) -> String {
        let head = head(agent);
        let text = wrap(&line(text), self.screen.width, width(&head) + 2);
        let mut remark = String::new();
        for (number, line) in text.lines().enumerate() {
            let begin = if number == 0 { format!("{head}! ") } else { " ".repeat(width(&head) + 2) };
            // Writing to a string cannot fail.
            let _ =
                writeln!(remark, "{}{}", self.screen.faint(&begin), self.screen.careful(line.trim_start()));
        }
        remark
    }
}

/// What a call changed, such as `+3 −1`, or of more files than one, how many.
fn changes(effects: &[Entry]) -> Option<String> {
    let changed: Vec<(ChangeKind, u64, u64)> = effects
        .iter()
        .filter_map(|effect| match effect {
            Entry::Changed { kind, added, removed, .. } => Some((*kind, *added, *removed)),
            _ => None,
        })
        .collect();
    let lines = format!(
        "+{} −{}",
        changed.iter().map(|(_, added, _)| added).sum::<u64>(),
        changed.iter().map(|(.., removed)| removed).sum::<u64>()
    );
    match changed[..] {
        [] => None,
        [(ChangeKind::Created, ..)] => Some(format!("created {lines}")),
        [(ChangeKind::Deleted, ..)] => Some(format!("deleted {lines}")),
        [(ChangeKind::Moved, ..)] => Some(format!("moved {lines}")),
        [_] => Some(lines),
        _ => Some(format!("{} {lines}", count(u64::try_from(changed.len()).unwrap_or(u64::MAX), "file"))),
    }
}

/// What a call did outside of the workspace at last: how a command ended, or what a server answered.
fn outward(effects: &[Entry]) -> Option<String> {
    effects.iter().rev().find_map(|effect| match effect {
        Entry::Ran { exit_code, ended_by, .. } => Some(ended(*exit_code, ended_by.as_deref())),
        Entry::Contacted { status: Some(status), received, .. } => {
            Some(format!("{status}, {}", bytes(*received)))
        }
        _ => None,
    })
}

/// How a command ended.
pub(crate) fn ended(exit_code: Option<i32>, ended_by: Option<&str>) -> String {
    match (exit_code, ended_by) {
        (_, Some(by)) => format!("ended by {}", line(by)),
        (Some(code), None) => format!("exit code {code}"),
        (None, None) => "ended from outside".to_owned(),
    }
}

/// How many commands a report tells of, and how many of them did not end well.
fn ran(runs: &[Verification]) -> String {
    let many = |runs: usize| u64::try_from(runs).unwrap_or(u64::MAX);
    let failed = runs.iter().filter(|run| run.exit_code != Some(0)).count();
    let failed = if failed == 0 { String::new() } else { format!(", {} failed", number(many(failed))) };
    if runs.is_empty() {
        String::new()
    } else {
        format!(" · {}{failed}", count(many(runs.len()), "command"))
    }
}

/// Indentation, the agent's path, and the space behind it.
fn head(agent: &str) -> String {
    let depth = agent.matches('/').count();
    format!("{:indent$}{}  ", "", line(agent), indent = depth * 2)
}
