use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::chat::{Reply, ToolCall, Usage};
use crate::stream::cuts;

async fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Reply, ModelError> {
    cuts::read(Decoder::default(), pieces).await
}

async fn whole(events: &[Value]) -> Result<Reply, ModelError> {
    read([stream_of(events).as_bytes()]).await
}

fn stream_of(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
        .collect()
}

fn begin(index: u64, block: Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn part(index: u64, delta: Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn words(index: u64, text: &str) -> Value {
    part(index, json!({ "type": "text_delta", "text": text }))
}

fn input(index: u64, json: &str) -> Value {
    part(index, json!({ "type": "input_json_delta", "partial_json": json }))
}

fn end(index: u64) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}

fn used(id: &str, name: &str) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "input": {} })
}

fn over(reason: &str) -> [Value; 2] {
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    [
        json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 42 } }),
        json!({ "type": "message_stop" }),
    ]
}

fn start() -> Value {
    let usage = json!({
        "input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 80, "output_tokens": 1,
    });
    json!({ "type": "message_start", "message": { "id": "msg_1", "role": "assistant", "usage": usage } })
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

/// Thinking, words, and two calls whose parts alternate and whose ends come together.
fn rich() -> String {
    let [count, stop] = over("tool_use");
    stream_of(&[
        start(),
        begin(0, json!({ "type": "thinking", "thinking": "", "signature": "" })),
        json!({ "type": "ping" }),
        part(0, json!({ "type": "thinking_delta", "thinking": "First \u{2026} " })),
        part(0, json!({ "type": "thinking_delta", "thinking": "测试." })),
        part(0, json!({ "type": "signature_delta", "signature": "c2ln+/=" })),
        end(0),
        begin(1, json!({ "type": "redacted_thinking", "data": "sealed" })),
        end(1),
        begin(2, json!({ "type": "text", "text": "" })),
        words(2, "Suche … "),
        words(2, "测试框架 🦀"),
        begin(3, used("a", "search__grep")),
        begin(4, json!({ "type": "tool_use", "id": "b", "name": "files__list_files" })),
        input(3, ""),
        input(3, "{\"pattern\":"),
        input(4, "{"),
        input(3, "\"测\",\"n\":12345678901234567890}"),
        input(4, "}"),
        end(2),
        end(3),
        end(4),
        count,
        stop,
    ])
}

fn rich_reply() -> Reply {
    let text = "Suche … 测试框架 🦀";
    let thinking =
        json!({ "type": "thinking", "thinking": "First … 测试.", "signature": "c2ln+/=" }).to_string();
    let sealed = json!({ "type": "redacted_thinking", "data": "sealed" }).to_string();
    let parts = ReplyParts {
        protocol: Protocol::Messages,
        thinking_bytes: (thinking.len() + sealed.len()) as u64,
        parts: vec![
            Part::Opaque(thinking.into()),
            Part::Opaque(sealed.into()),
            Part::Text(0..text.len()),
            Part::Call(0),
            Part::Call(1),
        ],
    };
    Reply {
        warnings: Vec::new(),
        text: text.into(),
        calls: vec![
            call("a", "search__grep", r#"{"pattern":"测","n":12345678901234567890}"#),
            call("b", "files__list_files", "{}"),
        ],
        parts: Some(parts),
        usage: Usage { input_tokens: 95, cached_tokens: 80, output_tokens: 42 },
        stop: StopReason::ToolUse,
    }
}

#[tokio::test]
async fn a_reply_reads_the_same_in_every_dialect_and_cut_at_every_byte() {
    cuts::same_however_it_is_cut(Decoder::default, &rich(), &rich_reply()).await;
}

#[tokio::test]
async fn a_stream_that_breaks_anywhere_is_never_a_finished_turn() {
    cuts::no_reply_before_its_last_event(Decoder::default, &rich(), &rich_reply()).await;
}

#[tokio::test]
async fn every_reason_to_stop_has_its_meaning_and_an_unknown_one_is_an_error() {
    for (reason, stop) in [
        ("end_turn", StopReason::End),
        ("stop_sequence", StopReason::End),
        ("max_tokens", StopReason::Length),
        ("model_context_window_exceeded", StopReason::Length),
        ("refusal", StopReason::Refusal),
        // A server that says so and then calls nothing.
        ("tool_use", StopReason::End),
    ] {
        assert_eq!(whole(&over(reason)).await.unwrap().stop, stop, "{reason}");
    }
    assert!(matches!(whole(&over("mystery")).await, Err(ModelError::BadStream { .. })));
    let [_, stop] = over("");
    assert_eq!(whole(&[start(), stop]).await, Err(ModelError::EndedEarly), "no reason at all");
    let [count, _] = over("end_turn");
    assert_eq!(whole(&[start(), count]).await, Err(ModelError::EndedEarly), "a reason, but no end");
}

#[tokio::test]
async fn words_and_calls_keep_their_order_and_unknown_blocks_pass() {
    let [count, stop] = over("tool_use");
    let events = [
        begin(0, used("a", "x")),
        begin(1, json!({ "type": "text", "text": "then " })),
        words(1, "words"),
        begin(2, json!({ "type": "future_block", "x": 1 })),
        begin(3, json!({ "type": "half_known", "x": 1 })),
        part(3, json!({ "type": "future_delta", "y": 2 })),
        words(3, ""),
        json!({ "type": "future_event" }),
        part(9, json!({ "type": "future_delta" })),
        count,
        stop,
    ];
    let reply = whole(&events).await.unwrap();
    assert_eq!((reply.text.as_str(), &reply.calls[..]), ("then words", &[call("a", "x", "{}")][..]));
    let parts = reply.parts.unwrap().parts;
    let future = Part::Opaque(r#"{"type":"future_block","x":1}"#.into());
    assert_eq!(parts, [Part::Call(0), Part::Text(0..10), future]);
}

#[tokio::test]
async fn a_plain_reply_has_nothing_that_must_be_kept() {
    let [count, stop] = over("tool_use");
    let events = [
        begin(0, json!({ "type": "text", "text": "" })),
        words(0, "x"),
        begin(1, used("a", "x")),
        count,
        stop,
    ];
    assert_eq!(whole(&events).await.unwrap().parts, None);
}

#[tokio::test]
async fn a_call_may_come_whole_with_its_beginning() {
    let [count, stop] = over("tool_use");
    let block = json!({ "type": "tool_use", "id": "a", "name": "x", "input": { "path": "y" } });
    let reply = whole(&[begin(0, block), count, stop]).await.unwrap();
    assert_eq!(reply.calls, [call("a", "x", r#"{"path":"y"}"#)]);
}

#[tokio::test]
async fn a_call_that_the_length_limit_cut_is_not_part_of_the_reply() {
    for cut in [vec![], vec![input(1, "{\"pa")]] {
        let events = [vec![begin(0, used("a", "x")), input(0, "{}"), begin(1, used("b", "x"))], cut];
        let events = [events.concat(), over("max_tokens").to_vec()].concat();
        let reply = whole(&events).await.unwrap();
        assert_eq!((reply.calls.len(), reply.stop), (1, StopReason::Length));
        let events = [events[..3].to_vec(), over("refusal").to_vec()].concat();
        assert_eq!(whole(&events).await.unwrap().calls, []);
    }
}

#[tokio::test]
async fn two_blocks_of_one_index_are_two_and_every_call_gets_an_id_of_its_own() {
    let [count, stop] = over("tool_use");
    let events = [
        begin(0, used("a", "x")),
        input(0, r#"{"n":1}"#),
        begin(0, used("a", "y")),
        input(0, r#"{"n":2}"#),
        begin(1, used("taken", "z")),
        begin(2, json!({ "type": "tool_use" })),
        count,
        stop,
    ];
    let calls = whole(&events).await.unwrap().calls;
    let said: Vec<_> = calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(said, [("x", r#"{"n":1}"#), ("y", r#"{"n":2}"#), ("z", "{}"), ("", "{}")]);
    let ids: std::collections::HashSet<_> = calls.iter().map(|call| call.id.as_str()).collect();
    assert!(ids.len() == 4 && ids.contains("a") && !ids.contains("taken") && !ids.contains(""), "{ids:?}");
}

#[tokio::test]
async fn an_error_in_the_middle_is_an_error_and_so_is_an_event_that_is_no_json() {
    let error =
        json!({ "type": "error", "error": { "type": "overloaded_error", "message": "overloaded hunter2" } });
    let error = whole(&[start(), words(0, "x"), error]).await.unwrap_err();
    assert_eq!(error, ModelError::Provider { message: "overloaded [key]".into(), passing: true });
    let lasting = json!({ "type": "error", "error": { "type": "invalid_request_error", "message": "no" } });
    assert!(!whole(&[start(), lasting]).await.unwrap_err().is_retryable());

    let text = stream_of(&[start()]) + "event: content_block_delta\ndata: {\"hunter2\": oops\n\n";
    let error = read([text.as_bytes()]).await.unwrap_err();
    assert!(matches!(error, ModelError::Damaged { .. }) && error.is_retryable());
    assert!(error.to_string().contains("oops") && !error.to_string().contains("hunter2"), "{error}");
    let lost = whole(&[start(), input(7, "{}")]).await.unwrap_err();
    assert!(matches!(lost, ModelError::BadStream { .. }), "{lost}");
}

#[tokio::test]
async fn counts_may_come_in_one_event_or_in_both() {
    let usage = json!({ "input_tokens": 7, "output_tokens": 3 });
    let count = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": usage });
    let stop = json!({ "type": "message_stop" });
    let reply = whole(&[json!({ "type": "message_start" }), count, stop]).await.unwrap();
    assert_eq!(reply.usage, Usage { input_tokens: 7, cached_tokens: 0, output_tokens: 3 });
}

proptest! {
    #[test]
    fn pieces_of_any_size_make_the_same_reply(sizes in prop::collection::vec(1usize..60, 1..200)) {
        let text = rich();
        prop_assert_eq!(cuts::now(read(cuts::pieces(&text, &sizes))), Ok(rich_reply()));
    }

    #[test]
    fn bytes_of_any_kind_are_no_reply(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(cuts::now(read([bytes.as_slice()])).is_err());
    }
}
