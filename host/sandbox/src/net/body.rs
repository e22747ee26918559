//! Bodies on their way: counted, searched for secrets, and ended at the limits.

use std::error::Error as _;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use http_body::{Body, Frame};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep};
use tokio_util::task::AbortOnDropHandle;
use wasmtime_wasi_http::{Error, WasiBody};

use super::client::Client;
use super::redact::{Redactor, Stream};
use crate::ledger::Contact;

/// What a body gives next.
type Polled = Poll<Option<Result<Frame<Bytes>, Error>>>;

/// Takes secrets out of one body, where there are any to look for.
struct Search(Option<Stream>);

/// What both bodies of one exchange share.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) client: Arc<Client>,
    pub(crate) contact: Arc<Contact>,
    /// Why the request's body was ended, if it was.
    pub(crate) stopped: OnceLock<String>,
    /// Method and URL, as the ledger has them.
    pub(crate) request: String,
    /// What is kept of the call's time for the component to say what went wrong.
    pub(crate) reserve: Duration,
}

/// The body of a request, on its way out.
pub(crate) struct Outgoing {
    exchange: Arc<Exchange>,
    /// What was taken from the body to see whether it has anything.
    first: Option<Bytes>,
    inner: WasiBody,
    search: Search,
    is_over: bool,
}

/// The body of an answer, on its way in.
pub(crate) struct Answer {
    exchange: Arc<Exchange>,
    inner: Incoming,
    search: Search,
    between: Option<Duration>,
    last: Instant,
    timer: Pin<Box<Sleep>>,
    is_over: bool,
    /// Drives the connection.
    _connection: AbortOnDropHandle<()>,
}

/// An error with words for the component.
pub(crate) fn failure(reason: impl Into<String>) -> Error {
    Error::InternalError(Some(reason.into()))
}

impl Outgoing {
    pub(crate) fn new(exchange: Arc<Exchange>, first: Option<Bytes>, inner: WasiBody) -> Self {
        let search = Search::new(&exchange);
        Self { exchange, first, inner, search, is_over: false }
    }

