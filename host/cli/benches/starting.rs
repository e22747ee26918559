//! How long the program takes to start: to its version, and to the first request that reaches a model.

#![expect(clippy::unwrap_used, reason = "what a benchmark cannot do ends it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use criterion::Criterion;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("starting");
    let user = User::new();
    group.bench_function("process-bin-true", |bencher| {
        bencher.iter(|| Command::new("/bin/true").status().unwrap());
    });
    group.bench_function("version", |bencher| {
        bencher.iter(|| {
            let status = user.remit(&["--version"]).status().unwrap();
            assert!(status.success());
        });
    });
    // Compiles what is not in the cache yet.
    user.first_request();
    group.bench_function("run-to-first-request", |bencher| {
        bencher.iter_custom(|times| (0..times).map(|_| user.first_request()).sum());
    });
    group.finish();
    criterion.final_summary();
}

/// Someone with a home directory and a workspace, and a model on this machine.
struct User {
    folder: tempfile::TempDir,
    server: TcpListener,
}

impl User {
    fn new() -> User {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("workspace")).unwrap();
        User { folder, server: TcpListener::bind("127.0.0.1:0").unwrap() }
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// remit with nothing of the caller's environment, and nobody who reads what it says.
    fn remit(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_remit")));
        command
            .args(arguments)
            .current_dir(self.workspace())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("OPENAI_API_KEY", "x")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// From the start of the process to the end of its first request's head. The end of the run is waited for, and not
    /// counted.
    fn first_request(&self) -> Duration {
        let model = format!("openai:bench@http://{}/v1", self.server.local_addr().unwrap());
        let start = Instant::now();
        let child = self.remit(&["run", "--model", &model, "What is here?"]).spawn().unwrap();
        let (stream, _) = self.server.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let length = head(&mut reader);
        let taken = start.elapsed();
        answer(reader, stream, length);
        finish(child);
        taken
    }
}

/// Reads a request's head, and gives the length of its body.
fn head(reader: &mut BufReader<TcpStream>) -> usize {
    let mut length = 0;
    loop {
        let mut line = String::new();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0, "the request ended early");
        if line == "\r\n" {
            return length;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
}

fn answer(mut reader: BufReader<TcpStream>, mut stream: TcpStream, length: usize) {
    let events = concat!(
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Nothing.\"},\"finish_reason\":\"stop\"}]}\n\n",
        "data: [DONE]\n\n"
    );
    reader.read_exact(&mut vec![0; length]).unwrap();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{events}", events.len()).unwrap();
}

fn finish(mut child: Child) {
    assert!(child.wait().unwrap().success(), "the run was to be answered");
}
