//! One request to a server and the bytes of its answer, whatever API is spoken: endpoint, key, time, caps, errors.

mod client;
mod endpoint;
pub(crate) mod fault;
mod retry_after;
mod secrets;
mod timeouts;

use std::error::Error;
use std::fmt;
use std::sync::OnceLock;
use std::time::SystemTime;

use bytes::Bytes;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Body, Client, Response};
use tokio::time::{Instant, timeout, timeout_at};

use crate::{Account, ExtraHeaders, Keys, ModelError};

pub use endpoint::Endpoint;
pub use timeouts::Timeouts;

pub(crate) use secrets::Secrets;

use client::ClientError;

/// The most of an error's body that is read, in bytes.
const MAX_ERROR_BODY: usize = 64 << 10;

/// The most bytes that one reply may take on the wire. A server that sends for ever, be it nothing but signs of life,
/// is given up here.
const MAX_BODY: usize = 256 << 20;

/// The version of Anthropic's API that is spoken.
const ANTHROPIC_VERSION: (HeaderName, HeaderValue) =
    (HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2023-06-01"));

/// One endpoint and what is needed to post to it.
pub(crate) struct Exchange {
    endpoint: Endpoint,
    timeouts: Timeouts,
    headers: HeaderMap,
    secrets: Secrets,
    client: OnceLock<Client>,
}

/// The bytes of an answer.
pub(crate) type Chunks<'a> = BoxStream<'a, Result<Bytes, ModelError>>;

impl Exchange {
    /// # Errors
    ///
    /// [`ModelError::Configuration`] where a key is needed and missing, or is none.
    pub(crate) fn new(endpoint: Endpoint, keys: &Keys, timeouts: Timeouts) -> Result<Exchange, ModelError> {
        let account = endpoint.account();
        let key = if endpoint.takes_key() { keys.key(account)? } else { None };
        let mut headers = HeaderMap::new();
        if account == Account::Anthropic {
            let (name, value) = ANTHROPIC_VERSION;
            headers.insert(name, value);
        }
        match key {
            Some(key) => {
                let (name, value) = key_header(account, key)?;
                headers.insert(name, value);
            }
            None if endpoint.is_own() => {
                let (variable, title) = (account.key_variable(), account.title());
                let prefix = endpoint.protocol().prefix();
                let message = format!(
                    "{variable} is not set, and {title}'s own API needs it; for another server that speaks the same, \
                     choose `{prefix}:NAME@URL`"
                );
                return Err(ModelError::Configuration { message });
            }
            None => {}
        }
        let secrets = Secrets::new(key.map(str::to_owned));
        Ok(Exchange { endpoint, timeouts, headers, secrets, client: OnceLock::new() })
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(crate) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Posts a request. The stream is the body of a reply that has begun well.
    pub(crate) async fn send(&self, body: Body, more: &ExtraHeaders) -> Result<Chunks<'_>, ModelError> {
        let end = Instant::now() + self.timeouts.total;
        let request = self
            .client()?
            .post(self.endpoint.url().clone())
            .headers(more.added_to(self.headers.clone()))
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(body);
        let response = match timeout(self.timeouts.idle, request.send()).await {
            Ok(response) => response.map_err(|error| self.connect_error(error))?,
            Err(_) => return Err(ModelError::Idle { after: self.timeouts.idle }),
        };
        if !response.status().is_success() {
            return Err(self.http_error(response, end).await);
        }

        let status = response.status().as_u16();
        let mut chunks = self.chunks(response, end);
        let mut first = Vec::new();
        while first.trim_ascii().is_empty() && first.len() < MAX_ERROR_BODY {
            match chunks.try_next().await? {
                Some(chunk) => first.extend_from_slice(&chunk),
                None => return Err(ModelError::EndedEarly),
            }
        }
        // No event begins like this; a page or a JSON document does, whatever its content type.
        if matches!(first.trim_ascii().first(), Some(b'<' | b'{' | b'[')) {
            let message = self.message(first, chunks).await.0;
            let url = self.endpoint.shown();
            return Err(ModelError::Http { url, status, message, passing: false, retry_after: None });
        }
        Ok(stream::once(async { Ok(Bytes::from(first)) }).chain(chunks).boxed())
    }

    /// The body: every wait for a part of it, the whole of it in time, and its length limited.
    fn chunks(&self, response: Response, end: Instant) -> Chunks<'_> {
        let Timeouts { idle, total, .. } = self.timeouts;
        let body = response.bytes_stream().boxed();
        stream::try_unfold((body, 0usize), move |(mut body, length)| async move {
            let now = Instant::now();
            let until = end.min(now + idle);
            match timeout_at(until, body.next()).await {
                Ok(Some(Ok(bytes))) => {
                    let length = length.saturating_add(bytes.len());
                    if length > MAX_BODY {
                        return Err(ModelError::TooLarge { what: "bytes in one body", limit: MAX_BODY });
                    }
                    Ok(Some((bytes, (body, length))))
                }
                Ok(Some(Err(_))) => Err(ModelError::EndedEarly),
                Ok(None) => Ok(None),
                Err(_) if until == end => Err(ModelError::Slow { after: total }),
                Err(_) => Err(ModelError::Idle { after: idle }),
            }
        })
        .boxed()
    }

    async fn http_error(&self, response: Response, end: Instant) -> ModelError {
        let status = response.status();
        let retry_after = retry_after::of(response.headers(), SystemTime::now());
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let (message, is_lasting) = match location.filter(|_| status.is_redirection()) {
            Some(location) => {
                let to = self.secrets.redacted(&fault::shortened(location));
                (format!("a redirect to {to}; redirects are not followed, so choose the right URL"), true)
            }
            None => self.message(Vec::new(), self.chunks(response, end)).await,
        };
        let passing = !is_lasting && ModelError::is_passing_status(status.as_u16());
        ModelError::Http {
            url: self.endpoint.shown(),
            status: status.as_u16(),
            message,
            passing,
            retry_after,
        }
    }

    /// The words of an error's body, of which `first` has been read, and whether they say that it will last.
    async fn message(&self, first: Vec<u8>, mut rest: Chunks<'_>) -> (String, bool) {
        let mut body = first;
        while body.len() < MAX_ERROR_BODY {
            match rest.next().await {
                Some(Ok(chunk)) => body.extend_from_slice(&chunk),
                _ => break,
            }
        }
        body.truncate(MAX_ERROR_BODY);
        // Redacted before it is cut, so that no half of a key is left.
        let text = self.secrets.redacted(&String::from_utf8_lossy(&body));
        (fault::message(text.as_bytes()), fault::is_out_of_quota(text.as_bytes()))
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
            message: fault::shortened(&self.secrets.redacted(&message)),
        }
    }

    /// The client, made at the first request: reading the system's certificates takes longer than all other start-up.
    fn client(&self) -> Result<&Client, ModelError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = client::client(&self.endpoint, &self.timeouts).map_err(|error| match error {
            ClientError::Certificates(error) => error,
            ClientError::Build(error) => self.connect_error(error),
        })?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// How an account wants to be shown a key.
fn key_header(account: Account, key: &str) -> Result<(HeaderName, HeaderValue), ModelError> {
    let (name, text) = match account {
        Account::OpenAi => (AUTHORIZATION, format!("Bearer {key}")),
        Account::Anthropic => (HeaderName::from_static("x-api-key"), key.to_owned()),
    };
    let mut value = HeaderValue::from_str(&text).map_err(|_| {
        let message = format!("{} holds characters that no key has", account.key_variable());
        ModelError::Configuration { message }
    })?;
    value.set_sensitive(true);
    Ok((name, value))
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("endpoint", &self.endpoint.shown())
            .field("secrets", &self.secrets)
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}