    fn stop(&mut self, reason: String) -> Polled {
        self.is_over = true;
        let _ = self.exchange.stopped.set(reason.clone());
        Poll::Ready(Some(Err(failure(reason))))
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Polled {
        let this = &mut *self;
        loop {
            if this.is_over {
                return Poll::Ready(None);
            }
            let next = match this.first.take() {
                Some(first) => Some(first),
                None => match ready!(Pin::new(&mut this.inner).poll_frame(context)) {
                    // Trailers are not sent: few servers take them.
                    Some(Ok(frame)) => frame.into_data().ok(),
                    Some(Err(_)) => return this.stop("the component gave its request's body up".to_owned()),
                    None => None,
                },
            };
            this.is_over = next.is_none();
            let (bytes, mark) = this.search.pass(next);
            if let Some(mark) = mark {
                let reason = format!("its body has a secret in it: {mark}");
                let (client, request) = (&this.exchange.client, &this.exchange.request);
                client.supervision.ledger.refused("request", request, reason.clone());
                return this.stop(reason);
            }
            if !bytes.is_empty() {
                let length = bytes.len() as u64;
                let sent = &this.exchange.client.totals.sent;
                if !sent.take(length) {
                    let limit = sent.limit();
                    return this.stop(format!("the call's requests have more than {limit} bytes of body"));
                }
                this.exchange.contact.sent(length);
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_over || (self.first.is_none() && self.inner.is_end_stream() && !self.search.holds())
    }
}

impl Answer {
    pub(crate) fn new(
        exchange: Arc<Exchange>,
        inner: Incoming,
        between: Option<Duration>,
        connection: AbortOnDropHandle<()>,
    ) -> Self {
        Self {
            search: Search::new(&exchange),
            exchange,
            inner,
            between,
            last: Instant::now(),
            timer: Box::pin(tokio::time::sleep(Duration::ZERO)),
            is_over: false,
            _connection: connection,
        }
    }

    fn stop(&mut self, reason: impl Into<String>) -> Polled {
        self.is_over = true;
        Poll::Ready(Some(Err(failure(reason))))
    }

    /// Ready, with the reason, once there is no more time to wait for the next bytes.
    fn poll_late(&mut self, context: &mut Context<'_>) -> Poll<String> {
        loop {
            ready!(self.timer.as_mut().poll(context));
            let left = self.exchange.client.clock.left().saturating_sub(self.exchange.reserve);
            if left.is_zero() {
                return Poll::Ready("the call's time was over before the whole answer came".to_owned());
            }
            let quiet = self.between.map(|between| between.saturating_sub(self.last.elapsed()));
            if quiet.is_some_and(|quiet| quiet.is_zero()) {
                return Poll::Ready("nothing more of the answer came in the time allowed".to_owned());
            }
            let wait = quiet.map_or(left, |quiet| quiet.min(left));
            self.timer.as_mut().reset(Instant::now() + wait);
        }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Polled {
        let this = &mut *self;
        loop {
            if this.is_over {
                return Poll::Ready(None);
            }
            let next = match Pin::new(&mut this.inner).poll_frame(context) {
                Poll::Ready(next) => next,
                Poll::Pending => {
                    let reason = ready!(this.poll_late(context));
                    return this.stop(reason);
                }
            };
            this.last = Instant::now();
            let next = match next {
                Some(Err(error)) => {
                    let reason = this.exchange.words(error);
                    return this.stop(reason);
                }
                // What follows the body is nothing that a component needs.
                Some(Ok(frame)) => Some(frame.into_data().unwrap_or_default()),
                None => None,
            };
            this.is_over = next.is_none();
            let length = next.as_ref().map_or(0, |bytes| bytes.len() as u64);
            let received = &this.exchange.client.totals.received;
            if !received.take(length) {
                let limit = received.limit();
                return this.stop(format!("the call's answers have more than {limit} bytes of body"));
            }
            this.exchange.contact.received(length);
            let (bytes, _) = this.search.pass(next);
            if !bytes.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_over || (self.inner.is_end_stream() && !self.search.holds())
    }
}

impl Search {
    fn new(exchange: &Exchange) -> Self {
        Self(exchange.client.grants.redactor().cloned().map(Stream::new))
    }

    /// What can be told after the next piece, or after the end, and what stands in it in place of a secret.
    fn pass(&mut self, next: Option<Bytes>) -> (Bytes, Option<Arc<str>>) {
        let Some(stream) = &mut self.0 else { return (next.unwrap_or_default(), None) };
        let piece = match next {
            Some(bytes) => stream.push(&bytes),
            None => stream.finish(),
        };
        (piece.bytes.into(), piece.mark)
    }

    /// Whether something is kept back that may be the beginning of a secret.
    fn holds(&self) -> bool {
        self.0.as_ref().is_some_and(Stream::holds)
    }
}

impl Exchange {
    /// What went wrong, in words without secrets.
    pub(crate) fn words(&self, error: hyper::Error) -> String {
        if let Some(reason) = self.stopped.get() {
            return reason.clone();
        }
        let is_cut = error.is_incomplete_message()
            || error
                .source()
                .and_then(|source| source.downcast_ref::<io::Error>())
                .is_some_and(|source| source.kind() == io::ErrorKind::UnexpectedEof);
        let words = match is_cut {
            true => "the server closed the connection before its answer was whole".to_owned(),
            false => format!("{:#}", wasmtime::Error::from(error)),
        };
        self.client.grants.redacted(words)
    }
}

/// An answer's headers without secrets.
pub(crate) fn redact_headers(headers: &mut HeaderMap, redactor: &Arc<Redactor>) {
    let redacted = headers.iter().filter(|(name, _)| redactor.find(name.as_str().as_bytes()).is_none()).map(
        |(name, value)| {
            let redacted = HeaderValue::from_bytes(&redactor.redact(value.as_bytes()));
            (name.clone(), redacted.unwrap_or(HeaderValue::from_static("")))
        },
    );
    *headers = redacted.collect();
}
