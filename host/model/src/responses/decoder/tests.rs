use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::chat::{Reply, ToolCall};
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

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

fn thought() -> Value {
    json!({ "id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA+/=" })
}

fn message(text: &str) -> Value {
    json!({ "id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "phase": "commentary",
        "content": [{ "type": "output_text", "annotations": [], "text": text }] })
}

fn function(id: &str, call_id: &str, name: &str, arguments: &str) -> Value {
    json!({ "id": id, "type": "function_call", "status": "completed", "call_id": call_id, "name": name,
        "arguments": arguments })
}

fn added(index: u64, item: &Value) -> Value {
    json!({ "type": "response.output_item.added", "output_index": index, "item": item })
}

fn done(index: u64, item: &Value) -> Value {
    json!({ "type": "response.output_item.done", "output_index": index, "item": item })
}

fn words(index: u64, text: &str) -> Value {
    json!({ "type": "response.output_text.delta", "output_index": index, "item_id": "msg_1", "delta": text })
}

fn arguments(index: u64, id: &str, part: &str) -> Value {
    json!({ "type": "response.function_call_arguments.delta", "output_index": index, "item_id": id, "delta": part })
}

fn completed(output: Value) -> Value {
    let usage =
        json!({ "input_tokens": 95, "input_tokens_details": { "cached_tokens": 80 }, "output_tokens": 42 });
    json!({ "type": "response.completed",
        "response": { "status": "completed", "output": output, "usage": usage, "error": null } })
}

const GREP: &str = r#"{"pattern":"测","n":12345678901234567890}"#;

