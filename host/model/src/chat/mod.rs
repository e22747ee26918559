//! What is said between an agent and a model, whatever the provider.

mod message;
mod model;
mod parts;
mod reply;
mod tools;
mod transcript;
mod usage;

pub use message::{Content, Message, Role, ToolCall};
pub use model::{EventStream, Model, ModelEvent, Request, StopReason};
pub use parts::ReplyParts;
pub use reply::{MAX_REPLY_BYTES, MAX_REPLY_CALLS, Reply, collect};
pub use tools::{ToolChoice, ToolSet, ToolSpec};
pub use transcript::Transcript;
pub use usage::Usage;

pub(crate) use message::told_as_text;
pub(crate) use parts::Part;
pub(crate) use reply::fresh_id;
