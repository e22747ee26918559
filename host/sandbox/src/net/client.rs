//! One request, from a component's words to the beginning of its answer.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, IF_RANGE, RANGE};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1;
use remit_pack::inert;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use wasmtime_wasi_http::io::TokioIo;
use wasmtime_wasi_http::{
    Error, ForbiddenHeaderFilter, RequestOptions, WasiBody, WasiHttpCtx, WasiHttpHooks,
};

use super::body::{Answer, Exchange, Outgoing, failure, redact_headers};
use super::check::{Checked, Forbidden, address, check};
use super::header::is_reserved;
use super::host::Destination;
use super::totals::Totals;
use super::transport::Transport;
use crate::clock::Clock;
use crate::consent::{Outward, Supervision};
use crate::grant::Grants;
use crate::limits::Limits;

/// How long a connection may take unless the component says less.
const CONNECT: Duration = Duration::from_secs(10);

/// What is read of an answer at once, and the most that its headers may have, in bytes.
const BUFFER: usize = 64 << 10;

/// What a component may write of a body at once, in bytes.
const CHUNK: usize = 64 << 10;

/// The headers of one request, as they lie in memory, in bytes.
const FIELDS: usize = 32 << 10;

/// Sends requests for one call.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) grants: Arc<Grants>,
    pub(crate) supervision: Supervision,
    pub(crate) clock: Arc<Clock>,
    pub(crate) totals: Totals,
    transport: Arc<Transport>,
}

/// A store's side of `wasi:http`.
pub(crate) struct Http {
    pub(crate) hooks: Hooks,
    pub(crate) context: WasiHttpCtx,
}

/// What `wasi:http` asks. When it is gone nothing is sent any more.
pub(crate) struct Hooks(Arc<Client>);

/// A request in flight, as [`WasiHttpHooks`] has it.
type Sending = Box<dyn Future<Output = Result<(Response<WasiBody>, Driver), Error>> + Send>;

/// What goes on after an answer's beginning. The body does that here, so that it ends with it.
type Driver = Box<dyn Future<Output = Result<(), Error>> + Send>;

impl Http {
    pub(crate) fn new(
        grants: Arc<Grants>,
        supervision: &Supervision,
        limits: &Limits,
        clock: Arc<Clock>,
        transport: Arc<Transport>,
    ) -> Self {
        let mut context = WasiHttpCtx::new();
        context.set_field_size_limit(FIELDS);
        let (supervision, totals) = (supervision.clone(), Totals::new(limits));
        let client = Client { grants, supervision, clock, totals, transport };
        Self { hooks: Hooks(Arc::new(client)), context }
    }
}

impl Drop for Hooks {
    fn drop(&mut self) {
        self.0.totals.end();
    }
}

impl WasiHttpHooks for Hooks {
    /// What the host sets; the length of a body is the component's to say, and checked.
    fn forbidden_header_filter(&mut self) -> ForbiddenHeaderFilter {
        Arc::new(|name| is_reserved(name) && *name != CONTENT_LENGTH)
    }

    fn set_host_header(&mut self) -> bool {
        false
    }

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        CHUNK
    }

    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _answer_is_read: Driver,
    ) -> Sending {
        let client = self.0.clone();
        Box::new(async move {
            let answer = client.send(request, options.unwrap_or_default()).await.map_err(failure)?;
            Ok((answer, Box::new(async { Ok(()) }) as Driver))
        })
    }
}

