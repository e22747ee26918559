use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// After how long a server that does not say where it listens is taken for broken.
const START: Duration = Duration::from_secs(60);

/// A server that answers from fixtures and keeps a journal of what it was asked. It ends with this value.
pub(crate) struct Server {
    process: Child,
    /// Such as `127.0.0.1:4010`.
    address: String,
    _folder: TempDir,
}

impl Server {
    /// Starts `program` on a free port of the loopback interface. Of the fixtures the first that matches answers; a
    /// request that none matches is answered with an error.
    pub(crate) fn start(program: &Path, fixtures: &[Value]) -> Server {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("fixtures.json");
        std::fs::write(&file, json!({ "fixtures": fixtures }).to_string()).unwrap();
        let mut command = Command::new(program);
        command.args(["-p", "0", "--strict", "-f"]).arg(&file);
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let output = process.stdout.take().unwrap();
        let mut server = Server { process, address: String::new(), _folder: folder };

        let (lines, said) = mpsc::channel();
        // It reads until the server ends, so that a full pipe never stops it.
        std::thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).for_each(|line| drop(lines.send(line)));
        });
        let mut heard = Vec::new();
        server.address = loop {
            match said.recv_timeout(START) {
                Ok(line) => match line.split_once("listening on http://") {
                    Some((_, address)) => break address.trim().to_owned(),
                    None => heard.push(line),
                },
                Err(error) => panic!("{} did not start: {error}; it said {heard:#?}", program.display()),
            }
        };
        server
    }

    /// What a client is told: the base URL of its Chat Completions.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The bodies of all requests, in the order in which they came.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.journal().into_iter().map(|mut entry| entry["body"].take()).collect()
    }

    /// All requests with what is known of them: `headers`, in which a key is not shown, `body`, `response`.
    pub(crate) fn journal(&self) -> Vec<Value> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(START)).unwrap();
        stream.write_all(b"GET /__aimock/journal HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, journal) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(journal).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
