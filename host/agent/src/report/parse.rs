use remit_model::Usage;
use serde_json::{Map, Value};

use super::bounds::{
    MAX_CHANGES, MAX_EVIDENCE, MAX_HOSTS, MAX_SENTENCES, MAX_VERIFICATION, PLACE_BYTES, SENTENCE_BYTES,
    SUMMARY_BYTES, bounded,
};
use super::claimed::{ClaimedRun, claimed_paths, claimed_runs};
use super::{Evidence, Report};
use crate::agent_path::AgentPath;
use crate::ledger::{HostUse, NetChange, Verification};
use crate::outcome::Status;
use crate::prices::Cost;

/// The keys that a child may fill. Whatever else it writes is not its to say.
const KEYS: [&str; 4] = ["summary", "evidence", "warnings", "open_questions"];

/// In how many places of a reply an object is looked for. Stops a reply of nothing but braces from being read once for
/// each of them.
const MAX_STARTS: usize = 64;

/// How much of a reply is searched for an object, in bytes. A report is a few kilobytes.
const MAX_REPORT_BYTES: usize = 1 << 20;

/// What a child said in its last reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Its summary, or all of its words if they were no report.
    pub summary: String,
    /// The places that it named.
    pub evidence: Vec<Evidence>,
    /// Its own warnings, then those about the form of its reply.
    pub warnings: Vec<String>,
    /// Its open questions.
    pub open_questions: Vec<String>,
    /// The files that it says to have changed, which is not its to say.
    pub claimed_changes: Vec<String>,
    /// The commands that it says to have run, which is not its to say either.
    pub claimed_runs: Vec<ClaimedRun>,
}

impl Findings {
    /// Reads a child's last reply: a JSON object, by itself, in a fence, or with words around it. Anything else is taken
    /// for its summary, with a warning.
    pub fn parse(reply: &str) -> Findings {
        let reply = reply.trim();
        if reply.is_empty() {
            return Findings::default();
        }
        match find_object(reply) {
            Some(object) => read(object),
            None => Findings {
                summary: bounded(reply, SUMMARY_BYTES),
                warnings: vec!["the report was not JSON; its words are the summary".to_owned()],
                ..Findings::default()
            },
        }
    }

    /// Whether nothing was found, not even words.
    pub fn is_empty(&self) -> bool {
        self.summary.is_empty() && self.evidence.is_empty() && self.open_questions.is_empty()
    }

    /// The report that these findings make, together with what the runtime knows.
    pub(crate) fn into_report(self, known: Known<'_>) -> Report {
        let mut warnings = self.warnings;
        let Known { mut changes, mut verification, mut hosts, .. } = known;
        cut(&mut changes, MAX_CHANGES, "files were changed", &mut warnings);
        cut(&mut verification, MAX_VERIFICATION, "commands were run", &mut warnings);
        cut(&mut hosts, MAX_HOSTS, "hosts were reached", &mut warnings);
        warnings.extend(known.warnings.into_iter().map(|warning| bounded(&warning, SENTENCE_BYTES)));
        Report {
            status: known.status,
            limit: known.limit,
            summary: self.summary,
            evidence: self.evidence,
            changes,
            verification,
            hosts,
            warnings,
            open_questions: self.open_questions,
            turns: known.turns,
            usage: known.usage,
            cost: known.cost,
            role: known.role.to_owned(),
            agent: known.agent.as_str().to_owned(),
            duration_ms: known.duration_ms,
        }
    }
}

/// The runtime's part of a report.
pub(crate) struct Known<'a> {
    pub(crate) status: Status,
    pub(crate) limit: Option<String>,
    pub(crate) changes: Vec<NetChange>,
    pub(crate) verification: Vec<Verification>,
    pub(crate) hosts: Vec<HostUse>,
    pub(crate) warnings: Vec<String>,
    pub(crate) turns: u64,
    pub(crate) usage: Usage,
    pub(crate) cost: Option<Cost>,
    pub(crate) role: &'a str,
    pub(crate) agent: &'a AgentPath,
    pub(crate) duration_ms: u64,
}

fn cut<T>(known: &mut Vec<T>, most: usize, what: &str, warnings: &mut Vec<String>) {
    if known.len() > most {
        warnings.push(format!("{} {what}, of which the first {most} are named", known.len()));
        known.truncate(most);
    }
}

