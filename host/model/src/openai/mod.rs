//! `openai:NAME[@URL]`: the Chat Completions API, streamed, of OpenAI or of any server that speaks it.
//!
//! <https://platform.openai.com/docs/api-reference/chat>

mod assembly;
mod chunk;
mod decoder;
mod request;
mod thinking;

pub(crate) use decoder::Decoder;
pub(crate) use request::body;
