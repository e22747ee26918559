use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};

use crate::chat::{ReplyParts, ToolCall, ToolChoice, ToolSet, Transcript, Usage};
use crate::{ModelError, ReplyForm, Settings};

/// Something that continues a conversation.
pub trait Model: Send + Sync {
    /// Names provider and model as the user would choose them, such as `openai:gpt-5`. Holds no secret.
    fn id(&self) -> &str;

    /// What a reader of the answers should know about this model, such as that it is none. For the screen.
    fn note(&self) -> Option<&str> {
        None
    }

    /// Asks for the next message. Nothing happens until the stream is polled, and dropping it cancels the request.
    ///
    /// The stream yields text and calls as they are complete, and ends with one [`ModelEvent::Stop`] or one error.
    fn ask<'a>(&'a self, request: Request<'a>) -> EventStream<'a>;
}

/// The events of one reply.
pub type EventStream<'a> = BoxStream<'a, Result<ModelEvent, ModelError>>;

/// Everything that a model is told in one turn.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The path of the agent that asks, such as `root/explorer#1`. Never sent to a provider.
    pub agent: &'a str,
    /// The agent's role. Never sent to a provider.
    pub role: &'a str,
    /// The system prompt; none if empty.
    pub system: &'a str,
    /// What was said so far.
    pub transcript: &'a Transcript,
    /// What the model may call.
    pub tools: &'a ToolSet,
    /// Whether it may call anything in this turn.
    pub tool_choice: ToolChoice,
    /// The longest reply to ask for in this turn, in tokens, where that is less than what the settings say.
    pub max_output_tokens: Option<u64>,
    /// How it is asked.
    pub settings: &'a Settings,
    /// The form that its last word is to have; none if it may be prose.
    pub form: Option<&'a ReplyForm>,
}

/// One step of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelEvent {
    /// Further words of the reply's text.
    Text(String),
    /// A call, once it is complete.
    ToolCall(ToolCall),
    /// What the reply was made of, where text and calls alone don't say it. At most once, after all of them.
    Parts(ReplyParts),
    /// Something that the user should know of how the model was asked, such as a setting that the server does not take.
    Warning(String),
    /// The tokens of this request and reply so far. The last one counts; they are not added up.
    Usage(Usage),
    /// The reply has ended. Nothing comes after it.
    Stop(StopReason),
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model had said what it wanted to say.
    End,
    /// The model waits for the results of its calls.
    ToolUse,
    /// The reply reached a length limit. A call that was cut in the middle is not part of it.
    Length,
    /// The model declined.
    Refusal,
    /// The provider's filter stopped the reply.
    ContentFilter,
}
