use std::collections::VecDeque;

use serde_json::Value;

use crate::ModelError;
use crate::chat::{
    MAX_REPLY_BYTES, ModelEvent, ReplyParts, StopReason, ToolCall, Transcript, Usage, fresh_id,
};
use crate::exchange::{Secrets, fault};

/// How much of an event that can't be read is shown, in characters.
const SHOWN: usize = 120;

/// A reply that is being read: what is ready to be passed on, and what bounds it.
pub(crate) struct Draft<'a> {
    ready: VecDeque<ModelEvent>,
    transcript: &'a Transcript,
    secrets: Secrets,
    text_bytes: usize,
    bytes: usize,
    ended: bool,
}

impl<'a> Draft<'a> {
    /// A reply to `transcript`, of a server that must not repeat `secrets`.
    pub(crate) fn new(transcript: &'a Transcript, secrets: Secrets) -> Draft<'a> {
        Draft { ready: VecDeque::new(), transcript, secrets, text_bytes: 0, bytes: 0, ended: false }
    }

    /// The next event to pass on.
    pub(super) fn pop(&mut self) -> Option<ModelEvent> {
        self.ready.pop_front()
    }

    /// Whether the reply is complete.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Passes on further words.
    pub(crate) fn text(&mut self, text: String) -> Result<(), ModelError> {
        self.grow(text.len())?;
        self.text_bytes += text.len();
        if !text.is_empty() {
            self.ready.push_back(ModelEvent::Text(text));
        }
        Ok(())
    }

    /// The length of all words so far, in bytes.
    pub(crate) fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    /// Counts what is kept of the reply.
    pub(crate) fn grow(&mut self, more: usize) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(more);
        if self.bytes > MAX_REPLY_BYTES {
            return Err(ModelError::TooLarge { what: "bytes in one reply", limit: MAX_REPLY_BYTES });
        }
        Ok(())
    }

    /// The reply is complete.
    pub(crate) fn end(
        &mut self,
        calls: Vec<ToolCall>,
        parts: Option<ReplyParts>,
        usage: Option<Usage>,
        stop: StopReason,
    ) {
        for mut call in calls {
            if self.transcript.has_call(&call.id) {
                call.id = fresh_id();
            }
            self.ready.push_back(ModelEvent::ToolCall(call));
        }
        self.ready.extend(parts.filter(|parts| !parts.is_plain()).map(ModelEvent::Parts));
        self.ready.extend(usage.map(ModelEvent::Usage));
        self.ready.push_back(ModelEvent::Stop(stop));
        self.ended = true;
    }

    /// The error that a server reports in the place of an event.
    pub(crate) fn broken_off(&self, error: &Value) -> ModelError {
        let error = error.get("error").filter(|error| !error.is_null()).unwrap_or(error);
        let message = fault::of_value(error);
        ModelError::Provider { message: self.secrets.redacted(&message), passing: fault::is_passing(error) }
    }

    /// An event that is no JSON, or JSON of another shape.
    pub(crate) fn damaged(&self, data: &str, error: &serde_json::Error) -> ModelError {
        // Redacted before it is cut, so that no half of a key is left.
        let length = data.char_indices().nth(4 * SHOWN).map_or(data.len(), |(end, _)| end);
        let redacted = self.secrets.redacted(&data[..length]);
        let start: String = redacted.chars().take(SHOWN).collect();
        ModelError::Damaged { message: format!("{error} in the event `{}`", fault::shortened(&start)) }
    }

    /// Something that has no meaning here, such as a reason to stop that nobody knows.
    pub(crate) fn meaningless(&self, what: &str, word: &str) -> ModelError {
        let word = fault::shortened(&self.secrets.redacted(word));
        ModelError::BadStream { message: format!("the unknown {what} `{word}`") }
    }

    pub(super) fn redacted(&self, text: &str) -> String {
        self.secrets.redacted(text)
    }
}
