use proptest::prelude::*;

use super::*;
use crate::chat::{MAX_REPLY_BYTES, Reply, ToolCall};
use crate::stream::cuts;

async fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Reply, ModelError> {
    cuts::read(Decoder::default(), pieces).await
}

async fn whole(text: &str) -> Result<Reply, ModelError> {
    read([text.as_bytes()]).await
}

fn data(json: &str) -> String {
    format!("data: {json}\n\n")
}

fn words(text: &str) -> String {
    data(&format!(r#"{{"choices":[{{"index":0,"delta":{{"content":{}}}}}]}}"#, Value::from(text)))
}

fn finish(reason: &str) -> String {
    data(&format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{reason}"}}]}}"#))
}

const DONE: &str = "data: [DONE]\n\n";

/// A reply of everything at once: text outside ASCII, two calls in parts, a usage count.
fn rich() -> String {
    let call = |json: &str| data(&format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{json}]}}}}]}}"#));
    [
        data(r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null}}],"usage":null}"#),
        words("Suche … "),
        words("测试框架 🦀"),
        call(r#"{"index":0,"id":"a","type":"function","function":{"name":"search__grep","arguments":""}}"#),
        call(r#"{"index":0,"function":{"arguments":"{\"pattern\":"}}"#),
        call(concat!(
            r#"{"index":0,"function":{"arguments":"\"测\"}"}},"#,
            r#"{"index":1,"id":"b","function":{"name":"files__list_files","arguments":"{}"}}"#
        )),
        finish("tool_calls"),
        data(
            r#"{"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":64}}}"#,
        ),
        DONE.to_owned(),
    ]
    .concat()
}

fn rich_reply() -> Reply {
    let call = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    Reply {
        warnings: Vec::new(),
        text: "Suche … 测试框架 🦀".into(),
        calls: vec![call("a", "search__grep", r#"{"pattern":"测"}"#), call("b", "files__list_files", "{}")],
        parts: None,
        usage: Usage { input_tokens: 90, cached_tokens: 64, output_tokens: 7 },
        stop: StopReason::ToolUse,
    }
}

#[tokio::test]
async fn a_reply_reads_the_same_in_every_dialect_and_cut_at_every_byte() {
    cuts::same_however_it_is_cut(Decoder::default, &rich(), &rich_reply()).await;
}

#[tokio::test]
async fn a_stream_that_breaks_anywhere_is_never_a_finished_turn() {
    let text = rich();
    let finished = text.find(r#""finish_reason":"tool_calls""#).unwrap();
    let finished = finished + text[finished..].find("\n\n").unwrap() + 2;
    for cut in 0..text.len() {
        let reply = read([&text.as_bytes()[..cut]]).await;
        match cut < finished {
            true => assert_eq!(reply, Err(ModelError::EndedEarly), "cut at {cut}"),
            // The server had said that the reply was whole; only the count may be missing.
            false => assert_eq!(reply.unwrap().calls, rich_reply().calls, "cut at {cut}"),
        }
    }
}

#[tokio::test]
async fn done_or_a_reason_ends_a_reply_and_either_is_enough() {
    let done = whole(&[words("x"), DONE.to_owned()].concat()).await.unwrap();
    assert_eq!((done.text.as_str(), done.stop), ("x", StopReason::End));
    let reason = whole(&[words("x"), finish("stop")].concat()).await.unwrap();
    assert_eq!((reason.text.as_str(), reason.stop), ("x", StopReason::End));
    assert_eq!(whole(&words("x")).await, Err(ModelError::EndedEarly));
    assert_eq!(whole("").await, Err(ModelError::EndedEarly));
}

#[tokio::test]
async fn every_reason_to_stop_has_its_meaning_and_an_unknown_one_is_an_error() {
    for (reason, stop) in [
        ("stop", StopReason::End),
        ("length", StopReason::Length),
        ("content_filter", StopReason::ContentFilter),
        // A server that says so and then calls nothing.
        ("tool_calls", StopReason::End),
    ] {
        assert_eq!(whole(&finish(reason)).await.unwrap().stop, stop, "{reason}");
    }
    assert!(matches!(whole(&finish("mystery")).await, Err(ModelError::BadStream { .. })));
    assert!(matches!(whole(&finish("error")).await, Err(ModelError::Provider { .. })));
}

#[tokio::test]
async fn an_empty_reply_is_a_reply_without_words() {
    let reply = whole(&[finish("stop"), DONE.to_owned()].concat()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.calls.len(), reply.stop), ("", 0, StopReason::End));
}

#[tokio::test]
async fn a_refusal_is_one_and_its_words_are_kept() {
    let refusal = data(r#"{"choices":[{"delta":{"refusal":"I can't help with that."}}]}"#);
    let reply = whole(&[refusal, finish("stop")].concat()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.stop), ("I can't help with that.", StopReason::Refusal));
}

#[tokio::test]
async fn a_call_that_the_length_limit_cut_is_not_part_of_the_reply() {
    let call = data(
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"pa"}}]}}]}"#,
    );
    let reply = whole(&[words("x"), call, finish("length")].concat()).await.unwrap();
    assert_eq!((reply.calls.len(), reply.stop), (0, StopReason::Length));
}