impl Client {
    /// Sends a request, if it may be, and waits for the beginning of its answer.
    ///
    /// # Errors
    ///
    /// What became of it, in words for the component.
    async fn send(
        self: Arc<Self>,
        request: Request<WasiBody>,
        options: RequestOptions,
    ) -> Result<Response<WasiBody>, String> {
        let (mut parts, body) = request.into_parts();
        let Checked { destination, url, names_address } = check(&parts, &self.grants)
            .map_err(|Forbidden { request, reason }| self.supervision.refuse("request", &request, reason))?;
        let request = format!("{} {url}", parts.method);
        let waits = [options.connect_timeout, options.first_byte_timeout, options.between_bytes_timeout];
        if waits.into_iter().flatten().any(|wait| wait.is_zero()) {
            return Err(format!("`{request}`: a time limit of zero leaves no time to send it"));
        }
        if !self.totals.requests.take(1) {
            let limit = self.totals.requests.limit();
            return Err(self.supervision.refuse(
                "request",
                &request,
                format!("a call sends at most {limit} requests"),
            ));
        }
        let effect = Outward::Request { method: parts.method.to_string(), url: url.clone() };
        self.supervision
            .ask(&self.clock, effect)
            .await
            .map_err(|why| self.supervision.refuse("request", &request, why))?;

        let failed = |reason: String| format!("`{request}`: {reason}");
        let reserve = self.clock.reserve();
        let sending = async {
            address(&mut parts, &destination)?;
            self.add_secrets(&mut parts, &destination);
            let mut body = body;
            let first = first_piece(&mut body).await?;
            if first.is_some() && [Method::GET, Method::HEAD].contains(&parts.method) {
                let reason = format!("a request with the method `{}` has no body", parts.method);
                self.supervision.ledger.refused("request", &request, reason.clone());
                return Err(reason);
            }
            let addresses = self.transport.addresses(&destination, names_address).await;
            let addresses = addresses.inspect_err(|reason| {
                self.supervision.ledger.refused("request", &request, reason.clone());
            })?;
            let ledger = &self.supervision.ledger;
            let noted = self.totals.note(|| ledger.contacted(parts.method.as_str(), &url));
            let contact = noted.ok_or("the call is at its end")?;
            let exchange = Exchange {
                client: self.clone(),
                contact,
                stopped: OnceLock::new(),
                request: request.clone(),
                reserve,
            };
            self.exchange(Arc::new(exchange), parts, (first, body), (&destination, addresses), options).await
        };
        tokio::select! {
            biased;
            answer = sending => answer.map_err(failed),
            () = self.clock.down_to(reserve) => {
                Err(failed("the call's time was over before an answer came".to_owned()))
            }
        }
    }

    async fn exchange(
        &self,
        exchange: Arc<Exchange>,
        mut parts: Parts,
        (first, body): (Option<Bytes>, WasiBody),
        (destination, addresses): (&Destination, Vec<SocketAddr>),
        options: RequestOptions,
    ) -> Result<Response<WasiBody>, String> {
        let connecting = self.transport.connect(destination, addresses);
        let connected = timeout(options.connect_timeout.unwrap_or(CONNECT), connecting).await;
        let stream = connected.map_err(|_| "no connection with it in the time allowed")??;
        let words = |error: hyper::Error| exchange.words(error);
        let (mut sender, connection) = http1::Builder::new()
            .max_buf_size(BUFFER)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(words)?;
        let driver = AbortOnDropHandle::new(tokio::spawn(async move {
            // What goes wrong with it is told to whoever sends or reads.
            let _ = connection.await;
        }));
        let body = match first {
            None => {
                if [Method::POST, Method::PUT, Method::PATCH].contains(&parts.method) {
                    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
                }
                Empty::new().map_err(|never| match never {}).boxed_unsync()
            }
            first => Outgoing::new(exchange.clone(), first, body).boxed_unsync(),
        };
        let answering = sender.send_request(Request::from_parts(parts, body));
        let answer = match options.first_byte_timeout {
            None => answering.await,
            Some(wait) => timeout(wait, answering).await.map_err(|_| "no answer in the time allowed")?,
        };
        let (mut head, body) = answer.map_err(words)?.into_parts();
        exchange.contact.answered(head.status.as_u16());
        if let Some(redactor) = self.grants.redactor() {
            if let Some(coding) = head.headers.get(CONTENT_ENCODING).filter(|coding| *coding != "identity") {
                let coding = String::from_utf8_lossy(coding.as_bytes());
                return Err(redactor.redact_text(&format!(
                    "the answer is packed as `{}`, and so cannot be searched for secrets",
                    inert(&coding)
                )));
            }
            if head.status == StatusCode::PARTIAL_CONTENT {
                return Err("the answer is a part of one, and so cannot be searched for secrets".to_owned());
            }
            redact_headers(&mut head.headers, redactor);
        }
        let answer = Answer::new(exchange.clone(), body, options.between_bytes_timeout, driver);
        Ok(Response::from_parts(head, answer.boxed_unsync()))
    }

    /// Sets the headers that are secret, over what the component set. What could bring an answer past the search for them,
    /// packed or in parts, is not asked for.
    fn add_secrets(&self, parts: &mut Parts, destination: &Destination) {
        if self.grants.redactor().is_none() {
            return;
        }
        for secret in self.grants.secrets().iter().filter(|secret| secret.belongs_to(destination)) {
            let (name, value) = secret.entry();
            parts.headers.insert(name.clone(), value.clone());
        }
        parts.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        parts.headers.remove(RANGE);
        parts.headers.remove(IF_RANGE);
    }
}

/// The first piece of a body; nothing if it has none, whatever the component said of its length.
async fn first_piece(body: &mut WasiBody) -> Result<Option<Bytes>, String> {
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| "the component gave its request's body up")?;
        match frame.into_data() {
            Ok(bytes) if bytes.is_empty() => {}
            Ok(bytes) => return Ok(Some(bytes)),
            Err(_) => break,
        }
    }
    Ok(None)
}
