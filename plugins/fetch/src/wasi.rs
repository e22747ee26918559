//! Requests over `wasi:http` 0.2.

use url::Url;
use wasip2::http::outgoing_handler::handle;
use wasip2::http::types::{
    ErrorCode, Fields, IncomingBody, IncomingResponse, OutgoingBody, OutgoingRequest, Scheme,
};
use wasip2::io::streams::StreamError;

use crate::exchange::{Answer, MAX_BODY, Web};

/// How much is read of a body at once, in bytes.
const READ: u64 = 256 << 10;

/// What this plugin calls itself.
const USER_AGENT: &str = concat!("remit-fetch/", env!("CARGO_PKG_VERSION"));

/// The network as the host grants it.
pub(crate) struct Granted;

impl Web for Granted {
    fn get(&self, url: &Url, accept: &str) -> Result<Answer, String> {
        let headers = Fields::new();
        for (name, value) in [("user-agent", USER_AGENT), ("accept", accept), ("accept-encoding", "identity")]
        {
            headers.append(name, value.as_bytes()).map_err(|error| format!("the header {name}: {error}"))?;
        }
        let request = OutgoingRequest::new(headers);
        let scheme = if url.scheme() == "http" { Scheme::Http } else { Scheme::Https };
        let path = url.query().map_or(url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        request
            .set_scheme(Some(&scheme))
            .and_then(|()| request.set_authority(Some(url.authority())))
            .and_then(|()| request.set_path_with_query(Some(&path)))
            .map_err(|()| format!("`{url}` cannot be asked for"))?;
        let body = request.body().map_err(|()| "the request has no body")?;
        let answer = handle(request, None).map_err(words)?;
        OutgoingBody::finish(body, None).map_err(words)?;
        answer.subscribe().block();
        let answer = answer.get().and_then(Result::ok).ok_or("the answer was lost")?;
        read(&answer.map_err(words)?)
    }
}

fn read(answer: &IncomingResponse) -> Result<Answer, String> {
    let fields = answer.headers().entries().into_iter();
    let headers = fields
        .map(|(name, value)| (name.to_ascii_lowercase(), String::from_utf8_lossy(&value).into_owned()))
        .collect();
    let head = Answer { status: answer.status(), headers, ..Answer::default() };
    if head.location().is_some() {
        // What is said beside a redirect is nobody's to read.
        return Ok(head);
    }
    let incoming = answer.consume().map_err(|()| "the answer has no body")?;
    let (body, is_cut) = read_body(&incoming)?;
    Ok(Answer { body, is_cut, ..head })
}

/// The body, and whether there is more of it.
fn read_body(incoming: &IncomingBody) -> Result<(Vec<u8>, bool), String> {
    let stream = incoming.stream().map_err(|()| "the answer's body cannot be read")?;
    let mut body = Vec::new();
    loop {
        match stream.blocking_read(READ) {
            Ok(part) => body.extend(part),
            Err(StreamError::Closed) => return Ok((body, false)),
            Err(StreamError::LastOperationFailed(error)) => {
                let words = match wasip2::http::types::http_error_code(&error) {
                    Some(code) => words(code),
                    None => error.to_debug_string(),
                };
                return Err(format!("the answer broke off after {} bytes: {words}", body.len()));
            }
        }
        if body.len() > MAX_BODY {
            body.truncate(MAX_BODY);
            return Ok((body, true));
        }
    }
}

/// What the host says of a failure; it says more than a code.
fn words(code: ErrorCode) -> String {
    match code {
        ErrorCode::InternalError(Some(words)) => words,
        code => code.to_string(),
    }
}
