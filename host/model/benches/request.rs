//! What a request costs by the length of its transcript: over a loopback connection that is kept open, up to the end of
//! the reply.

#![expect(clippy::unwrap_used, reason = "what a benchmark cannot do ends it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use criterion::{BatchSize, Criterion, Throughput};
use remit_model::{
    Keys, Message, Model, ModelChoice, Request, Settings, ToolCall, ToolChoice, ToolSet, Transcript, collect,
};
use tokio::runtime::{Builder, Runtime};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let url = serve();
    let choice = ModelChoice::parse(&format!("openai:bench@{url}")).unwrap();
    let model = choice.open(&Keys::default()).unwrap();
    let tools = ToolSet::default();

    let mut group = criterion.benchmark_group("request");
    for (name, kilobytes) in [("1KB", 1), ("200KB", 200), ("2MB", 2000)] {
        let transcript = transcript(kilobytes);
        group.throughput(Throughput::Bytes(1000 * kilobytes));
        // Every message but the new ones has been sent before: its bytes are there, and are copied.
        group.bench_function(format!("{name}-sent-before"), |bencher| {
            bencher.iter(|| ask(&runtime, &model, &transcript, &tools));
        });
        // A clone has no bytes yet: this is what each turn would cost if it serialised anew.
        group.bench_function(format!("{name}-serialised-anew"), |bencher| {
            bencher.iter_batched(
                || transcript.clone(),
                |transcript| ask(&runtime, &model, &transcript, &tools),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
    criterion.final_summary();
}

fn ask(runtime: &Runtime, model: &Arc<dyn Model>, transcript: &Transcript, tools: &ToolSet) {
    let request = Request {
        agent: "root",
        role: "root",
        system: "Be brief.",
        transcript,
        tools,
        tool_choice: ToolChoice::Auto,
        max_output_tokens: None,
        settings: Settings::plain(),
        form: None,
    };
    let reply = runtime.block_on(collect(model.ask(request), |_| {})).unwrap();
    assert_eq!(reply.text, "ok");
}

/// Turns of one call and one result of 2 KB of source text.
fn transcript(kilobytes: u64) -> Transcript {
    let mut transcript = Transcript::new();
    transcript.push(Message::user("Which test framework does this project use?"));
    let line = "42\tlet value = table.get(\"name\").map(|entry| entry.value());\n";
    let result = line.repeat(2000 / line.len());
    for turn in 0..kilobytes / 2 {
        let id = format!("call_{turn}");
        let arguments = format!("{{\"path\":\"src/file_{turn}.rs\"}}");
        let call = ToolCall { id: id.clone(), name: "files__read_file".into(), arguments };
        transcript.push(Message::assistant("", vec![call]));
        transcript.push(Message::tool_result(id, "files__read_file", result.clone(), false));
    }
    transcript
}

/// A server that reads each request and says "ok".
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer(stream.unwrap()));
        }
    });
    url
}

fn answer(stream: TcpStream) {
    const EVENTS: &str = concat!(
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n",
        "data: [DONE]\n\n"
    );
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::with_capacity(1 << 16, stream.try_clone().unwrap());
    let mut writer = stream;
    let mut body = Vec::new();
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        body.resize(length, 0);
        reader.read_exact(&mut body).unwrap();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
        write!(writer, "{head}content-length: {}\r\n\r\n{EVENTS}", EVENTS.len()).unwrap();
    }
}
