//! From the bytes of an answer to the events of a reply: server-sent events, their caps, and what each protocol makes
//! of them.

mod draft;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{BoxStream, try_unfold};
use futures::{Stream, StreamExt};
use sse_stream::SseByteStream;

use crate::ModelError;
use crate::chat::{ModelEvent, StopReason, ToolCall};

pub(crate) use draft::Draft;

/// The longest single event, in bytes, with the comments before it. Stops a line that never ends.
const MAX_EVENT_BYTES: usize = 8 << 20;

/// How long a server that has said that the reply is whole may take for what follows, such as its usage count.
const AFTER_WHOLE: Duration = Duration::from_secs(5);

/// What a protocol makes of the events of one reply.
pub(crate) trait Decoder {
    /// Takes in the data of an event, which is not blank; `name` is its type where it has one.
    ///
    /// # Errors
    ///
    /// What the reply fails with.
    fn read(&mut self, name: Option<&str>, data: &str, draft: &mut Draft<'_>) -> Result<(), ModelError>;

    /// Whether nothing that matters can be missing, though the last event has not come.
    fn is_whole(&self) -> bool;

    /// Nothing more comes: the body is at its end, or silent though the reply is whole. Ends the draft.
    ///
    /// # Errors
    ///
    /// [`ModelError::EndedEarly`] where something is missing.
    fn end(&mut self, draft: &mut Draft<'_>) -> Result<(), ModelError>;
}

/// Reads a streamed reply.
pub(crate) fn events<'a>(
    bytes: BoxStream<'a, Result<Bytes, ModelError>>,
    decoder: impl Decoder + Send + 'a,
    draft: Draft<'a>,
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
    let reading = Reading { events: SseByteStream::new(counted.boxed()), since_event, decoder, draft };
    try_unfold(reading, |mut reading| async move { Ok(reading.next().await?.map(|event| (event, reading))) })
}

struct Reading<'a, D> {
    events: SseByteStream<BoxStream<'a, Result<Bytes, ModelError>>>,
    since_event: Arc<AtomicUsize>,
    decoder: D,
    draft: Draft<'a>,
}

impl<D: Decoder> Reading<'_, D> {
    async fn next(&mut self) -> Result<Option<ModelEvent>, ModelError> {
        loop {
            if let Some(event) = self.draft.pop() {
                return Ok(Some(event));
            }
            if self.draft.has_ended() {
                return Ok(None);
            }
            let event = if self.decoder.is_whole() {
                match tokio::time::timeout(AFTER_WHOLE, self.events.next()).await {
                    Ok(Some(Ok(event))) => Some(event),
                    _ => None,
                }
            } else {
                self.events.next().await.transpose().map_err(|error| self.error(error))?
            };
            self.since_event.store(0, Ordering::Relaxed);
            let Some(event) = event else {
                self.decoder.end(&mut self.draft)?;
                continue;
            };
            let data = event.data.as_deref().map(str::trim).filter(|data| !data.is_empty());
            if let Some(data) = data {
                self.decoder.read(event.event.as_deref(), data, &mut self.draft)?;
            }
        }
    }

    fn error(&self, error: sse_stream::Error) -> ModelError {
        match error {
            sse_stream::Error::Body(error) => match error.downcast::<ModelError>() {
                Ok(error) => *error,
                Err(error) => ModelError::Damaged { message: self.draft.redacted(&error.to_string()) },
            },
            error => ModelError::Damaged { message: self.draft.redacted(&error.to_string()) },
        }
    }
}

/// Of the calls of a reply that stopped for `stop`, those that are to be made: not one that the stop cut in the middle,
/// and none of a refusal.
pub(crate) fn is_to_be_made(call: &ToolCall, stop: StopReason) -> bool {
    match stop {
        StopReason::End | StopReason::ToolUse => true,
        StopReason::Length | StopReason::ContentFilter => is_object(&call.arguments),
        StopReason::Refusal => false,
    }
}

/// Whether the text is one JSON object.
pub(crate) fn is_object(text: &str) -> bool {
    matches!(serde_json::from_str(text), Ok(serde_json::Value::Object(_)))
}

#[cfg(test)]
pub(crate) mod cuts;
