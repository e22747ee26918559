use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{BoxStream, try_unfold};
use futures::{Stream, StreamExt};
use serde_json::Value;
use sse_stream::{Sse, SseByteStream};

use crate::ModelError;
use crate::chat::{MAX_REPLY_BYTES, ModelEvent, StopReason, Usage, fresh_id};
use crate::openai::assembly::Assembly;
use crate::openai::chunk::{Choice, Chunk};
use crate::openai::fault;

/// The longest single event, in bytes, with the comments before it. Stops a line that never ends.
const MAX_EVENT_BYTES: usize = 8 << 20;

/// How long a server that has said why the reply ended may take for what follows: its usage count and `[DONE]`.
const AFTER_FINISH: Duration = Duration::from_secs(5);

/// Reads a streamed reply.
///
/// `taken` says whether the conversation has a call with an id already; `redact` takes secrets out of what a server says.
pub(super) fn events<'a>(
    bytes: BoxStream<'a, Result<Bytes, ModelError>>,
    taken: impl Fn(&str) -> bool + Send + 'a,
    redact: impl Fn(&str) -> String + Send + 'a,
) -> impl Stream<Item = Result<ModelEvent, ModelError>> + Send + 'a {
    let since_event = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&since_event);
    let counted = bytes.map(move |bytes| {
        let bytes = bytes?;
        let sum = counter.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        if sum > MAX_EVENT_BYTES {
            return Err(ModelError::TooLarge { what: "bytes in one event", limit: MAX_EVENT_BYTES });
        }
        Ok(bytes)
    });
    let reading = Reading {
        events: SseByteStream::new(counted.boxed()),
        since_event,
        decoder: Decoder::default(),
        taken,
        redact,
    };
    try_unfold(reading, |mut reading| async move { Ok(reading.next().await?.map(|event| (event, reading))) })
}

struct Reading<'a, T, R> {
    events: SseByteStream<BoxStream<'a, Result<Bytes, ModelError>>>,
    since_event: Arc<AtomicUsize>,
    decoder: Decoder,
    taken: T,
    redact: R,
}

impl<T: Fn(&str) -> bool, R: Fn(&str) -> String> Reading<'_, T, R> {
    async fn next(&mut self) -> Result<Option<ModelEvent>, ModelError> {
        loop {
            if let Some(event) = self.decoder.ready.pop_front() {
                return Ok(Some(event));
            }
            if self.decoder.ended {
                return Ok(None);
            }
            let event = if self.decoder.stop.is_some() {
                // The reply is whole: what may be missing is a count.
                match tokio::time::timeout(AFTER_FINISH, self.events.next()).await {
                    Ok(Some(Ok(event))) => Some(event),
                    _ => None,
                }
            } else {
                self.events.next().await.transpose().map_err(|error| self.error(error))?
            };
            self.since_event.store(0, Ordering::Relaxed);
            match event {
                Some(event) => self.decoder.read(&event, &self.redact)?,
                None => self.decoder.end(&self.taken)?,
            }
            if self.decoder.done {
                self.decoder.end(&self.taken)?;
            }
        }
    }

    fn error(&self, error: sse_stream::Error) -> ModelError {
        match error {
            sse_stream::Error::Body(error) => match error.downcast::<ModelError>() {
                Ok(error) => *error,
                Err(error) => ModelError::BadStream { message: (self.redact)(&error.to_string()) },
            },
            error => ModelError::BadStream { message: (self.redact)(&error.to_string()) },
        }
    }
}

/// What is known of the reply so far.
#[derive(Default)]
struct Decoder {
    ready: VecDeque<ModelEvent>,
    calls: Assembly,
    text_bytes: usize,
    usage: Option<Usage>,
    refused: bool,
    stop: Option<StopReason>,
    /// `[DONE]` has come.
    done: bool,
    ended: bool,
}

