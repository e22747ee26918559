//! A model behind a server: one request and its streamed reply, in any of the protocols.

use futures::{StreamExt, TryStreamExt, stream as futures_stream};

use crate::chat::{EventStream, Model, ModelEvent, Request};
use crate::exchange::{Chunks, Exchange, Timeouts};
use crate::refusals::{Refusals, Refused};
use crate::stream::{self, Draft};
use crate::{Endpoint, Keys, ModelError, Protocol, anthropic, openai, responses};

/// A model behind a server.
///
/// Making one opens no connection and reads no certificate; the first request does.
#[derive(Debug)]
pub struct Provider {
    id: String,
    name: String,
    exchange: Exchange,
    refusals: Refusals,
}

impl Provider {
    /// The model `name` at `endpoint`.
    ///
    /// # Errors
    ///
    /// [`ModelError::Configuration`] if the endpoint needs a key and there is none, or it can't be read.
    pub fn new(name: &str, endpoint: Endpoint, keys: &Keys) -> Result<Provider, ModelError> {
        Provider::with_timeouts(name, endpoint, keys, Timeouts::default())
    }

    /// As [`Provider::new`], with limits of one's own on waiting.
    ///
    /// # Errors
    ///
    /// As [`Provider::new`].
    pub fn with_timeouts(
        name: &str,
        endpoint: Endpoint,
        keys: &Keys,
        timeouts: Timeouts,
    ) -> Result<Provider, ModelError> {
        let id = format!("{}:{name}", endpoint.protocol().prefix());
        let exchange = Exchange::new(endpoint, keys, timeouts)?;
        Ok(Provider { id, name: name.to_owned(), exchange, refusals: Refusals::default() })
    }

    fn body(&self, refused: Refused, request: &Request<'_>) -> Vec<u8> {
        let endpoint = self.exchange.endpoint();
        match endpoint.protocol() {
            Protocol::ChatCompletions => openai::body(&self.name, endpoint, refused, request),
            Protocol::Messages => anthropic::body(&self.name, endpoint, refused, request),
            Protocol::Responses => responses::body(&self.name, endpoint, refused, request),
        }
    }

    /// Sends a request, and again without what the server refuses of it, as long as it can do without.
    async fn send(&self, request: &Request<'_>) -> Result<Chunks<'_>, ModelError> {
        loop {
            let refused = self.refusals.now();
            let body = self.body(refused, request);
            let sent = self.exchange.send(body.into(), &request.settings.headers).await;
            match sent {
                Err(error) if self.is_about_a_wish(&error, request, refused) => {}
                sent => return sent,
            }
        }
    }

    fn is_about_a_wish(&self, error: &ModelError, request: &Request<'_>, sent_without: Refused) -> bool {
        let protocol = self.exchange.endpoint().protocol();
        self.refusals.learn(error, (request, protocol), sent_without, &self.id)
    }
}

impl Model for Provider {
    fn id(&self) -> &str {
        &self.id
    }

    fn ask<'a>(&'a self, request: Request<'a>) -> EventStream<'a> {
        let reply = async move {
            let bytes = self.send(&request).await?;
            let draft = Draft::new(request.transcript, self.exchange.secrets().clone());
            let warnings = self.refusals.tell().into_iter().map(|words| Ok(ModelEvent::Warning(words)));
            let warnings = futures_stream::iter(warnings);
            Ok(warnings.chain(match self.exchange.endpoint().protocol() {
                Protocol::ChatCompletions => stream::events(bytes, openai::Decoder::default(), draft).boxed(),
                Protocol::Messages => stream::events(bytes, anthropic::Decoder::default(), draft).boxed(),
                Protocol::Responses => stream::events(bytes, responses::Decoder::default(), draft).boxed(),
            }))
        };
        futures_stream::once(reply).try_flatten().boxed()
    }
}

#[cfg(test)]
mod tests;
