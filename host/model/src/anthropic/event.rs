use serde::Deserialize;
use serde_json::{Map, Value};

use crate::chat::Usage;

/// One event of a streamed reply. Kinds that are not listed are passed over, as the API's documentation asks; servers
/// leave out what they have nothing to say about.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    MessageStart {
        #[serde(default)]
        message: Option<Start>,
    },
    ContentBlockStart {
        #[serde(default)]
        index: Option<u64>,
        content_block: Map<String, Value>,
    },
    ContentBlockDelta {
        #[serde(default)]
        index: Option<u64>,
        delta: Delta,
    },
    MessageDelta {
        #[serde(default)]
        delta: Option<End>,
        #[serde(default)]
        usage: Option<UsageCount>,
    },
    MessageStop,
    Error {
        #[serde(default)]
        error: Value,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct Start {
    #[serde(default)]
    pub(super) usage: Option<UsageCount>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "input_json_delta")]
    Input {
        #[serde(default)]
        partial_json: String,
    },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct End {
    #[serde(default)]
    pub(super) stop_reason: Option<String>,
}

/// Counts, of which a later event may repeat or complete those of an earlier one. They are sums, not steps.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct UsageCount {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
}

impl UsageCount {
    /// Takes over what `later` knows.
    pub(super) fn update(&mut self, later: UsageCount) {
        self.input_tokens = later.input_tokens.or(self.input_tokens);
        self.cache_creation_input_tokens =
            later.cache_creation_input_tokens.or(self.cache_creation_input_tokens);
        self.cache_read_input_tokens = later.cache_read_input_tokens.or(self.cache_read_input_tokens);
        self.output_tokens = later.output_tokens.or(self.output_tokens);
    }

    /// The API counts what it wrote into its cache and what it read from there beside the other input.
    pub(super) fn usage(self) -> Usage {
        let cached = self.cache_read_input_tokens.unwrap_or_default();
        let written = self.cache_creation_input_tokens.unwrap_or_default();
        let input = self.input_tokens.unwrap_or_default();
        Usage {
            input_tokens: input.saturating_add(written).saturating_add(cached),
            cached_tokens: cached,
            output_tokens: self.output_tokens.unwrap_or_default(),
        }
    }
}
