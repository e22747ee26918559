use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::chat::Usage;

/// One event of a streamed reply. Each kind has some of these; servers leave out what they have nothing to say about.
#[derive(Debug, Deserialize)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", default)]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) output_index: Option<u64>,
    #[serde(default)]
    pub(super) item_id: Option<String>,
    /// A part of words or arguments; other kinds of events have other things here.
    #[serde(default, borrow)]
    pub(super) delta: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) arguments: Option<String>,
    #[serde(default, borrow)]
    pub(super) item: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) response: Option<Response<'a>>,
}

/// The reply as a whole, as the first and the last events have it.
#[derive(Debug, Deserialize)]
pub(super) struct Response<'a> {
    #[serde(default, borrow)]
    pub(super) output: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    pub(super) usage: Option<UsageCount>,
    #[serde(default)]
    pub(super) incomplete_details: Option<Incomplete>,
    #[serde(default)]
    pub(super) error: Option<Value>,
    #[serde(default)]
    pub(super) status: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Incomplete {
    #[serde(default)]
    pub(super) reason: Option<String>,
}

/// One item of the output.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Output {
    #[serde(rename = "type", default)]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) call_id: Option<String>,
    #[serde(default)]
    pub(super) name: Option<String>,
    /// A string by the API's documentation; an object from some servers.
    #[serde(default)]
    pub(super) arguments: Option<Value>,
    #[serde(default)]
    pub(super) content: Option<Vec<Content>>,
    #[serde(default)]
    pub(super) encrypted_content: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Content {
    #[serde(rename = "type", default)]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) refusal: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct UsageCount {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    input_tokens_details: Option<InputDetails>,
    #[serde(default)]
    output_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct InputDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl UsageCount {
    pub(super) fn usage(self) -> Usage {
        let cached = self.input_tokens_details.and_then(|details| details.cached_tokens);
        Usage {
            input_tokens: self.input_tokens.unwrap_or_default(),
            cached_tokens: cached.unwrap_or_default(),
            output_tokens: self.output_tokens.unwrap_or_default(),
        }
    }
}
