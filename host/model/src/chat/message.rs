use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use bytes::Bytes;

use crate::Protocol;
use crate::chat::ReplyParts;

/// Who a message is from, as model APIs tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person, or the parent agent that gave an assignment.
    User,
    /// The model.
    Assistant,
    /// The runtime, with the result of one tool call.
    Tool,
}

/// One entry of a [`Transcript`](crate::Transcript).
///
/// A provider serialises each message once and keeps the bytes here, so that a request costs no more than copying
/// them, and so that the messages of one request begin byte for byte like those of the last one (which is what a
/// provider's prompt cache compares).
pub struct Message {
    /// What is said. Change it only before the message is in a transcript that a model has been asked about.
    pub content: Content,
    wire: OnceLock<(Protocol, Bytes)>,
}

/// What a [`Message`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A prompt, an assignment, or a further word from the user.
    User {
        /// The words.
        text: String,
    },
    /// A model's reply.
    Assistant {
        /// The words; empty when the reply was tool calls alone.
        text: String,
        /// The calls, in the order that the model gave them.
        calls: Vec<ToolCall>,
        /// What else the provider wants back.
        parts: Option<ReplyParts>,
    },
    /// What one tool call returned.
    ToolResult {
        /// The [`ToolCall::id`] that this answers.
        call_id: String,
        /// The tool's name on the wire, as in [`ToolCall::name`].
        name: String,
        /// The result, or the error's words.
        text: String,
        /// Whether `text` is an error.
        is_error: bool,
    },
}

/// A model's wish to have a tool called. Nothing about it has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// Names this call in the transcript. Unique within a reply once it went through [`collect`](crate::collect).
    pub id: String,
    /// The tool's name on the wire (`files__read_file`); possibly one that does not exist.
    pub name: String,
    /// The arguments as the model sent them: meant to be a JSON object, but possibly not JSON at all. Decode them
    /// only against the tool's schema.
    pub arguments: String,
}

impl ToolCall {
    /// The name in a form that an API takes, at most `longest` bytes. A model may make up a name that the API would refuse
    /// to hear back; its call was answered with an error, and the conversation must still be valid.
    pub(crate) fn acceptable_name(&self, longest: usize) -> String {
        let is_acceptable = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
        let chars = self.name.chars().map(|char| if is_acceptable(char) { char } else { '_' });
        let name: String = chars.take(longest).collect();
        if name.is_empty() { "unnamed".to_owned() } else { name }
    }
}

/// A result for an API that has no flag for one that is an error.
pub(crate) fn told_as_text(result: &str, is_error: bool) -> Cow<'_, str> {
    if is_error { Cow::Owned(format!("error: {result}")) } else { Cow::Borrowed(result) }
}

impl Message {
    /// What the user, or the parent agent, says.
    pub fn user(text: impl Into<String>) -> Message {
        Content::User { text: text.into() }.into()
    }

    /// What the model replied.
    pub fn assistant(text: impl Into<String>, calls: Vec<ToolCall>) -> Message {
        Content::Assistant { text: text.into(), calls, parts: None }.into()
    }

    /// What the model replied, with what its provider wants back.
    pub fn assistant_with(
        text: impl Into<String>,
        calls: Vec<ToolCall>,
        parts: Option<ReplyParts>,
    ) -> Message {
        Content::Assistant { text: text.into(), calls, parts }.into()
    }

    /// What the call `call_id` of the tool with the wire name `name` returned.
    pub fn tool_result(
        call_id: impl Into<String>,
        name: impl Into<String>,
        text: impl Into<String>,
        is_error: bool,
    ) -> Message {
        Content::ToolResult { call_id: call_id.into(), name: name.into(), text: text.into(), is_error }.into()
    }

    /// Who the message is from.
    pub fn role(&self) -> Role {
        match self.content {
            Content::User { .. } => Role::User,
            Content::Assistant { .. } => Role::Assistant,
            Content::ToolResult { .. } => Role::Tool,
        }
    }

    /// The message's words, whoever said them.
    pub fn text(&self) -> &str {
        match &self.content {
            Content::User { text } | Content::Assistant { text, .. } | Content::ToolResult { text, .. } => {
                text
            }
        }
    }

    /// The bytes of this message as `protocol` serialises it, made by `encode` at the first call. A transcript that
    /// goes to a second kind of provider is serialised anew for that one each time.
    pub(crate) fn wire(&self, protocol: Protocol, encode: impl Fn(&Content) -> Bytes) -> Bytes {
        let (cached, bytes) = self.wire.get_or_init(|| (protocol, encode(&self.content)));
        if *cached == protocol { bytes.clone() } else { encode(&self.content) }
    }
}

impl From<Content> for Message {
    fn from(content: Content) -> Message {
        Message { content, wire: OnceLock::new() }
    }
}

impl Clone for Message {
    /// The clone is serialised anew: its content may be changed.
    fn clone(&self) -> Message {
        self.content.clone().into()
    }
}

impl PartialEq for Message {
    fn eq(&self, other: &Message) -> bool {
        self.content == other.content
    }
}

impl Eq for Message {}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.content.fmt(f)
    }
}