#[tokio::test]
async fn every_call_gets_an_id_that_nothing_else_has() {
    let call = |id: &str| format!(r#"{{"id":"{id}","function":{{"name":"x","arguments":"{{}}"}}}}"#);
    let calls = |index: usize, id: &str| {
        let call = call(id).replacen('{', &format!(r#"{{"index":{index},"#), 1);
        data(&format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{call}]}}}}]}}"#))
    };
    let text = [calls(0, "a"), calls(1, "a"), calls(2, ""), calls(3, "taken"), finish("tool_calls")].concat();
    let reply = whole(&text).await.unwrap();
    let ids: std::collections::HashSet<_> = reply.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids.len(), 4);
    assert!(ids.contains("a") && !ids.contains("") && !ids.contains("taken"));
}

#[tokio::test]
async fn one_event_that_is_no_json_is_an_error_that_repeats_no_key() {
    let error = whole(&[words("x"), data("{\"hunter2\": oops"), finish("stop")].concat()).await.unwrap_err();
    assert!(matches!(error, ModelError::Damaged { .. }) && error.is_retryable());
    assert!(error.to_string().contains("oops") && !error.to_string().contains("hunter2"), "{error}");
    let error = read([words("x").as_bytes(), b"data: \xff\xfe\n\n"]).await.unwrap_err();
    assert!(matches!(error, ModelError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn an_error_in_the_middle_is_an_error_however_the_server_words_it() {
    for event in [
        data(r#"{"error":{"message":"overloaded hunter2","type":"server_error"}}"#),
        data(r#"{"choices":[],"error":"overloaded hunter2"}"#),
        "event: error\ndata: {\"message\":\"overloaded hunter2\"}\n\n".to_owned(),
    ] {
        let error = whole(&[words("x"), event, finish("stop")].concat()).await.unwrap_err();
        let message = "overloaded [key]".to_owned();
        assert_eq!(error, ModelError::Provider { message, passing: true });
    }
}

#[tokio::test]
async fn other_choices_and_unknown_keys_are_passed_over() {
    let other =
        data(r#"{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"length"}],"new":{}}"#);
    let reply = whole(&[other, words("yes"), finish("stop")].concat()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.stop), ("yes", StopReason::End));
}

#[tokio::test]
async fn a_count_that_grows_with_every_event_is_not_added_up() {
    let count = |tokens: u64| {
        data(&format!(r#"{{"choices":[],"usage":{{"prompt_tokens":9,"completion_tokens":{tokens}}}}}"#))
    };
    let reply = whole(&[count(1), count(2), count(3), finish("stop")].concat()).await.unwrap();
    assert_eq!(reply.usage, Usage { input_tokens: 9, cached_tokens: 0, output_tokens: 3 });
}

#[tokio::test]
async fn an_endless_reply_is_given_up() {
    let words = words(&"x".repeat(1 << 20));
    let error = read(std::iter::repeat_n(words.as_bytes(), 100)).await.unwrap_err();
    assert_eq!(error, ModelError::TooLarge { what: "bytes in one reply", limit: MAX_REPLY_BYTES });

    let line = vec![b'x'; 1 << 20];
    for start in ["data: ", ": "] {
        let pieces = std::iter::once(start.as_bytes()).chain(std::iter::repeat_n(line.as_slice(), 100));
        let error = read(pieces).await.unwrap_err();
        assert_eq!(error, ModelError::TooLarge { what: "bytes in one event", limit: 8 << 20 });
    }
}

proptest! {
    #[test]
    fn pieces_of_any_size_make_the_same_reply(sizes in prop::collection::vec(1usize..40, 1..200)) {
        let text = rich();
        let pieces = cuts::pieces(&text, &sizes);
        prop_assert_eq!(cuts::now(read(pieces)), Ok(rich_reply()));
    }

    #[test]
    fn bytes_of_any_kind_are_no_reply(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(cuts::now(read([bytes.as_slice()])).is_err());
    }
}
