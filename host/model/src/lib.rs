//! Chat types and model providers.
//!
//! An agent loop owns a [`Transcript`], asks a [`Model`] about it with a [`Request`] and gets a stream of
//! [`ModelEvent`]s back, which [`collect`] turns into one [`Reply`]:
//!
//! ```
//! # use remit_model::*;
//! # async fn turn(model: &dyn Model) -> Result<(), ModelError> {
//! let mut transcript = Transcript::new();
//! transcript.push(Message::user("Which test framework does this project use?"));
//! let tools = ToolSet::new(Vec::new());
//! let request = Request {
//!     agent: "root",
//!     role: "root",
//!     system: "Answer in one sentence.",
//!     transcript: &transcript,
//!     tools: &tools,
//!     tool_choice: ToolChoice::Auto,
//!     max_output_tokens: None,
//!     settings: Settings::plain(),
//!     form: None,
//! };
//! let reply = collect(model.ask(request), |text| drop(text.len())).await?;
//! transcript.push(Message::assistant(reply.text, reply.calls));
//! # Ok(())
//! # }
//! ```
//!
//! This crate knows no tool, no sandbox and no agent: a tool is a [`ToolSpec`] that a model may name, and a call is
//! a [`ToolCall`] whose arguments are text. It never retries; [`ModelError::is_retryable`] says where that may help, and
//! [`ModelError::retry_after`] when.

mod anthropic;
#[doc(hidden)]
pub mod bench;
mod body;
mod chat;
mod choice;
mod error;
mod exchange;
mod file;
mod keys;
mod offline;
mod openai;
mod protocol;
mod provider;
mod refusals;
mod responses;
mod script;
mod settings;
mod stream;

pub use chat::{
    Content, EventStream, MAX_REPLY_BYTES, MAX_REPLY_CALLS, Message, Model, ModelEvent, Reply, ReplyParts,
    Request, Role, StopReason, ToolCall, ToolChoice, ToolSet, ToolSpec, Transcript, Usage, collect,
};
pub use choice::ModelChoice;
pub use error::ModelError;
pub use exchange::{Endpoint, Timeouts};
pub use keys::Keys;
pub use offline::Offline;
pub use protocol::{Account, Protocol};
pub use provider::Provider;
pub use script::{Script, ScriptGates};
pub use settings::{
    Effort, ExtraBody, ExtraHeaders, MAX_BODY_FIELDS, MAX_HEADER_BYTES, MAX_HEADERS, ReplyForm,
    SettingProblem, Settings, Temperature,
};
