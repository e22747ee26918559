//! A model that a test answers for: what it is asked stays open until the test has done what it wants to do meanwhile.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// As long as a test waits for anything.
const DEADLINE: Duration = Duration::from_secs(60);

/// A server of Chat Completions on this machine.
pub(crate) struct Model {
    address: String,
    asked: Receiver<(Value, TcpStream)>,
}

/// A question that waits for its reply.
pub(crate) struct Asked {
    /// The messages, as they were sent.
    pub(crate) messages: Vec<Value>,
    stream: TcpStream,
}

impl Model {
    pub(crate) fn new() -> Model {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (sender, asked) = channel();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if sender.send(request(stream)).is_err() {
                    break;
                }
            }
        });
        Model { address, asked }
    }

    /// What `--model` has to say.
    pub(crate) fn choice(&self) -> String {
        format!("openai:model@http://{}/v1", self.address)
    }

    /// Waits until it is asked.
    pub(crate) fn is_asked(&self) -> Asked {
        let (body, stream) = self.asked.recv_timeout(DEADLINE).unwrap();
        Asked { messages: body["messages"].as_array().unwrap().clone(), stream }
    }
}

impl Asked {
    /// The words of the last messages, each with who said them.
    pub(crate) fn last(&self, count: usize) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let messages = &self.messages[self.messages.len() - count..];
        messages.iter().map(|message| (text(&message["role"]), text(&message["content"]))).collect()
    }

    /// Replies with words, streamed line by line.
    pub(crate) fn says(self, words: &str) {
        let deltas: Vec<Value> = words.split_inclusive('\n').map(|line| json!({ "content": line })).collect();
        self.replies(&deltas, "stop");
    }

    /// Replies with a call.
    pub(crate) fn calls(self, tool: &str, arguments: &Value) {
        let call = json!({
            "index": 0, "id": "call", "type": "function",
            "function": { "name": tool, "arguments": arguments.to_string() },
        });
        self.replies(&[json!({ "tool_calls": [call] })], "tool_calls");
    }

    fn replies(mut self, deltas: &[Value], reason: &str) {
        let chunk = |delta: &Value, reason: Value| {
            let chunk =
                json!({ "id": "x", "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
            format!("data: {chunk}\n\n")
        };
        let said: String = deltas.iter().map(|delta| chunk(delta, Value::Null)).collect();
        let body = format!("{said}{}data: [DONE]\n\n", chunk(&json!({}), json!(reason)));
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
        let length = body.len();
        write!(self.stream, "{head}content-length: {length}\r\n\r\n{body}").unwrap();
    }
}

/// Reads one request.
fn request(stream: TcpStream) -> (Value, TcpStream) {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim().to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (serde_json::from_slice(&body).unwrap(), reader.into_inner())
}