/// The last object in the reply that has a report's key: a report comes at the end, and what stands before it may be
/// quoted from anywhere.
fn find_object(reply: &str) -> Option<Map<String, Value>> {
    let mut rest = &reply[..reply.floor_char_boundary(MAX_REPORT_BYTES)];
    let mut found = None;
    for _ in 0..MAX_STARTS {
        let Some(start) = rest.find('{') else { break };
        rest = &rest[start..];
        // Reads one value and leaves alone what follows it: the end of a fence, or further words.
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
        match values.next() {
            Some(Ok(object)) => {
                rest = &rest[values.byte_offset()..];
                if KEYS.iter().any(|&key| object.contains_key(key)) {
                    found = Some(object);
                }
            }
            _ => rest = &rest[1..],
        }
    }
    found
}

fn read(mut object: Map<String, Value>) -> Findings {
    let mut notes = Vec::new();
    let summary = match object.shift_remove("summary") {
        Some(Value::String(text)) => bounded(&text, SUMMARY_BYTES),
        None | Some(Value::Null) => String::new(),
        Some(other) => {
            notes.push("`summary` was not a string".to_owned());
            bounded(&other.to_string(), SUMMARY_BYTES)
        }
    };
    if summary.is_empty() {
        notes.push("the report has no summary".to_owned());
    }
    let evidence = evidence(object.shift_remove("evidence"), &mut notes);
    let mut warnings = sentences("warnings", object.shift_remove("warnings"), &mut notes);
    let open_questions = sentences("open_questions", object.shift_remove("open_questions"), &mut notes);
    let claimed_changes = claimed_paths(object.get("changes"));
    let claimed_runs = claimed_runs(object.get("verification"));
    if !object.is_empty() {
        let keys: Vec<String> = object.keys().take(8).map(|key| format!("`{}`", bounded(key, 40))).collect();
        notes.push(format!("dropped from the report, as not the child's to say: {}", keys.join(", ")));
    }
    warnings.append(&mut notes);
    Findings { summary, evidence, warnings, open_questions, claimed_changes, claimed_runs }
}

/// A list, or one value that stands for a list of one.
pub(super) fn list(value: Option<Value>) -> Vec<Value> {
    match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(values)) => values,
        Some(value) => vec![value],
    }
}

fn sentences(key: &str, value: Option<Value>, notes: &mut Vec<String>) -> Vec<String> {
    let values = list(value);
    note_cut(key, values.len(), MAX_SENTENCES, notes);
    let words = values.into_iter().take(MAX_SENTENCES).map(|value| match value {
        Value::String(text) => bounded(&text, SENTENCE_BYTES),
        other => bounded(&other.to_string(), SENTENCE_BYTES),
    });
    words.filter(|text| !text.is_empty()).collect()
}

fn evidence(value: Option<Value>, notes: &mut Vec<String>) -> Vec<Evidence> {
    let values = list(value);
    note_cut("evidence", values.len(), MAX_EVIDENCE, notes);
    let mut dropped = 0usize;
    let mut places = Vec::new();
    for value in values.into_iter().take(MAX_EVIDENCE) {
        let place = match value {
            Value::String(text) => from_text(&text),
            Value::Object(object) => from_object(&object),
            _ => None,
        };
        match place {
            Some(place) => places.push(place),
            None => dropped += 1,
        }
    }
    if dropped > 0 {
        notes.push(format!("{dropped} of the evidence named no path and no URL, and was dropped"));
    }
    places
}

fn note_cut(key: &str, length: usize, most: usize, notes: &mut Vec<String>) {
    if length > most {
        notes.push(format!("`{key}` had {length} entries; the first {most} are kept"));
    }
}

/// `path:line`, `path:line-line`, `path`, or a URL.
fn from_text(text: &str) -> Option<Evidence> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    if is_url(text) {
        return Some(Evidence { url: Some(bounded(text, PLACE_BYTES)), ..Evidence::default() });
    }
    let (path, line) = match text.rsplit_once(':') {
        Some((path, line)) if !path.is_empty() => match line_number(line) {
            Some(line) => (path, Some(line)),
            None => (text, None),
        },
        _ => (text, None),
    };
    Some(Evidence { path: Some(bounded(path, PLACE_BYTES)), line, ..Evidence::default() })
}

fn from_object(object: &Map<String, Value>) -> Option<Evidence> {
    let text = |key: &str, bytes: usize| {
        let text = bounded(object.get(key)?.as_str()?, bytes);
        (!text.is_empty()).then_some(text)
    };
    let place = text("url", PLACE_BYTES).or_else(|| text("path", PLACE_BYTES))?;
    // A path may hold the line, and may be a URL.
    let mut evidence = from_text(&place)?;
    let line = match object.get("line") {
        Some(Value::Number(line)) => line.as_u64().filter(|&line| line > 0),
        Some(Value::String(line)) => line_number(line.trim()),
        _ => None,
    };
    evidence.line = line.or(evidence.line);
    evidence.reason = text("reason", SENTENCE_BYTES).unwrap_or_default();
    Some(evidence)
}

fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// The first line of `12`, `12-20` or `L12`.
fn line_number(text: &str) -> Option<u64> {
    let text = text.strip_prefix('L').unwrap_or(text);
    let (first, rest) = text.split_once('-').unwrap_or((text, "0"));
    let rest = rest.strip_prefix('L').unwrap_or(rest);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(first) || !is_number(rest) {
        return None;
    }
    first.parse().ok().filter(|&line| line > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, line: Option<u64>, reason: &str) -> Evidence {
        Evidence { path: Some(path.into()), line, reason: reason.into(), ..Evidence::default() }
    }

    #[test]
    fn an_object_is_found_bare_fenced_and_among_words() {
        let json = r#"{"summary":"uses {pytest}","evidence":[{"path":"a.py","line":3,"reason":"import"}]}"#;
        let expected = Findings {
            summary: "uses {pytest}".into(),
            evidence: vec![place("a.py", Some(3), "import")],
            ..Findings::default()
        };
        for reply in [
            json.to_owned(),
            format!("```json\n{json}\n```"),
            format!("Here {{it}} is, {{\"found\": 1}}:\n\n```\n{json}\n```\nThat is all."),
            format!("{json} {json}"),
        ] {
            assert_eq!(Findings::parse(&reply), expected, "{reply}");
        }
    }

    #[test]
    fn evidence_may_be_objects_or_words() {
        let reply = r#"{"summary":"s","evidence":["src/a.rs:12","b.rs:3-9","c d.rs","https://docs.rs/x",
            {"path":"e.rs","line":"7-9"},{"path":"f.rs:4","reason":"r"},{"url":"https://a.b/c","line":-1},
            {"line":1}, 5, ""]}"#;
        let findings = Findings::parse(reply);
        let page = |url: &str| Evidence { url: Some(url.into()), ..Evidence::default() };
        assert_eq!(
            findings.evidence,
            [
                place("src/a.rs", Some(12), ""),
                place("b.rs", Some(3), ""),
                place("c d.rs", None, ""),
                page("https://docs.rs/x"),
                place("e.rs", Some(7), ""),
                place("f.rs", Some(4), "r"),
                page("https://a.b/c"),
            ]
        );
        assert_eq!(findings.warnings, ["3 of the evidence named no path and no URL, and was dropped"]);
    }

    #[test]
    fn prose_is_the_summary_and_says_so() {
        let findings = Findings::parse("It uses pytest, see {tests}.");
        assert_eq!(findings.summary, "It uses pytest, see {tests}.");
        assert_eq!(findings.warnings, ["the report was not JSON; its words are the summary"]);
    }

    #[test]
    fn what_the_runtime_says_a_child_cannot() {
        let reply =
            r#"{"summary":"s","status":"completed","turns":1,"changes":[],"verification":[{"exit_code":0}]}"#;
        let findings = Findings::parse(reply);
        assert_eq!(findings.summary, "s");
        assert_eq!(
            findings.warnings,
            [
                "dropped from the report, as not the child's to say: `status`, `turns`, `changes`, `verification`"
            ]
        );
    }

    #[test]
    fn nothing_is_nothing_in_every_shape() {
        for reply in
            ["", " \n", r#"{"summary":""}"#, r#"{"summary":" ","evidence":[]}"#, r#"{"evidence":null}"#]
        {
            assert!(Findings::parse(reply).is_empty(), "{reply:?}");
        }
        assert!(!Findings::parse("{}").is_empty(), "words that are no report are words all the same");
    }

    #[test]
    fn a_flood_is_bounded_and_inert() {
        let evidence: Vec<String> = (1..200).map(|line| format!("a.rs:{line}")).collect();
        let warning = format!("\u{1b}[2J{}", "w".repeat(5000));
        let reply = serde_json::json!({
            "summary": "s\u{202e}".repeat(9000), "evidence": evidence, "warnings": warning, "open_questions": [1, "q"],
        });
        let findings = Findings::parse(&reply.to_string());
        assert!(findings.summary.len() <= SUMMARY_BYTES && findings.summary.starts_with("s\\u{202e}"));
        assert_eq!(findings.evidence.len(), MAX_EVIDENCE);
        assert!(
            findings.warnings[0].len() <= SENTENCE_BYTES && findings.warnings[0].starts_with("\\u{1b}[2J")
        );
        assert_eq!(findings.warnings[1], "`evidence` had 199 entries; the first 50 are kept");
        assert_eq!(findings.open_questions, ["1", "q"]);
    }

    #[test]
    fn a_reply_of_braces_is_read_as_words() {
        let findings = Findings::parse(&"{".repeat(1 << 20));
        assert!(findings.summary.len() <= SUMMARY_BYTES);
    }
}
