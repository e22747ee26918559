//! `openai:NAME[@URL]`: the Chat Completions API, streamed, of OpenAI or of any server that speaks it.
//!
//! <https://platform.openai.com/docs/api-reference/chat>

mod assembly;
mod chunk;
mod endpoint;
mod exchange;
mod fault;
mod request;
mod stream;

use futures::{StreamExt, TryStreamExt, stream as futures_stream};

use crate::chat::{EventStream, Model, Request};
use crate::{Keys, ModelError};

pub use endpoint::{Endpoint, OPENAI_URL};
pub use exchange::Timeouts;

use exchange::Exchange;

/// A model behind Chat Completions.
///
/// Making one opens no connection and reads no certificate; the first request does.
#[derive(Debug)]
pub struct OpenAi {
    id: String,
    name: String,
    exchange: Exchange,
}

impl OpenAi {
    /// The model `name` at `endpoint`.
    ///
    /// # Errors
    ///
    /// [`ModelError::Configuration`] if the endpoint needs a key and there is none.
    pub fn new(name: &str, endpoint: Endpoint, keys: &Keys) -> Result<OpenAi, ModelError> {
        OpenAi::with_timeouts(name, endpoint, keys, Timeouts::default())
    }

    /// As [`OpenAi::new`], with limits of one's own on waiting.
    ///
    /// # Errors
    ///
    /// As [`OpenAi::new`].
    pub fn with_timeouts(
        name: &str,
        endpoint: Endpoint,
        keys: &Keys,
        timeouts: Timeouts,
    ) -> Result<OpenAi, ModelError> {
        let id = format!("openai:{name}");
        Ok(OpenAi { id, name: name.to_owned(), exchange: Exchange::new(endpoint, keys, timeouts)? })
    }
}

impl Model for OpenAi {
    fn id(&self) -> &str {
        &self.id
    }

    fn ask<'a>(&'a self, request: Request<'a>) -> EventStream<'a> {
        let transcript = request.transcript;
        let reply = async move {
            let body = request::body(&self.name, self.exchange.endpoint(), &request);
            let bytes = self.exchange.send(body).await?;
            Ok(stream::events(bytes, |id| transcript.has_call(id), |text| self.exchange.redacted(text)))
        };
        futures_stream::once(reply).try_flatten().boxed()
    }
}

#[cfg(test)]
mod tests;
