use crate::anthropic::block::{Block, Finished, Kind};
use crate::anthropic::event::{Delta, Event, UsageCount};
use crate::chat::{MAX_REPLY_CALLS, Part, ReplyParts, StopReason};
use crate::stream::{self, Draft};
use crate::{ModelError, Protocol};

/// The most blocks that one reply may hold: calls, and as many words and thoughts between them.
const MAX_BLOCKS: usize = 4 * MAX_REPLY_CALLS;

/// What is known of a reply so far.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    blocks: Vec<Block>,
    usage: Option<UsageCount>,
    stop: Option<StopReason>,
    is_over: bool,
}

impl stream::Decoder for Decoder {
    fn read(&mut self, name: Option<&str>, data: &str, draft: &mut Draft<'_>) -> Result<(), ModelError> {
        if data == "[DONE]" {
            // What a translating server puts behind a stream of another kind.
            return Ok(());
        }
        let damaged = |error: serde_json::Error| draft.damaged(data, &error);
        if name == Some("error") {
            return Err(draft.broken_off(&serde_json::from_str(data).map_err(damaged)?));
        }
        match serde_json::from_str(data).map_err(damaged)? {
            Event::MessageStart { message } => self.count(message.and_then(|message| message.usage)),
            Event::ContentBlockStart { index, content_block } => {
                if self.blocks.len() == MAX_BLOCKS {
                    return Err(ModelError::TooLarge { what: "blocks in one reply", limit: MAX_BLOCKS });
                }
                draft.grow(data.len())?;
                let (block, words) = Block::begin(index, content_block, draft.text_bytes());
                self.blocks.push(block);
                if let Some(words) = words.filter(|words| !words.is_empty()) {
                    self.words(self.blocks.len() - 1, words, draft)?;
                }
            }
            Event::ContentBlockDelta { index, delta } => self.delta(index, delta, draft)?,
            Event::MessageDelta { delta, usage } => {
                self.count(usage);
                let reason = delta.and_then(|delta| delta.stop_reason).filter(|reason| !reason.is_empty());
                if let Some(reason) = reason {
                    self.stop = Some(stop_reason(&reason, draft)?);
                }
            }
            Event::MessageStop => {
                self.is_over = true;
                return stream::Decoder::end(self, draft);
            }
            Event::Error { error } => return Err(draft.broken_off(&error)),
            Event::Other => {}
        }
        Ok(())
    }

    /// The API always says when a message is over; a stream that does not say so was cut.
    fn is_whole(&self) -> bool {
        false
    }

    fn end(&mut self, draft: &mut Draft<'_>) -> Result<(), ModelError> {
        let stop = self.stop.filter(|_| self.is_over).ok_or(ModelError::EndedEarly)?;
        let mut blocks = std::mem::take(&mut self.blocks);
        if blocks.iter().all(|block| block.index.is_some()) {
            blocks.sort_by_key(|block| block.index);
        }
        let (mut calls, mut parts, mut thinking_bytes) = (Vec::new(), Vec::new(), 0);
        for block in blocks {
            parts.push(match block.finish(stop) {
                Finished::Nothing => continue,
                Finished::Text(range) => Part::Text(range),
                Finished::Thinking(json) => {
                    thinking_bytes += json.len() as u64;
                    Part::Opaque(json)
                }
                Finished::Other(json) => Part::Opaque(json),
                Finished::Call(call) => {
                    calls.push(call);
                    Part::Call(calls.len() - 1)
                }
            });
        }
        if calls.len() > MAX_REPLY_CALLS {
            return Err(ModelError::TooLarge { what: "calls in one reply", limit: MAX_REPLY_CALLS });
        }
        let parts = ReplyParts { protocol: Protocol::Messages, parts, thinking_bytes };
        draft.end(calls, Some(parts), self.usage.map(UsageCount::usage), stop);
        Ok(())
    }
}

impl Decoder {
    fn count(&mut self, usage: Option<UsageCount>) {
        if let Some(usage) = usage {
            self.usage.get_or_insert_default().update(usage);
        }
    }

    fn delta(&mut self, index: Option<u64>, delta: Delta, draft: &mut Draft<'_>) -> Result<(), ModelError> {
        let place = match index {
            Some(_) => self.blocks.iter().rposition(|block| block.index == index),
            None => self.blocks.len().checked_sub(1),
        };
        match (place, delta) {
            (Some(place), Delta::Text { text }) => self.words(place, text, draft),
            (Some(place), delta) => draft.grow(self.blocks[place].push(delta)),
            // Words need no beginning to be words; anything else of a block that never began has no meaning.
            (None, Delta::Text { text }) => {
                let at = draft.text_bytes();
                self.blocks.push(Block { index, kind: Kind::Text(at..at) });
                self.words(self.blocks.len() - 1, text, draft)
            }
            (None, Delta::Input { .. }) => {
                Err(draft.meaningless("block with a part of a call:", &format!("{index:?}")))
            }
            (None, _) => Ok(()),
        }
    }

    /// Further words, of the block at `place`. They are passed on in the order in which they come, so a block whose words
    /// are not the last ones goes on as another.
    fn words(&mut self, place: usize, text: String, draft: &mut Draft<'_>) -> Result<(), ModelError> {
        let at = draft.text_bytes();
        let end = at + text.len();
        draft.text(text)?;
        let (index, is_full) = (self.blocks[place].index, self.blocks.len() == MAX_BLOCKS);
        match &mut self.blocks[place].kind {
            Kind::Text(range) if range.end == at => range.end = end,
            Kind::Text(range) if range.start == range.end => *range = at..end,
            Kind::Text(_) if is_full => {
                return Err(ModelError::TooLarge { what: "blocks in one reply", limit: MAX_BLOCKS });
            }
            Kind::Text(_) => self.blocks.push(Block { index, kind: Kind::Text(at..end) }),
            kind => {
                if let Kind::Other(_, is_whole) = kind {
                    *is_whole = false;
                }
            }
        }
        Ok(())
    }
}

/// The reasons that the API documents, and what servers like it say. One that nobody knows is not taken for a good end.
fn stop_reason(reason: &str, draft: &Draft<'_>) -> Result<StopReason, ModelError> {
    Ok(match reason {
        "end_turn" | "stop_sequence" | "stop" => StopReason::End,
        "tool_use" | "tool_calls" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" | "length" => StopReason::Length,
        "refusal" => StopReason::Refusal,
        "content_filter" => StopReason::ContentFilter,
        other => return Err(draft.meaningless("stop_reason", other)),
    })
}

#[cfg(test)]
mod tests;
