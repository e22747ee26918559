use std::ops::Range;

use bytes::Bytes;
use serde_json::Value;

use crate::chat::ToolCall;
use crate::responses::event::Output;

/// One item of the output on its way in. Events name it by its place in the output or, from servers that leave that out, by
/// its id.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) kind: Kind,
    /// The item as it came when it was complete.
    pub(super) raw: Option<Bytes>,
}

#[derive(Debug)]
pub(super) enum Kind {
    Message(Words),
    Call(ToolCall),
    /// Thinking; whether the provider can read it again.
    Reasoning(bool),
    Other,
}

/// The words of a message: their place in the reply's text, and whether they stand in one piece there.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) range: Range<usize>,
    pub(super) in_one_piece: bool,
}

impl Words {
    /// No words yet, in a reply that has `at` bytes of text.
    pub(super) fn at(at: usize) -> Words {
        Words { range: at..at, in_one_piece: true }
    }

    /// There are words from `at` to `end` of the reply's text.
    pub(super) fn grow(&mut self, at: usize, end: usize) {
        if self.range.is_empty() {
            self.range = at..at;
        }
        self.in_one_piece &= self.range.end == at;
        self.range.end = end;
    }
}

impl Item {
    pub(super) fn begin(index: Option<u64>, output: &Output, text_bytes: usize) -> Item {
        let kind = match output.kind.as_deref().unwrap_or_default() {
            "message" => Kind::Message(Words::at(text_bytes)),
            "function_call" => {
                let call = ToolCall { id: String::new(), name: String::new(), arguments: String::new() };
                Kind::Call(call)
            }
            "reasoning" => Kind::Reasoning(false),
            _ => Kind::Other,
        };
        let mut item = Item { index, id: output.id.clone(), kind, raw: None };
        item.learn(output);
        item
    }

    /// Takes over what an item says of itself, which counts for more than its parts did.
    pub(super) fn learn(&mut self, output: &Output) {
        if self.id.is_none() {
            self.id.clone_from(&output.id);
        }
        match &mut self.kind {
            Kind::Call(call) => {
                let arguments = match &output.arguments {
                    None | Some(Value::Null) => String::new(),
                    Some(Value::String(text)) => text.clone(),
                    Some(other) => other.to_string(),
                };
                let said = [&mut call.id, &mut call.name, &mut call.arguments];
                let now = [output.call_id.clone(), output.name.clone(), Some(arguments)];
                for (said, now) in said.into_iter().zip(now) {
                    if let Some(now) = now.filter(|now| !now.is_empty()) {
                        *said = now;
                    }
                }
            }
            Kind::Reasoning(is_readable) => {
                let sealed = output.encrypted_content.as_ref().is_some_and(|text| !text.is_empty());
                let open = output.content.as_ref().is_some_and(|content| !content.is_empty());
                *is_readable = sealed || open;
            }
            Kind::Message(_) | Kind::Other => {}
        }
    }
}
