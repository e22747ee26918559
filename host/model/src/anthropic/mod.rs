//! `anthropic:NAME[@URL]`: the Messages API, streamed, of Anthropic or of any server that speaks it.
//!
//! <https://docs.anthropic.com/en/api/messages>, <https://docs.anthropic.com/en/docs/build-with-claude/streaming>

mod block;
mod decoder;
mod event;
mod message;
mod request;

pub(crate) use decoder::Decoder;
pub(crate) use request::body;