/// Sealed thinking, words, and two calls whose parts alternate.
fn rich_events() -> Vec<Value> {
    let text = "Suche … 测试框架 🦀";
    let (a, b) =
        (function("fc_a", "a", "search__grep", GREP), function("fc_b", "b", "files__list_files", "{}"));
    vec![
        json!({ "type": "response.created", "response": { "status": "in_progress", "output": [] } }),
        added(0, &json!({ "id": "rs_1", "type": "reasoning", "summary": [] })),
        json!({ "type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "Hm" }),
        done(0, &thought()),
        added(1, &json!({ "id": "msg_1", "type": "message", "role": "assistant", "content": [] })),
        words(1, "Suche … "),
        words(1, "测试框架 🦀"),
        json!({ "type": "response.output_text.done", "output_index": 1, "text": text }),
        done(1, &message(text)),
        added(2, &function("fc_a", "a", "search__grep", "")),
        added(3, &function("fc_b", "b", "files__list_files", "")),
        arguments(2, "fc_a", &GREP[..11]),
        arguments(3, "fc_b", "{"),
        arguments(2, "fc_a", &GREP[11..]),
        arguments(3, "fc_b", "}"),
        json!({ "type": "response.function_call_arguments.done", "output_index": 2, "arguments": GREP }),
        done(3, &b),
        done(2, &a),
        completed(json!([thought(), message(text), a, b])),
    ]
}

fn rich() -> String {
    stream_of(&rich_events())
}

fn rich_reply() -> Reply {
    let text = "Suche … 测试框架 🦀";
    let parts = ReplyParts {
        protocol: Protocol::Responses,
        thinking_bytes: thought().to_string().len() as u64,
        parts: vec![
            Part::Opaque(thought().to_string().into()),
            Part::Opaque(message(text).to_string().into()),
            Part::Call(0),
            Part::Call(1),
        ],
    };
    Reply {
        warnings: Vec::new(),
        text: text.into(),
        calls: vec![call("a", "search__grep", GREP), call("b", "files__list_files", "{}")],
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
async fn a_server_that_names_no_places_is_understood_by_ids() {
    let mut events = rich_events();
    for event in &mut events {
        event.as_object_mut().unwrap().remove("output_index");
    }
    // Without either, arguments are those of the last call.
    events.retain(|event| event["type"] != "response.function_call_arguments.done");
    assert_eq!(whole(&events).await, Ok(rich_reply()));
}

#[tokio::test]
async fn what_was_not_sent_in_parts_is_taken_from_the_whole() {
    let call_item = function("fc_a", "a", "x", "{}");
    let output = json!([thought(), message("hi"), call_item]);
    let only_the_end = whole(&[completed(output.clone())]).await.unwrap();
    assert_eq!((only_the_end.text.as_str(), &only_the_end.calls[..]), ("hi", &[call("a", "x", "{}")][..]));
    let items = [done(0, &thought()), done(1, &message("hi")), added(2, &call_item), completed(output)];
    assert_eq!(whole(&items).await.unwrap(), only_the_end);
}

#[tokio::test]
async fn every_way_to_end_has_its_meaning() {
    let incomplete = |reason: &str| {
        json!({ "type": "response.incomplete",
            "response": { "status": "incomplete", "incomplete_details": { "reason": reason } } })
    };
    assert_eq!(whole(&[incomplete("max_output_tokens")]).await.unwrap().stop, StopReason::Length);
    assert_eq!(whole(&[incomplete("content_filter")]).await.unwrap().stop, StopReason::ContentFilter);
    assert!(matches!(whole(&[incomplete("mystery")]).await, Err(ModelError::BadStream { .. })));
    assert_eq!(whole(&[completed(json!([]))]).await.unwrap().stop, StopReason::End);
    // The event's name and the reply's own word may differ.
    let details = json!({ "reason": "max_output_tokens" });
    let response = json!({ "status": "incomplete", "incomplete_details": details });
    let completed = json!({ "type": "response.completed", "response": response });
    assert_eq!(whole(&[completed]).await.unwrap().stop, StopReason::Length);
}

#[tokio::test]
async fn a_refusal_is_one_and_its_words_are_kept() {
    let part = json!({ "type": "response.refusal.delta", "output_index": 0, "delta": "I can't." });
    let item =
        json!({ "id": "m", "type": "message", "content": [{ "type": "refusal", "refusal": "I can't." }] });
    for events in [vec![part, completed(json!([]))], vec![done(0, &item), completed(json!([item]))]] {
        let reply = whole(&events).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.stop), ("I can't.", StopReason::Refusal));
    }
}

#[tokio::test]
async fn a_call_that_the_length_limit_cut_is_not_part_of_the_reply() {
    let incomplete = json!({ "type": "response.incomplete",
        "response": { "incomplete_details": { "reason": "max_output_tokens" } } });
    let half = function("fc_b", "b", "x", "");
    let events = [
        done(0, &function("fc_a", "a", "x", "{}")),
        added(1, &half),
        arguments(1, "fc_b", "{\"pa"),
        incomplete,
    ];
    let reply = whole(&events).await.unwrap();
    assert_eq!((&reply.calls[..], reply.stop), (&[call("a", "x", "{}")][..], StopReason::Length));
}

#[tokio::test]
async fn thinking_that_nobody_can_read_again_is_not_sent_back() {
    let bare = json!({ "id": "rs_1", "type": "reasoning", "summary": [] });
    let reply = whole(&[done(0, &bare), done(1, &message("x")), completed(json!([]))]).await.unwrap();
    let parts = reply.parts.unwrap();
    assert_eq!(parts.parts, [Part::Opaque(message("x").to_string().into())]);
    assert!(parts.thinking_bytes > 0, "there was some");
}

#[tokio::test]
async fn an_error_in_the_middle_is_an_error_however_it_is_worded() {
    let failed = json!({ "type": "response.failed", "response": { "status": "failed",
        "error": { "code": "server_error", "message": "overloaded hunter2" } } });
    let error = json!({ "type": "error", "code": "server_error", "message": "overloaded hunter2" });
    let nested =
        json!({ "type": "error", "error": { "type": "server_error", "message": "overloaded hunter2" } });
    for event in [failed, error, nested] {
        let error = whole(&[words(0, "x"), event]).await.unwrap_err();
        assert_eq!(error, ModelError::Provider { message: "overloaded [key]".into(), passing: true });
    }
    let text = stream_of(&[words(0, "x")]) + "data: {\"hunter2\": oops\n\n";
    let error = read([text.as_bytes()]).await.unwrap_err();
    assert!(matches!(error, ModelError::Damaged { .. }) && !error.to_string().contains("hunter2"), "{error}");
    let lost = whole(&[arguments(7, "fc_z", "{}")]).await.unwrap_err();
    assert!(matches!(lost, ModelError::BadStream { .. }), "{lost}");
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
