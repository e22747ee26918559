use std::ops::Range;

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::anthropic::event::Delta;
use crate::chat::{StopReason, ToolCall};
use crate::stream::is_to_be_made;

/// One content block on its way in. Blocks are told apart by their `index`, for a server may end them all at once, when
/// the reply is over.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) index: Option<u64>,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// Words: their place in the reply's text.
    Text(Range<usize>),
    /// A call, and its input as it stood in the block's beginning.
    Call(ToolCall, Option<Value>),
    /// Thinking with its signature, or the form of it that only the provider can read.
    Thinking(Map<String, Value>),
    /// A kind that is not known here. It goes back if it came whole; `false` where a part of it was not understood.
    Other(Map<String, Value>, bool),
}

/// What a block is in the end.
pub(super) enum Finished {
    Text(Range<usize>),
    Call(ToolCall),
    Thinking(Bytes),
    Other(Bytes),
    Nothing,
}

impl Block {
    /// A block that begins, when the reply has `text_bytes` bytes of text. Words and thinking that it begins with are
    /// taken as its first part.
    pub(super) fn begin(
        index: Option<u64>,
        mut content: Map<String, Value>,
        text_bytes: usize,
    ) -> (Block, Option<String>) {
        let kind = content.get("type").and_then(Value::as_str).unwrap_or_default();
        let mut words = None;
        let kind = match kind {
            "text" => {
                words = string(&mut content, "text");
                Kind::Text(text_bytes..text_bytes)
            }
            "tool_use" => {
                let id = string(&mut content, "id").unwrap_or_default();
                let name = string(&mut content, "name").unwrap_or_default();
                let call = ToolCall { id, name, arguments: String::new() };
                Kind::Call(call, content.remove("input"))
            }
            "thinking" | "redacted_thinking" => Kind::Thinking(content),
            _ => Kind::Other(content, true),
        };
        (Block { index, kind }, words)
    }

    /// Takes in a part that is not text, and gives how many bytes of it are kept. A part that is of no use for such a block
    /// is passed over.
    pub(super) fn push(&mut self, delta: Delta) -> usize {
        match (&mut self.kind, delta) {
            (Kind::Call(call, _), Delta::Input { partial_json }) => {
                call.arguments.push_str(&partial_json);
                partial_json.len()
            }
            (Kind::Thinking(block), Delta::Thinking { thinking }) => append(block, "thinking", &thinking),
            (Kind::Thinking(block), Delta::Signature { signature }) => append(block, "signature", &signature),
            (Kind::Other(_, is_whole), _) => {
                *is_whole = false;
                0
            }
            _ => 0,
        }
    }

    /// What it is, in a reply that stopped for `stop`.
    pub(super) fn finish(self, stop: StopReason) -> Finished {
        match self.kind {
            Kind::Text(range) if range.is_empty() => Finished::Nothing,
            Kind::Text(range) => Finished::Text(range),
            Kind::Call(mut call, input) => {
                let was_streamed = !call.arguments.is_empty();
                if !was_streamed {
                    // The whole input may stand where the block begins. A call without arguments has no parts.
                    let input = input.filter(|input| !input.is_null());
                    call.arguments = input.map_or_else(|| "{}".to_owned(), |input| input.to_string());
                }
                // What stands for a call that was cut before its first part looks like a call without arguments.
                let is_cut = !was_streamed && !matches!(stop, StopReason::End | StopReason::ToolUse);
                match !is_cut && is_to_be_made(&call, stop) {
                    true => Finished::Call(call),
                    false => Finished::Nothing,
                }
            }
            Kind::Thinking(block) => Finished::Thinking(Value::from(block).to_string().into()),
            Kind::Other(block, true) if block.contains_key("type") => {
                Finished::Other(Value::from(block).to_string().into())
            }
            Kind::Other(..) => Finished::Nothing,
        }
    }
}

fn string(content: &mut Map<String, Value>, key: &str) -> Option<String> {
    match content.remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn append(block: &mut Map<String, Value>, key: &str, more: &str) -> usize {
    match block.get_mut(key) {
        Some(Value::String(text)) => text.push_str(more),
        _ => drop(block.insert(key.to_owned(), more.into())),
    }
    more.len()
}
