use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Number, Value};
use toml::Spanned;

use crate::ModelError;
use crate::chat::{StopReason, ToolCall, Usage};

/// One turn, checked.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) whose: Whose,
    pub(super) text: String,
    /// With empty ids where the script gives none.
    pub(super) calls: Vec<ToolCall>,
    pub(super) usage: Usage,
    pub(super) end: End,
    pub(super) gate: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Whose {
    Agent(String),
    Role(String),
}

/// How a turn ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Stop(StopReason),
    Disconnect,
    BadJson,
    Hang,
    Http(u16),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    turn: Vec<Spanned<TurnEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnEntry {
    agent: Option<String>,
    role: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<CallEntry>,
    stop: Option<Spanned<StopReason>>,
    #[serde(default)]
    usage: UsageEntry,
    fault: Option<Spanned<String>>,
    gate: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallEntry {
    tool: String,
    args: Option<Spanned<toml::Value>>,
    #[serde(default)]
    id: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct UsageEntry {
    #[serde(default)]
    input: u64,
    #[serde(default)]
    cached: u64,
    #[serde(default)]
    output: u64,
}

/// What is wrong, and where in the text.
struct Wrong(Range<usize>, String);

/// Reads a script's turns, in order.
pub(super) fn turns(path: &Path, text: &str) -> Result<Vec<Turn>, ModelError> {
    let error = |span: Option<Range<usize>>, message: &str| {
        let (line, column) = span.map(|span| place(text, span.start)).unzip();
        ModelError::Script { path: path.to_owned(), line, column, message: message.to_owned() }
    };
    let file: File = toml::from_str(text).map_err(|wrong| error(wrong.span(), wrong.message()))?;
    file.turn
        .into_iter()
        .map(|entry| turn(entry).map_err(|Wrong(span, message)| error(Some(span), &message)))
        .collect()
}

fn turn(entry: Spanned<TurnEntry>) -> Result<Turn, Wrong> {
    let span = entry.span();
    let entry = entry.into_inner();
    let whose = match (entry.agent, entry.role) {
        (Some(agent), None) => Whose::Agent(agent),
        (None, Some(role)) => Whose::Role(role),
        _ => return Err(Wrong(span, "a turn needs either `agent` or `role`".to_owned())),
    };
    let calls = entry.calls.into_iter().map(call).collect::<Result<Vec<_>, _>>()?;
    let end = match (entry.fault, entry.stop) {
        (Some(fault), Some(_)) => {
            return Err(Wrong(fault.span(), "`fault` takes the place of `stop`".to_owned()));
        }
        (Some(fault), None) => {
            let end = parse_fault(&fault)?;
            if matches!(end, End::Http(_)) && !(entry.text.is_empty() && calls.is_empty()) {
                let message = format!("`{}` takes the place of `text` and `calls`", fault.as_ref());
                return Err(Wrong(fault.span(), message));
            }
            end
        }
        (None, Some(stop)) => End::Stop(stop.into_inner()),
        (None, None) if calls.is_empty() => End::Stop(StopReason::End),
        (None, None) => End::Stop(StopReason::ToolUse),
    };
    let UsageEntry { input, cached, output } = entry.usage;
    let usage = Usage { input_tokens: input, cached_tokens: cached, output_tokens: output };
    Ok(Turn { whose, text: entry.text, calls, usage, end, gate: entry.gate })
}

fn parse_fault(fault: &Spanned<String>) -> Result<End, Wrong> {
    let name = fault.as_ref().as_str();
    let status = name.strip_prefix("http-").and_then(|status| status.parse().ok());
    match (name, status) {
        ("disconnect", _) => Ok(End::Disconnect),
        ("bad-json", _) => Ok(End::BadJson),
        ("hang", _) => Ok(End::Hang),
        (_, Some(status @ 400..=599)) => Ok(End::Http(status)),
        _ => {
            let message = format!(
                "unknown fault `{name}`: expected `disconnect`, `bad-json`, `hang` or a status such as `http-500`"
            );
            Err(Wrong(fault.span(), message))
        }
    }
}

fn call(entry: CallEntry) -> Result<ToolCall, Wrong> {
    let arguments = match entry.args {
        None => "{}".to_owned(),
        Some(args) => {
            let span = args.span();
            match args.into_inner() {
                toml::Value::String(raw) => raw,
                table @ toml::Value::Table(_) => {
                    json(table).map_err(|message| Wrong(span, message))?.to_string()
                }
                _ => {
                    let message = "`args` is a table, or a string that is sent as it stands".to_owned();
                    return Err(Wrong(span, message));
                }
            }
        }
    };
    Ok(ToolCall { id: entry.id, name: entry.tool.replace('.', "__"), arguments })
}

fn json(value: toml::Value) -> Result<Value, String> {
    Ok(match value {
        toml::Value::String(text) => Value::from(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => Number::from_f64(number)
            .map(Value::Number)
            .ok_or_else(|| format!("JSON has no number `{number}`"))?,
        toml::Value::Boolean(flag) => Value::from(flag),
        toml::Value::Datetime(time) => Value::from(time.to_string()),
        toml::Value::Array(items) => Value::from(items.into_iter().map(json).collect::<Result<Vec<_>, _>>()?),
        toml::Value::Table(table) => {
            let entries = table.into_iter().map(|(key, value)| Ok::<_, String>((key, json(value)?)));
            Value::Object(entries.collect::<Result<Map<_, _>, _>>()?)
        }
    })
}

/// Line and column of a byte offset, both from 1, the column in characters.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}
