use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::StreamExt;

use crate::ModelError;
use crate::chat::{EventStream, ModelEvent, ReplyParts, StopReason, ToolCall, Usage};

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
    /// What else the provider wants back with the next request.
    pub parts: Option<ReplyParts>,
    /// What the provider counted; zeros where it said nothing.
    pub usage: Usage,
    /// What the user should know of how the model was asked.
    pub warnings: Vec<String>,
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
    let mut parts = None;
    let mut usage = Usage::default();
    let mut warnings = Vec::new();
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
            ModelEvent::Parts(made_of) => {
                bytes = grown(bytes, made_of.size())?;
                parts = Some(made_of);
            }
            ModelEvent::Usage(counted) => usage = counted,
            ModelEvent::Warning(warning) => warnings.push(warning),
            ModelEvent::Stop(stop) => {
                let stop = match stop {
                    StopReason::End | StopReason::ToolUse if calls.is_empty() => StopReason::End,
                    StopReason::End => StopReason::ToolUse,
                    other => other,
                };
                return Ok(Reply { text, calls, parts, usage, warnings, stop });
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

#[cfg(test)]
mod tests {
    use super::*;
    use futures::stream;

    fn call(id: &str) -> ModelEvent {
        ModelEvent::ToolCall(ToolCall { id: id.into(), name: "x".into(), arguments: "{}".into() })
    }

    async fn collected(events: Vec<ModelEvent>) -> Result<Reply, ModelError> {
        collect(stream::iter(events.into_iter().map(Ok)).boxed(), |_| {}).await
    }

    #[tokio::test]
    async fn a_reply_is_put_together_and_its_text_seen_as_it_comes() {
        let usage = |output_tokens| Usage { output_tokens, ..Usage::default() };
        let events = [
            ModelEvent::Text("one ".into()),
            ModelEvent::Usage(usage(1)),
            ModelEvent::Text("two".into()),
            ModelEvent::Usage(usage(2)),
            ModelEvent::Stop(StopReason::End),
            ModelEvent::Text("nothing comes after a stop".into()),
        ];
        let mut seen = Vec::new();
        let reply = collect(stream::iter(events.map(Ok)).boxed(), |text| seen.push(text.to_owned())).await;
        assert_eq!(seen, ["one ", "two"]);
        let expected = Reply {
            warnings: Vec::new(),
            text: "one two".into(),
            calls: vec![],
            parts: None,
            usage: usage(2),
            stop: StopReason::End,
        };
        assert_eq!(reply, Ok(expected));
    }

    #[tokio::test]
    async fn without_a_stop_there_is_no_reply() {
        assert_eq!(
            collected(vec![ModelEvent::Text("x".into()), call("a")]).await,
            Err(ModelError::EndedEarly)
        );
        assert_eq!(collected(vec![]).await, Err(ModelError::EndedEarly));
    }

    #[tokio::test]
    async fn missing_and_repeated_ids_become_fresh_ones_and_good_ones_stay() {
        let events =
            vec![call("a"), call(""), call("a"), call("b"), call(""), ModelEvent::Stop(StopReason::ToolUse)];
        let calls = collected(events).await.unwrap().calls;
        let ids: HashSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids.len(), 5);
        assert!(!ids.contains(""));
        assert_eq!((calls[0].id.as_str(), calls[3].id.as_str()), ("a", "b"));
    }

    #[tokio::test]
    async fn the_stop_says_tool_use_exactly_when_there_are_calls_to_answer() {
        for (events, stop) in [
            (vec![call("a"), ModelEvent::Stop(StopReason::End)], StopReason::ToolUse),
            (vec![ModelEvent::Stop(StopReason::ToolUse)], StopReason::End),
            (vec![call("a"), ModelEvent::Stop(StopReason::Length)], StopReason::Length),
            (vec![ModelEvent::Stop(StopReason::Refusal)], StopReason::Refusal),
        ] {
            assert_eq!(collected(events).await.unwrap().stop, stop);
        }
    }

    #[tokio::test]
    async fn a_reply_without_end_is_given_up() {
        let calls = (0..=MAX_REPLY_CALLS).map(|id| call(&id.to_string())).collect();
        let error = ModelError::TooLarge { what: "calls in one reply", limit: MAX_REPLY_CALLS };
        assert_eq!(collected(calls).await, Err(error));
        let text = std::iter::repeat_n(ModelEvent::Text("x".repeat(1 << 20)), 50).collect();
        let error = ModelError::TooLarge { what: "bytes in one reply", limit: MAX_REPLY_BYTES };
        assert_eq!(collected(text).await, Err(error));
    }
}
