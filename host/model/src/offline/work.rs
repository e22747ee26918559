//! What the planner has done so far, read from the transcript alone: it keeps nothing between turns.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::question::Question;
use super::results::{Line, lines_of, matches, paths};
use super::tools::Tools;
use super::topics::Topic;
use super::weigh::{Sight, weigh, weigh_together};
use crate::chat::{Content, Message, ToolCall};

/// One agent's calls and what they brought.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// Turns that made calls.
    pub(super) rounds: usize,
    /// Whether files were read.
    pub(super) has_read: bool,
    /// Lines that say something, the most telling first, none twice.
    pub(super) sights: Vec<Sight>,
    /// Files whose presence answers a topic.
    pub(super) present: Vec<(&'static Topic, String)>,
    /// All files that were named.
    pub(super) files: Vec<String>,
    /// What went wrong, a line each.
    pub(super) failures: Vec<String>,
}

impl Work {
    /// Reads the messages that follow the question.
    pub(super) fn read(question: &Question, tools: &Tools<'_>, messages: &[Message]) -> Work {
        let mut work = Work::default();
        let mut calls: HashMap<&str, &ToolCall> = HashMap::new();
        let mut lines = Vec::new();
        let mut whole: Vec<Vec<Line>> = Vec::new();
        for message in messages {
            match &message.content {
                Content::User { .. } => {}
                Content::Assistant { calls: made, .. } => {
                    work.rounds += usize::from(!made.is_empty());
                    calls.extend(made.iter().map(|call| (call.id.as_str(), call)));
                }
                Content::ToolResult { text, is_error: true, name, .. } => {
                    work.failures.push(format!("{name}: {}", text.lines().next().unwrap_or_default()));
                }
                Content::ToolResult { call_id, text, .. } => {
                    let Some(call) = calls.get(call_id.as_str()) else { continue };
                    let is = |tool: Option<&crate::ToolSpec>| tool.is_some_and(|tool| tool.name == call.name);
                    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
                    let argument =
                        |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
                    if is(tools.grep) {
                        lines.extend(matches(text));
                    } else if is(tools.read) {
                        work.has_read = true;
                        whole.push(lines_of(argument("path"), text));
                    } else if is(tools.find) || is(tools.list) {
                        work.name(question, argument("pattern"), paths(text));
                    }
                }
            }
        }

        let mut sights: Vec<Sight> = lines.iter().filter_map(|line| weigh(question, line, false)).collect();
        for lines in &whole {
            sights.extend(weigh_together(question, lines));
            sights.extend(work.first_line(lines));
        }
        work.sights = ranked(sights, &work.files);
        work
    }

    fn name(&mut self, question: &Question, pattern: &str, paths: Vec<String>) {
        for topic in question.topics.iter().filter(|topic| !topic.files.is_empty() && topic.files == pattern)
        {
            let shown = paths.iter().filter(|path| super::place::kind(path) != super::place::Kind::Generated);
            self.present.extend(shown.map(|path| (*topic, path.clone())));
        }
        self.files.extend(paths);
    }

    /// The first line of a file whose presence is an answer.
    fn first_line(&self, lines: &[Line]) -> Option<Sight> {
        let line = lines.iter().find(|line| !line.text.trim().is_empty())?;
        let (topic, path) = self.present.iter().find(|(_, path)| *path == line.path)?;
        let score = 45 - 8 * i64::try_from(super::place::depth(path)).unwrap_or(8).min(5);
        let shape = super::shape::Shape::Other;
        (line.number <= 5).then(|| Sight { line: line.clone(), score, shape, answers: Some((*topic, "")) })
    }
}

/// The most telling line first; of those that were shown twice, one. What belongs to an ecosystem whose manifest lies
/// deeper than another's is about a part of the project.
fn ranked(sights: Vec<Sight>, files: &[String]) -> Vec<Sight> {
    use super::place::{Kind, depth, ecosystem, is_manifest, kind, name};

    let counts = |path: &str| {
        is_manifest(name(path)) && !matches!(kind(path), Kind::Fixture | Kind::Generated | Kind::Example)
    };
    let mut depths = HashMap::new();
    for path in files.iter().map(String::as_str).chain(sights.iter().map(|sight| sight.line.path.as_str())) {
        if let Some(of) = ecosystem(path).filter(|_| counts(path)) {
            let least = depths.entry(of).or_insert(usize::MAX);
            *least = depth(path).min(*least);
        }
    }
    let shallowest = depths.values().min().copied().unwrap_or(0);
    let mut sights = sights;
    for sight in &mut sights {
        let own = ecosystem(&sight.line.path).and_then(|of| depths.get(&of)).copied().unwrap_or(shallowest);
        if sight.answers.is_some() && own > shallowest {
            sight.score =
                sight.score * (100 - 30 * i64::try_from(own - shallowest).unwrap_or(2).min(2)) / 100;
        }
    }
    sights.sort_by(|a, b| {
        let place = |sight: &Sight| (sight.line.path.clone(), sight.line.number);
        b.score.cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
    });
    let mut seen = HashSet::new();
    sights.retain(|sight| seen.insert((sight.line.path.clone(), sight.line.number)));
    sights
}
