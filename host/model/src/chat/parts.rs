use std::fmt;
use std::ops::Range;

use bytes::Bytes;

use crate::Protocol;
use crate::chat::ToolCall;

/// What a reply was made of, beside its words and calls: parts that only the provider can read, such as signed or
/// encrypted thinking, which it wants back as they came, and the order in which all of it came.
///
/// They are kept in the assistant's message ([`Content::Assistant`](crate::Content)), are sent back to the same kind of
/// provider alone, and are shown to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct ReplyParts {
    pub(crate) protocol: Protocol,
    pub(crate) parts: Vec<Part>,
    pub(crate) thinking_bytes: u64,
}

/// One part, in the provider's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Words: a range of the reply's text, in bytes.
    Text(Range<usize>),
    /// The call at this place in the reply's calls.
    Call(usize),
    /// JSON that goes back as it came.
    Opaque(Bytes),
    /// An object of keys that belong to the call at this place.
    OfCall(usize, Bytes),
}

impl ReplyParts {
    /// How much thinking there was, in bytes of what the provider sent of it; an encrypted form counts as such.
    pub fn thinking_bytes(&self) -> u64 {
        self.thinking_bytes
    }

    /// What a reply was made of, each piece encoded by `words` or `call`: in the order of the parts that `protocol` left, and
    /// without any the words first.
    pub(crate) fn pieces(
        parts: Option<&ReplyParts>,
        protocol: Protocol,
        (text, calls): (&str, &[ToolCall]),
        words: impl Fn(&str) -> Option<String>,
        call: impl Fn(&ToolCall) -> String,
    ) -> Vec<String> {
        let Some(parts) = parts.filter(|parts| parts.protocol == protocol) else {
            return words(text).into_iter().chain(calls.iter().map(call)).collect();
        };
        let pieces = parts.parts.iter().filter_map(|part| match part {
            Part::Text(range) => words(text.get(range.clone())?),
            Part::Call(place) => calls.get(*place).map(&call),
            Part::Opaque(json) => String::from_utf8(json.to_vec()).ok(),
            Part::OfCall(..) => None,
        });
        pieces.collect()
    }

    /// The memory that they take, in bytes.
    pub(crate) fn size(&self) -> usize {
        let sizes = self.parts.iter().map(|part| match part {
            Part::Opaque(json) | Part::OfCall(_, json) => json.len(),
            Part::Text(_) | Part::Call(_) => 0,
        });
        sizes.sum()
    }

    /// Whether they say nothing that text and calls don't say by themselves.
    pub(crate) fn is_plain(&self) -> bool {
        let mut calls = 0;
        self.parts.iter().enumerate().all(|(place, part)| match part {
            Part::Text(_) => place == 0,
            Part::Call(call) => {
                calls += 1;
                *call + 1 == calls
            }
            Part::Opaque(_) | Part::OfCall(..) => false,
        })
    }
}

/// Without their content: it may be long, and is nobody's to read.
impl fmt::Debug for ReplyParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyParts")
            .field("protocol", &self.protocol)
            .field("parts", &self.parts.len())
            .field("thinking_bytes", &self.thinking_bytes)
            .finish()
    }
}