impl Decoder {
    fn read(&mut self, event: &Sse, redact: &impl Fn(&str) -> String) -> Result<(), ModelError> {
        let Some(data) = event.data.as_deref().map(str::trim).filter(|data| !data.is_empty()) else {
            return Ok(());
        };
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        let value: Value = serde_json::from_str(data).map_err(|error| unreadable(data, &error, redact))?;
        if event.event.as_deref() == Some("error") {
            let error = value.get("error").unwrap_or(&value);
            return Err(broken_off(error, redact));
        }
        let chunk: Chunk = serde_json::from_value(value).map_err(|error| unreadable(data, &error, redact))?;
        if let Some(error) = &chunk.error {
            return Err(broken_off(error, redact));
        }
        if let Some(usage) = &chunk.usage {
            self.usage = Some(usage.usage());
        }
        for choice in chunk.choices.into_iter().flatten() {
            // Only one choice was asked for.
            if choice.index.unwrap_or(0) == 0 {
                self.choose(choice)?;
            }
        }
        Ok(())
    }

    fn choose(&mut self, choice: Choice) -> Result<(), ModelError> {
        let delta = choice.delta.unwrap_or_default();
        if let Some(text) = delta.content {
            self.text(text)?;
        }
        if let Some(text) = delta.refusal.filter(|text| !text.is_empty()) {
            self.refused = true;
            self.text(text)?;
        }
        for call in delta.tool_calls.into_iter().flatten() {
            self.calls.push(call)?;
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.stop = Some(stop_reason(&reason)?);
        }
        Ok(())
    }

    fn text(&mut self, text: String) -> Result<(), ModelError> {
        self.text_bytes = self.text_bytes.saturating_add(text.len());
        if self.text_bytes > MAX_REPLY_BYTES {
            return Err(ModelError::TooLarge { what: "bytes in one reply", limit: MAX_REPLY_BYTES });
        }
        if !text.is_empty() {
            self.ready.push_back(ModelEvent::Text(text));
        }
        Ok(())
    }

    /// Nothing more comes: by `[DONE]`, by the end of the body, or by silence after the reason to stop.
    fn end(&mut self, taken: &impl Fn(&str) -> bool) -> Result<(), ModelError> {
        let stop = match self.stop {
            Some(stop) => stop,
            None if self.done && self.calls.is_empty() => StopReason::End,
            None if self.done => StopReason::ToolUse,
            None => return Err(ModelError::EndedEarly),
        };
        let stop = if self.refused { StopReason::Refusal } else { stop };
        for mut call in std::mem::take(&mut self.calls).finish(stop) {
            if taken(&call.id) {
                call.id = fresh_id();
            }
            self.ready.push_back(ModelEvent::ToolCall(call));
        }
        self.ready.extend(self.usage.map(ModelEvent::Usage));
        self.ready.push_back(ModelEvent::Stop(stop));
        self.ended = true;
        self.done = false;
        Ok(())
    }
}

/// The reasons that the API documents, and the other words for them that servers like it use. One that nobody knows is
/// not taken for a good end.
fn stop_reason(reason: &str) -> Result<StopReason, ModelError> {
    Ok(match reason {
        "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" => StopReason::End,
        "tool_calls" | "function_call" | "tool_use" => StopReason::ToolUse,
        "length" | "max_tokens" | "model_length" => StopReason::Length,
        "content_filter" | "safety" => StopReason::ContentFilter,
        "refusal" => StopReason::Refusal,
        "error" => {
            let message = "it gives an error as the reason to stop".to_owned();
            return Err(ModelError::Provider { message, passing: true });
        }
        other => {
            let message = format!("the unknown finish_reason `{}`", fault::shortened(other));
            return Err(ModelError::BadStream { message });
        }
    })
}

fn broken_off(error: &Value, redact: &impl Fn(&str) -> String) -> ModelError {
    ModelError::Provider { message: redact(&fault::of_value(error)), passing: fault::is_passing(error) }
}

fn unreadable(data: &str, error: &serde_json::Error, redact: &impl Fn(&str) -> String) -> ModelError {
    let start: String = data.chars().take(120).collect();
    let message = format!("{error} in the event `{}`", fault::shortened(&redact(&start)));
    ModelError::BadStream { message }
}

#[cfg(test)]
mod tests;
