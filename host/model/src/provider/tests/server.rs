//! HTTP by hand: a test sees each request and sends each byte of the answer itself.

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(super) struct Server {
    listener: TcpListener,
}

/// One connection whose request has been read.
pub(super) struct Connection {
    stream: TcpStream,
    pub(super) request_line: String,
    pub(super) body: Value,
    headers: Vec<(String, String)>,
}

impl Server {
    pub(super) async fn start() -> Server {
        Server { listener: TcpListener::bind("127.0.0.1:0").await.unwrap() }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/v1", self.listener.local_addr().unwrap())
    }

    /// The next request, read to its end.
    pub(super) async fn next(&self) -> Connection {
        let (mut stream, _) = self.listener.accept().await.unwrap();
        let mut bytes = Vec::new();
        let head = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "the request ended early");
        };
        let text = String::from_utf8(bytes[..head].to_vec()).unwrap();
        let mut lines = text.lines();
        let request_line = lines.next().unwrap().to_owned();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let length =
            headers.iter().find(|(name, _)| name == "content-length").unwrap().1.parse::<usize>().unwrap();
        while bytes.len() < head + length {
            assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "the request ended early");
        }
        let body = serde_json::from_slice(&bytes[head..]).unwrap();
        Connection { stream, request_line, body, headers }
    }

    /// Whether anybody has connected.
    pub(super) fn was_asked(self) -> bool {
        self.listener.into_std().unwrap().accept().is_ok()
    }
}

impl Connection {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Sends the head of an answer that lasts until the connection closes.
    pub(super) async fn begin(&mut self, status: &str, content_type: &str) {
        self.send(&format!("HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n"))
            .await;
    }

    pub(super) async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    /// Holds the connection open and says nothing more.
    pub(super) async fn stay_silent<T>(self) -> T {
        std::future::pending().await
    }

    /// Returns once the client has gone.
    pub(super) async fn closed(&mut self) {
        let mut rest = Vec::new();
        // A reset is a close, too.
        let _ = self.stream.read_to_end(&mut rest).await;
    }
}
