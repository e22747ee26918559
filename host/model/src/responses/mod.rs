//! `responses:NAME[@URL]`: the Responses API, streamed, of OpenAI or of any server that speaks it. Nothing is stored on
//! the server: every request holds the whole conversation.
//!
//! <https://platform.openai.com/docs/api-reference/responses>, <https://platform.openai.com/docs/api-reference/responses-streaming>

mod decoder;
mod event;
mod item;
mod request;

pub(crate) use decoder::Decoder;
pub(crate) use request::body;
