//! Sends a request: `METHOD SCHEME AUTHORITY PATH [header:NAME=VALUE] [body=TEXT] [fill=BYTES] [connect=NANOSECONDS]
//! [between=NANOSECONDS]`. Gives the status, the headers and the body of the answer, or what came of it first.

use wasip2::http::outgoing_handler::handle;
use wasip2::http::types::{
    Fields, IncomingResponse, Method, OutgoingBody, OutgoingRequest, RequestOptions, Scheme,
};
use wasip2::io::streams::{OutputStream, StreamError};

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(argument: &str) -> Result<String, String> {
    let words = guests::words::split(argument);
    let [method, scheme, authority, path, more @ ..] = words.as_slice() else {
        return Err("give METHOD SCHEME AUTHORITY PATH".into());
    };
    let (headers, options) = (Fields::new(), RequestOptions::new());
    let (mut body, mut fill) = (None, 0);
    for word in more {
        let (key, value) = word.split_once('=').ok_or("give KEY=VALUE")?;
        match key {
            "body" => body = Some(value),
            "fill" => fill = guests::words::number(value)?,
            "connect" => {
                options.set_connect_timeout(Some(guests::words::number(value)?)).map_err(|()| "no")?
            }
            "between" => {
                options.set_between_bytes_timeout(Some(guests::words::number(value)?)).map_err(|()| "no")?
            }
            _ => {
                let name = key.strip_prefix("header:").ok_or("no such key")?;
                headers.append(name, value.as_bytes()).map_err(|error| format!("header: {error}"))?;
            }
        }
    }
    let request = OutgoingRequest::new(headers);
    let method = match method.as_str() {
        "GET" => Method::Get,
        "POST" => Method::Post,
        other => Method::Other(other.to_owned()),
    };
    let scheme = match scheme.as_str() {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        other => Scheme::Other(other.to_owned()),
    };
    request.set_method(&method).map_err(|()| "method")?;
    request.set_scheme(Some(&scheme)).map_err(|()| "scheme")?;
    request.set_authority(Some(authority)).map_err(|()| "authority")?;
    request.set_path_with_query(Some(path)).map_err(|()| "path")?;
    let outgoing = request.body().map_err(|()| "body")?;
    let future = handle(request, Some(options)).map_err(|code| format!("handle: {code:?}"))?;
    let written = write(&outgoing, body.unwrap_or_default().as_bytes(), fill);
    // Whether all was taken or not, the answer says what became of it.
    if written.is_ok() {
        OutgoingBody::finish(outgoing, None).map_err(|code| format!("finish: {code:?}"))?;
    }
    future.subscribe().block();
    let answer = future.get().ok_or("not ready")?.map_err(|()| "taken")?;
    read(answer.map_err(|code| format!("{code:?}"))?)
}

fn write(outgoing: &OutgoingBody, text: &[u8], fill: u64) -> Result<(), String> {
    let stream = outgoing.write().map_err(|()| "no stream")?;
    put(&stream, text)?;
    let block = [b'x'; 4096];
    let mut left = fill;
    while left > 0 {
        let count = left.min(block.len() as u64);
        put(&stream, &block[..count as usize])?;
        left -= count;
    }
    Ok(())
}

fn put(stream: &OutputStream, bytes: &[u8]) -> Result<(), String> {
    for part in bytes.chunks(4096) {
        stream.blocking_write_and_flush(part).map_err(|error| format!("write: {error:?}"))?;
    }
    Ok(())
}

fn read(answer: IncomingResponse) -> Result<String, String> {
    let mut text = format!("{}\n", answer.status());
    for (name, value) in answer.headers().entries() {
        text += &format!("{name}: {}\n", String::from_utf8_lossy(&value));
    }
    let body = answer.consume().map_err(|()| "no body")?;
    let stream = body.stream().map_err(|()| "no stream")?;
    let mut bytes = Vec::new();
    loop {
        match stream.blocking_read(65536) {
            Ok(part) => bytes.extend(part),
            Err(StreamError::Closed) => break,
            Err(StreamError::LastOperationFailed(error)) => {
                return Err(format!("body after {} bytes: {}", bytes.len(), error.to_debug_string()));
            }
        }
    }
    text += &format!("\n{}", String::from_utf8_lossy(&bytes));
    Ok(text)
}
