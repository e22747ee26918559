//! What reading replies and wording requests cost: bytes per second for each protocol, one very long event, and the
//! request of a turn over a long conversation.

#![expect(clippy::unwrap_used, reason = "what a benchmark cannot do ends it")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use remit_model::bench::{read, request};
use remit_model::{Message, Protocol, ToolCall, ToolSet, Transcript};
use serde_json::json;

/// How the network hands over what it got, in bytes.
const PIECE: usize = 16 << 10;

/// One event of words.
fn words(protocol: Protocol, text: &str) -> String {
    match protocol {
        Protocol::ChatCompletions => {
            let choice = json!({ "index": 0, "delta": { "content": text }, "finish_reason": null });
            let chunk = json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
                "model": "m", "choices": [choice] });
            format!("data: {chunk}\n\n")
        }
        Protocol::Messages => {
            let delta = json!({ "type": "content_block_delta", "index": 0,
                "delta": { "type": "text_delta", "text": text } });
            format!("event: content_block_delta\ndata: {delta}\n\n")
        }
        Protocol::Responses => {
            let delta = json!({ "type": "response.output_text.delta", "sequence_number": 7, "item_id": "msg_1",
                "output_index": 0, "content_index": 0, "delta": text });
            format!("event: response.output_text.delta\ndata: {delta}\n\n")
        }
    }
}

fn end(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::ChatCompletions => {
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
        }
        Protocol::Messages => {
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n\
             data: {\"type\":\"message_stop\"}\n\n"
        }
        Protocol::Responses => {
            "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n"
        }
    }
}

fn streams(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let mut group = criterion.benchmark_group("stream");
    group.measurement_time(Duration::from_secs(3)).sample_size(10);
    for protocol in Protocol::ALL {
        for (name, event, count) in [
            ("words", words(protocol, "some words, "), 20_000),
            ("event of 1 MB", words(protocol, &"x".repeat(1 << 20)), 1),
            ("event of 4 MB", words(protocol, &"x".repeat(4 << 20)), 1),
        ] {
            let text = event.repeat(count) + end(protocol);
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(format!("{protocol}, {name}"), |bencher| {
                bencher.iter(|| {
                    let reply = runtime.block_on(read(protocol, text.as_bytes(), PIECE));
                    black_box(reply).unwrap().text.len()
                });
            });
        }
    }
}

/// A conversation of 2 MB.
fn conversation() -> Transcript {
    let mut transcript = Transcript::new();
    transcript.push(Message::user("Which test framework does this project use?"));
    for turn in 0..64 {
        let arguments = json!({ "path": format!("src/file_{turn}.rs") }).to_string();
        let call = ToolCall { id: format!("call_{turn}"), name: "files__read_file".into(), arguments };
        transcript.push(Message::assistant("Next.", vec![call]));
        let result = "    let line = \"of a file\";\n".repeat(1200);
        transcript.push(Message::tool_result(format!("call_{turn}"), "files__read_file", result, false));
    }
    transcript
}

fn requests(criterion: &mut Criterion) {
    let transcript = conversation();
    let tools = ToolSet::default();
    let mut group = criterion.benchmark_group("request");
    for protocol in Protocol::ALL {
        let conversation = transcript.clone();
        // The messages of earlier turns were worded then.
        request(protocol, &conversation, &tools);
        group.bench_function(format!("{protocol}, 2 MB of conversation"), |bencher| {
            bencher.iter(|| black_box(request(protocol, &conversation, &tools)));
        });
    }
}

criterion_group!(benches, streams, requests);
criterion_main!(benches);
