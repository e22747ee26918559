use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::StreamExt;

use crate::ModelError;
use crate::chat::{EventStream, ModelEvent, StopReason, ToolCall, Usage};

/// The most text, names and arguments that one reply may hold, in bytes. Stops a server that never ends its reply
/// from filling memory.
pub const MAX_REPLY_BYTES: usize = 16 << 20;

/// The most calls that one reply may hold. Stops a reply that is nothing but calls before a budget sees it.
pub const MAX_REPLY_CALLS: usize = 1024;

/// One reply, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The reply's words; possibly none.
    pub text: String,
    /// The calls in the model's order, each with an id that no other call of this reply has.
    pub calls: Vec<ToolCall>,
    /// What the provider counted; zeros where it said nothing.
    pub usage: Usage,
    /// Why it ended: [`StopReason::ToolUse`] if and only if there are calls and nothing cut the reply short.
    pub stop: StopReason,
}

/// Collects a reply; `on_text` sees the text as it comes.
///
/// Ids that are empty or used twice are replaced by fresh ones, so that every call can be answered exactly once.
///
/// # Errors
///
/// Whatever the stream fails with; [`ModelError::EndedEarly`] if it ends without a stop;
/// [`ModelError::TooLarge`] over [`MAX_REPLY_BYTES`] or [`MAX_REPLY_CALLS`]. A reply that fails is not to be acted on,
/// even though `on_text` has seen a part of it.
pub async fn collect(
    mut stream: EventStream<'_>,
    mut on_text: impl FnMut(&str) + Send,
) -> Result<Reply, ModelError> {
    let mut text = String::new();
    let mut calls = Vec::new();
    let mut ids = HashSet::new();
    let mut usage = Usage::default();
    let mut bytes = 0usize;
    while let Some(event) = stream.next().await {
        match event? {
            ModelEvent::Text(more) => {
                bytes = grown(bytes, more.len())?;
                on_text(&more);
                text.push_str(&more);
            }
            ModelEvent::ToolCall(mut call) => {
                bytes = grown(bytes, call.id.len() + call.name.len() + call.arguments.len())?;
                if calls.len() == MAX_REPLY_CALLS {
                    return Err(ModelError::TooLarge { what: "calls in one reply", limit: MAX_REPLY_CALLS });
                }
                if call.id.is_empty() || ids.contains(&call.id) {
                    call.id = fresh_id();
                }
                ids.insert(call.id.clone());
                calls.push(call);
            }
            ModelEvent::Usage(counted) => usage = counted,
            ModelEvent::Stop(stop) => {
                let stop = match stop {
                    StopReason::End | StopReason::ToolUse if calls.is_empty() => StopReason::End,
                    StopReason::End => StopReason::ToolUse,
                    other => other,
                };
                return Ok(Reply { text, calls, usage, stop });
            }
        }
    }
    Err(ModelError::EndedEarly)
}

fn grown(bytes: usize, more: usize) -> Result<usize, ModelError> {
    match bytes.checked_add(more) {
        Some(sum) if sum <= MAX_REPLY_BYTES => Ok(sum),
        _ => Err(ModelError::TooLarge { what: "bytes in one reply", limit: MAX_REPLY_BYTES }),
    }
}

/// An id that nothing else in this process has: an API may refuse a conversation in which two turns share one.
pub(crate) fn fresh_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("call_remit_{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
