//! The planner as a parent: it hands the question to a subagent, and words the report that comes back.

use serde_json::{Map, Value, json};

use super::findings::Findings;
use super::question::Question;
use super::tools::{Tools, Wish, wish};
use super::wording::Wording;
use crate::chat::{Content, Message};

/// The role that is preferred for looking things up.
const EXPLORER: &str = "explorer";

/// The call that delegates the question.
pub(super) fn delegate(text: &str, question: &Question, tools: &Tools<'_>) -> Option<Wish> {
    let task = tools.task?;
    let roles = tools.roles();
    let role = match roles.iter().find(|role| **role == EXPLORER) {
        Some(role) => role,
        None => roles.first().copied().unwrap_or(EXPLORER),
    };
    let wording = Wording::of(question.chinese);
    let arguments = json!({
        "role": role,
        "task": text,
        "expected_output": wording.expected_output(),
        "done_when": wording.done_when(),
    });
    Some(wish(task, arguments))
}

/// The answer, once a result is there; `messages` follow the question.
pub(super) fn answer(question: &Question, messages: &[Message]) -> Option<String> {
    let wording = Wording::of(question.chinese);
    let (text, is_error) = messages.iter().rev().find_map(|message| match &message.content {
        Content::ToolResult { text, is_error, .. } => Some((text, *is_error)),
        _ => None,
    })?;
    if is_error {
        return Some(wording.task_failed(text.trim()));
    }
    let Some(report) = report_in(text) else { return Some(text.trim().to_owned()) };
    Some(worded(&report, wording))
}

/// The answer of an agent that looked for itself and was asked by a person.
pub(super) fn told(findings: &Findings, chinese: bool) -> String {
    match findings.report() {
        Value::Object(report) => worded(&report, Wording::of(chinese)),
        _ => findings.summary.clone(),
    }
}

/// The JSON object of a report, which may stand in a fence with words before it.
fn report_in(text: &str) -> Option<Map<String, Value>> {
    text.match_indices('{').take(16).find_map(|(start, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Map<String, Value>>();
        values.next()?.ok().filter(|object| object.contains_key("summary"))
    })
}

fn worded(report: &Map<String, Value>, wording: Wording) -> String {
    let string = |key: &str| report.get(key).and_then(Value::as_str).unwrap_or_default().trim();
    let list = |key: &str| report.get(key).and_then(Value::as_array).into_iter().flatten();
    let mut blocks = Vec::new();
    let status = string("status");
    if !status.is_empty() && status != "completed" {
        let limit = string("limit");
        let status = if limit.is_empty() { status.to_owned() } else { format!("{status}, {limit}") };
        blocks.push(wording.unfinished(&status));
    }
    let summary = string("summary");
    if !summary.is_empty() {
        blocks.push(capitalised(summary));
    }
    let places: Vec<String> = list("evidence").filter_map(place).collect();
    if !places.is_empty() {
        blocks.push(places.join("\n"));
    }
    let sentence =
        |value: &Value| value.as_str().map(|text| text.trim().trim_end_matches(['.', '。']).to_owned());
    blocks.extend(list("warnings").filter_map(sentence).map(|text| wording.warning(&text)));
    let unsaid = |text: &String| !summary.contains(text.as_str());
    blocks.extend(list("open_questions").filter_map(sentence).filter(unsaid).map(|text| wording.open(&text)));
    blocks.join("\n\n")
}

/// A place of evidence as a line of a list: `- path:line — reason`.
fn place(evidence: &Value) -> Option<String> {
    if let Some(text) = evidence.as_str() {
        return Some(format!("- {text}"));
    }
    let path = evidence.get("path").or_else(|| evidence.get("url"))?.as_str()?;
    let line =
        evidence.get("line").and_then(Value::as_u64).map(|line| format!(":{line}")).unwrap_or_default();
    let reason = evidence.get("reason").and_then(Value::as_str).unwrap_or_default();
    let dash = if reason.is_empty() { "" } else { " — " };
    Some(format!("- {path}{line}{dash}{reason}"))
}

fn capitalised(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    if !text.ends_with(['.', '。', '!', '?', '…', '`']) && text.is_ascii() {
        text.push('.');
    }
    text
}
