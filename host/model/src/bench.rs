//! What the benchmarks call: reading and wording without a network. Not part of the API.

use bytes::Bytes;
use futures::{StreamExt, stream as futures_stream};

use crate::chat::{Reply, Request, ToolChoice, ToolSet, Transcript, collect};
use crate::exchange::Secrets;
use crate::refusals::Refused;
use crate::stream::{self, Draft};
use crate::{Endpoint, ModelError, Protocol, Settings, anthropic, openai, responses};

/// Reads a streamed reply that arrives in pieces of `piece` bytes.
///
/// # Errors
///
/// As reading any reply.
pub async fn read(protocol: Protocol, bytes: &[u8], piece: usize) -> Result<Reply, ModelError> {
    let pieces: Vec<_> = bytes.chunks(piece).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let pieces = futures_stream::iter(pieces).boxed();
    let transcript = Transcript::new();
    let draft = Draft::new(&transcript, Secrets::default());
    let events = match protocol {
        Protocol::ChatCompletions => stream::events(pieces, openai::Decoder::default(), draft).boxed(),
        Protocol::Messages => stream::events(pieces, anthropic::Decoder::default(), draft).boxed(),
        Protocol::Responses => stream::events(pieces, responses::Decoder::default(), draft).boxed(),
    };
    collect(events, |_| {}).await
}

/// The body of the request for the next reply; its length.
pub fn request(protocol: Protocol, transcript: &Transcript, tools: &ToolSet) -> Option<usize> {
    let request = Request {
        agent: "root",
        role: "root",
        system: "Answer in one sentence.",
        transcript,
        tools,
        tool_choice: ToolChoice::Auto,
        max_output_tokens: None,
        settings: Settings::plain(),
        form: None,
    };
    let (endpoint, refused) = (Endpoint::own(protocol).ok()?, Refused::default());
    let body = match protocol {
        Protocol::ChatCompletions => openai::body("m", &endpoint, refused, &request),
        Protocol::Messages => anthropic::body("m", &endpoint, refused, &request),
        Protocol::Responses => responses::body("m", &endpoint, refused, &request),
    };
    Some(body.len())
}
