//! A model behind a server: one request and its streamed reply, in any of the protocols.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::{StreamExt, TryStreamExt, stream as futures_stream};

use crate::chat::{EventStream, Model, Request};
use crate::exchange::{Chunks, Exchange, Timeouts};
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
    /// Whether the model was found to have no encrypted thinking.
    is_unsealed: AtomicBool,
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
        Ok(Provider { id, name: name.to_owned(), exchange, is_unsealed: AtomicBool::new(false) })
    }

    fn body(&self, request: &Request<'_>) -> Vec<u8> {
        let endpoint = self.exchange.endpoint();
        match endpoint.protocol() {
            Protocol::ChatCompletions => openai::body(&self.name, endpoint, request),
            Protocol::Messages => anthropic::body(&self.name, request),
            Protocol::Responses => {
                responses::body(&self.name, !self.is_unsealed.load(Ordering::Relaxed), request)
            }
        }
    }

    async fn send(&self, request: &Request<'_>) -> Result<Chunks<'_>, ModelError> {
        match self.exchange.send(self.body(request).into()).await {
            Err(error) if self.is_about_sealing(&error) => {
                self.exchange.send(self.body(request).into()).await
            }
            sent => sent,
        }
    }

    /// Whether a request was refused because the model has no encrypted thinking to give. It is then asked for none, for
    /// as long as this value lives. Only the refusal says so: nothing in a model's name does.
    fn is_about_sealing(&self, error: &ModelError) -> bool {
        let is_meant = self.exchange.endpoint().protocol() == Protocol::Responses
            && matches!(error, ModelError::Http { status: 400 | 422, message, .. }
                if message.to_lowercase().contains("encrypted") || message.contains("include"));
        is_meant && !self.is_unsealed.swap(true, Ordering::Relaxed)
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
            Ok(match self.exchange.endpoint().protocol() {
                Protocol::ChatCompletions => stream::events(bytes, openai::Decoder::default(), draft).boxed(),
                Protocol::Messages => stream::events(bytes, anthropic::Decoder::default(), draft).boxed(),
                Protocol::Responses => stream::events(bytes, responses::Decoder::default(), draft).boxed(),
            })
        };
        futures_stream::once(reply).try_flatten().boxed()
    }
}

#[cfg(test)]
mod tests;
