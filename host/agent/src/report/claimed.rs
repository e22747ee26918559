//! What a child says of itself that is the runtime's to say: kept apart, to be compared with what was really done.

use serde_json::Value;

use super::bounds::{MAX_CHANGES, MAX_VERIFICATION, PLACE_BYTES, bounded};
use super::parse::list;

/// A command that a child says to have run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimedRun {
    /// The command; nothing if it names none.
    pub command: Option<String>,
    /// The exit code that it says it had.
    pub exit_code: Option<i64>,
}

/// The paths of the child's own `changes`, each an object with a `path` or words that begin with one.
pub(super) fn claimed_paths(value: Option<&Value>) -> Vec<String> {
    let values = list(value.cloned()).into_iter().take(MAX_CHANGES);
    let path = |value: Value| match value {
        Value::String(text) => Some(bounded(text.split_whitespace().next()?, PLACE_BYTES)),
        Value::Object(object) => Some(bounded(object.get("path")?.as_str()?, PLACE_BYTES)),
        _ => None,
    };
    values.filter_map(path).filter(|path| !path.is_empty()).collect()
}

/// The child's own `verification`, each an object with a `command`, or words.
pub(super) fn claimed_runs(value: Option<&Value>) -> Vec<ClaimedRun> {
    let values = list(value.cloned()).into_iter().take(MAX_VERIFICATION);
    let words = |words: &str| Some(bounded(words, PLACE_BYTES)).filter(|words| !words.is_empty());
    let run = |value: Value| match value {
        Value::String(text) => ClaimedRun { command: words(&text), exit_code: None },
        Value::Object(object) => ClaimedRun {
            command: match object.get("command") {
                Some(Value::String(text)) => words(text),
                Some(Value::Array(argv)) => {
                    let argv: Vec<&str> = argv.iter().filter_map(Value::as_str).collect();
                    words(&argv.join(" "))
                }
                _ => None,
            },
            exit_code: object.get("exit_code").and_then(Value::as_i64),
        },
        _ => ClaimedRun::default(),
    };
    values.map(run).collect()
}
