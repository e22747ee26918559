use std::error::Error;
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{Body, Client, Response, redirect};
use tokio::time::timeout;

use crate::openai::{Endpoint, fault};
use crate::{Keys, ModelError};

/// The most of an error's body that is read, in bytes.
const MAX_ERROR_BODY: usize = 64 << 10;

/// What stands in a message where the server repeated the key.
const REDACTED: &str = "[key]";

/// How long to wait for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, TLS included.
    pub connect: Duration,
    /// For the next bytes, the first ones included. Comments that a server sends to keep the line open count.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts { connect: Duration::from_secs(15), idle: Duration::from_secs(120) }
    }
}

/// One endpoint and what is needed to post to it.
pub(super) struct Exchange {
    endpoint: Endpoint,
    timeouts: Timeouts,
    key: Option<Key>,
    client: OnceLock<Client>,
}

struct Key {
    text: String,
    header: HeaderValue,
}

impl Exchange {
    pub(super) fn new(endpoint: Endpoint, keys: &Keys, timeouts: Timeouts) -> Result<Exchange, ModelError> {
        let key = match keys.openai().filter(|_| endpoint.takes_key()) {
            Some(key) => Some(Key::new(key)?),
            None if endpoint.is_own() => {
                let message =
                    "OPENAI_API_KEY is not set, and OpenAI's own API needs it; for another server that \
                               speaks the same, choose `openai:NAME@URL`"
                        .to_owned();
                return Err(ModelError::Configuration { message });
            }
            None => None,
        };
        Ok(Exchange { endpoint, timeouts, key, client: OnceLock::new() })
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Posts a request. The stream is the body of a reply that has begun well.
    pub(super) async fn send(
        &self,
        body: Body,
    ) -> Result<BoxStream<'_, Result<Bytes, ModelError>>, ModelError> {
        let mut request = self
            .client()?
            .post(self.endpoint.url().clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(body);
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key.header.clone());
        }
        let response = match timeout(self.timeouts.idle, request.send()).await {
            Ok(response) => response.map_err(|error| self.connect_error(error))?,
            Err(_) => return Err(ModelError::Idle { after: self.timeouts.idle }),
        };
        if !response.status().is_success() {
            return Err(self.http_error(response).await);
        }

        let status = response.status().as_u16();
        let mut chunks = self.chunks(response);
        let mut first = Vec::new();
        while first.trim_ascii().is_empty() && first.len() < MAX_ERROR_BODY {
            match chunks.try_next().await? {
                Some(chunk) => first.extend_from_slice(&chunk),
                None => return Err(ModelError::EndedEarly),
            }
        }
        // No event begins like this; a page or a JSON document does, whatever its content type.
        if matches!(first.trim_ascii().first(), Some(b'<' | b'{' | b'[')) {
            let message = self.message(first, chunks).await;
            return Err(ModelError::Http { url: self.endpoint.shown(), status, message });
        }
        Ok(stream::once(async { Ok(Bytes::from(first)) }).chain(chunks).boxed())
    }

    /// The body, every wait for a part of it limited.
    fn chunks(&self, response: Response) -> BoxStream<'_, Result<Bytes, ModelError>> {
        let idle = self.timeouts.idle;
        let body = response.bytes_stream().boxed();
        stream::try_unfold(body, move |mut body| async move {
            match timeout(idle, body.next()).await {
                Ok(Some(Ok(bytes))) => Ok(Some((bytes, body))),
                Ok(Some(Err(_))) => Err(ModelError::EndedEarly),
                Ok(None) => Ok(None),
                Err(_) => Err(ModelError::Idle { after: idle }),
            }
        })
        .boxed()
    }

    async fn http_error(&self, response: Response) -> ModelError {
        let status = response.status();
        let url = self.endpoint.shown();
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let message = match location.filter(|_| status.is_redirection()) {
            Some(location) => {
                let to = self.redacted(&fault::shortened(location));
                format!("a redirect to {to}; redirects are not followed, so choose the right URL")
            }
            None => self.message(Vec::new(), self.chunks(response)).await,
        };
        ModelError::Http { url, status: status.as_u16(), message }
    }

    /// The words of an error's body, of which `first` has been read.
    async fn message(&self, first: Vec<u8>, mut rest: BoxStream<'_, Result<Bytes, ModelError>>) -> String {
        let mut body = first;
        while body.len() < MAX_ERROR_BODY {
            match rest.next().await {
                Some(Ok(chunk)) => body.extend_from_slice(&chunk),
                _ => break,
            }
        }
        body.truncate(MAX_ERROR_BODY);
        // Redacted before it is cut, so that no half of a key is left.
        let text = self.redacted(&String::from_utf8_lossy(&body));
        fault::message(text.as_bytes())
    }

    /// `text` without the key, should a server repeat it.
    pub(super) fn redacted(&self, text: &str) -> String {
        match &self.key {
            Some(key) => text.replace(&key.text, REDACTED),
            None => text.to_owned(),
        }
    }

    fn connect_error(&self, error: reqwest::Error) -> ModelError {
        let error = error.without_url();
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message.push_str(": ");
            message.push_str(&cause.to_string());
            source = cause.source();
        }
        ModelError::Connect {
            url: self.endpoint.shown(),
            message: self.redacted(&fault::shortened(&message)),
        }
    }

    /// The client, made at the first request: reading the system's certificates takes longer than all other start-up.
    fn client(&self) -> Result<&Client, ModelError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        // An error means that a provider of cryptography is there already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("remit/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .connect_timeout(self.timeouts.connect);
        if self.endpoint.is_local() {
            builder = builder.no_proxy();
        }
        if self.endpoint.url().scheme() == "http" {
            // No certificate will be looked at.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|error| self.connect_error(error))?;
        Ok(self.client.get_or_init(|| client))
    }
}

impl Key {
    fn new(key: &str) -> Result<Key, ModelError> {
        let mut header = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| {
            let message = "OPENAI_API_KEY holds characters that no key has".to_owned();
            ModelError::Configuration { message }
        })?;
        header.set_sensitive(true);
        Ok(Key { text: key.to_owned(), header })
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("endpoint", &self.endpoint.shown())
            .field("key", &self.key.as_ref().map(|_| REDACTED))
            .field("timeouts", &self.timeouts)
            .finish()
    }
}
