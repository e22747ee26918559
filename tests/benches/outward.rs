//! What leaves the sandbox: a page that is fetched, beside curl, and a command that is run contained, beside one that is not.

#![expect(clippy::unwrap_used, reason = "what a benchmark cannot do ends it")]
#![expect(clippy::print_stdout, reason = "what is skipped is said where the figures are")]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::thread;

use criterion::Criterion;
use remit_sandbox::{CommandPattern, GrantSpec, HostGrant, SandboxConfig};
use remit_tests::Stage;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use common::{built_in, repeat};

mod common;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    fetch(&mut criterion, &runtime);
    command(&mut criterion, &runtime);
    criterion.final_summary();
}

/// A page of 100 KB from a server on this machine: a new connection each time, as curl makes one too.
fn fetch(criterion: &mut Criterion, runtime: &Runtime) {
    let url = format!("http://{}/", serve(&page(100_000)));
    let stage = Stage::default();
    let fetch = stage.sandbox.load(built_in("fetch")).unwrap();
    let hosts = vec![HostGrant::new(&url, &[]).unwrap()];
    let grants = stage.grants_of(&GrantSpec { hosts, ..GrantSpec::default() });
    let mut group = criterion.benchmark_group("fetch.get");
    let target = (&stage.sandbox, &fetch, "fetch.get");
    for form in ["text", "raw"] {
        repeat(
            &mut group,
            &format!("100KB-{form}"),
            runtime,
            target,
            &json!({ "url": url, "as": form }),
            &grants,
        );
    }
    if Command::new("curl").arg("--version").output().is_err() {
        return println!("fetch.get: there is no curl to compare with");
    }
    group.bench_function("100KB-curl", |bencher| {
        bencher.iter(|| {
            let got = Command::new("curl").args(["--silent", "--noproxy", "*", &url]).output().unwrap();
            assert!(got.status.success() && got.stdout.len() >= 100_000);
        });
    });
    group.finish();
}

/// `true`, contained and not.
fn command(criterion: &mut Criterion, runtime: &Runtime) {
    let launcher = Some(env!("CARGO_BIN_EXE_launcher").into());
    let stage = Stage::new(&SandboxConfig { launcher, ..SandboxConfig::default() });
    let command = stage.sandbox.load(built_in("command")).unwrap();
    let spec = GrantSpec {
        read: vec![".".to_owned()],
        commands: vec![CommandPattern::parse("true").unwrap()],
        ..GrantSpec::default()
    };
    let grants = stage.grants_of(&spec);
    let mut group = criterion.benchmark_group("command.run");
    let target = (&stage.sandbox, &command, "command.run");
    repeat(&mut group, "true-contained", runtime, target, &json!({ "argv": ["true"] }), &grants);
    group.bench_function("true-alone", |bencher| {
        bencher.iter(|| {
            let ended = Command::new("true").stdin(Stdio::null()).output().unwrap();
            assert!(ended.status.success());
        });
    });
    group.finish();
}

/// A page with what pages have: headings, paragraphs, links, lists, tables and code.
fn page(size: usize) -> String {
    let mut page = "<!doctype html><title>A page</title><nav><a href=/>Home</a></nav><main>".to_owned();
    for number in 0.. {
        if page.len() >= size {
            break;
        }
        page += &format!(
            "<h2 id=s{number}>Section {number}</h2><p>Some <em>words</em> of a paragraph with <a href=\"/page/{number}\">a \
             link</a> &amp; <code>code()</code>, and a few more of them.</p><ul><li>One<li>Two</ul><table><tr><td>a<td>b\
             </table><pre>fn section_{number}() {{\n    1\n}}</pre>\n"
        );
    }
    page + "</main>"
}

/// Answers every request with the page. Gives host and port.
fn serve(page: &str) -> String {
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n", page.len());
    let answer = head + page;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            // Whoever asked may be gone.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    authority
}
