//! Real counterparts that are no part of the repository: `.ci/peers DIR` installs them, `REMIT_PEERS` names the folder.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// After how long a server that does not say where it listens is taken for broken.
const START: Duration = Duration::from_secs(60);

/// A server of a peer. It ends with this value.
pub struct PeerServer {
    process: Child,
    address: String,
}

impl PeerServer {
    /// Starts `command` and waits until it says, after `marker`, where it listens, such as `127.0.0.1:4010`.
    ///
    /// # Errors
    ///
    /// In words, what it said instead.
    pub fn start(command: &mut Command, marker: &str) -> Result<PeerServer, String> {
        let program = command.get_program().to_string_lossy().into_owned();
        // Standard input stays open: some servers end with it.
        let process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut process = process.map_err(|error| format!("{program} can't be started: {error}"))?;
        let (lines, said) = mpsc::channel();
        let streams: [Option<Box<dyn Read + Send>>; 2] = [
            process.stdout.take().map(|stream| Box::new(stream) as _),
            process.stderr.take().map(|stream| Box::new(stream) as _),
        ];
        for stream in streams.into_iter().flatten() {
            let lines = lines.clone();
            // It reads until the server ends, so that a full pipe never stops it.
            std::thread::spawn(move || {
                BufReader::new(stream).lines().map_while(Result::ok).for_each(|line| drop(lines.send(line)));
            });
        }
        drop(lines);
        let mut server = PeerServer { process, address: String::new() };
        let mut heard = Vec::new();
        loop {
            let line = said
                .recv_timeout(START)
                .map_err(|error| format!("{program} did not start: {error}; it said {heard:#?}"))?;
            if let Some((_, address)) = line.split_once(marker) {
                server.address.extend(address.split_whitespace().next());
                return Ok(server);
            }
            heard.push(line);
        }
    }

    /// What it answers to a request outside of the API that it imitates.
    ///
    /// # Errors
    ///
    /// In words, what went wrong, an answer that is an error included.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> Result<String, String> {
        let asked = || {
            let mut stream = TcpStream::connect(&self.address)?;
            stream.set_read_timeout(Some(START))?;
            let length = body.len();
            write!(stream, "{method} {path} HTTP/1.0\r\ncontent-length: {length}\r\n\r\n{body}")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        let answer = asked().map_err(|error: std::io::Error| format!("{method} {path}: {error}"))?;
        match answer.split_once("\r\n\r\n") {
            Some((head, body)) if head.split(' ').nth(1).is_some_and(|status| status.starts_with('2')) => {
                Ok(body.to_owned())
            }
            _ => Err(format!("{method} {path}: {answer}")),
        }
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for PeerServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The path of the peer `name` in the peers' folder, at `relative` in it. Where it is not installed this says so, and the
/// test that wants it passes without it.
pub fn peer(name: &str, relative: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("REMIT_PEERS").map(PathBuf::from);
    let found = folder.map(|folder| folder.join(relative)).filter(|path| path.exists());
    if found.is_none() {
        say_skipped(name);
    }
    found
}

#[expect(clippy::print_stderr, reason = "only tests call this, and a test that is left out says so")]
fn say_skipped(name: &str) {
    eprintln!("skipped: {name} is not installed; `.ci/peers DIR` installs it, REMIT_PEERS=DIR names it");
}
