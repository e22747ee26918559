use super::*;
use crate::Settings;
use crate::chat::{Content, Message, Part, ReplyParts, ToolCall, ToolChoice, ToolSet, Transcript};

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

fn tools() -> ToolSet {
    let spec = |name: &str| ToolSpec {
        name: name.into(),
        description: "Does.".into(),
        input_schema: json!({ "type": "object", "properties": {} }),
    };
    ToolSet::new(vec![spec("one"), spec("two")])
}

fn request<'a>(transcript: &'a Transcript, tools: &'a ToolSet) -> Request<'a> {
    Request {
        agent: "root",
        role: "root",
        system: "Be brief.",
        transcript,
        tools,
        tool_choice: ToolChoice::Auto,
        max_output_tokens: None,
        settings: Settings::plain(),
        form: None,
    }
}

fn body_of(name: &str, request: &Request<'_>) -> Vec<u8> {
    body(name, &Endpoint::own(Protocol::Messages).unwrap(), Refused::default(), request)
}

fn thoughtful() -> Message {
    let parts = ReplyParts {
        protocol: Protocol::Messages,
        parts: vec![
            Part::Opaque(r#"{"type":"thinking","thinking":"Hm.","signature":"s+/="}"#.into()),
            Part::Call(0),
            Part::Text(0..4),
            Part::Call(1),
        ],
        thinking_bytes: 1,
    };
    let calls = vec![call("a", "one", r#"{"n":1.0}"#), call("b", "two", "{ not json")];
    Content::Assistant { text: "also".into(), calls, parts: Some(parts) }.into()
}

#[test]
fn a_whole_conversation_is_worded_as_the_api_documents_it() {
    let tools = tools();
    let mut transcript = Transcript::new();
    transcript.push(Message::user("Which \"framework\"? 哪个"));
    transcript.push(thoughtful());
    transcript.push(Message::tool_result("a", "one", "no such file", true));
    transcript.push(Message::tool_result("b", "two", "1\tpytest", false));
    transcript.push(Message::user("Say what you found."));
    let mut request = request(&transcript, &tools);
    request.tool_choice = ToolChoice::None;
    request.max_output_tokens = Some(500);
    let body: Value = serde_json::from_slice(&body_of("some-model", &request)).unwrap();
    let mark = json!({ "type": "ephemeral" });
    let schema = json!({ "type": "object", "properties": {} });
    assert_eq!(
        body,
        json!({
            "model": "some-model",
            "stream": true,
            "tools": [
                { "name": "one", "description": "Does.", "input_schema": schema },
                { "name": "two", "description": "Does.", "input_schema": schema, "cache_control": mark },
            ],
            "system": [{ "type": "text", "text": "Be brief.", "cache_control": mark }],
            "messages": [
                { "role": "user", "content": [
                    { "type": "text", "text": "Which \"framework\"? 哪个", "cache_control": mark },
                ] },
                { "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "Hm.", "signature": "s+/=" },
                    { "type": "tool_use", "id": "a", "name": "one", "input": { "n": 1.0 } },
                    { "type": "text", "text": "also" },
                    { "type": "tool_use", "id": "b", "name": "two", "input": { "INVALID_JSON": "{ not json" } },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "a", "content": "no such file", "is_error": true },
                    { "type": "tool_result", "tool_use_id": "b", "content": "1\tpytest" },
                    { "type": "text", "text": "Say what you found.", "cache_control": mark },
                ] },
            ],
            "tool_choice": { "type": "none" },
            "max_tokens": 500,
        })
    );
}

#[test]
fn without_tools_or_a_prompt_nothing_is_said_of_them() {
    let mut transcript = Transcript::new();
    transcript.push(Message::user("hello"));
    let tools = ToolSet::default();
    let mut request = request(&transcript, &tools);
    request.system = "";
    request.tool_choice = ToolChoice::None;
    let body: Value = serde_json::from_slice(&body_of("m", &request)).unwrap();
    let text = json!({ "type": "text", "text": "hello", "cache_control": { "type": "ephemeral" } });
    assert_eq!(
        body,
        json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": [text] }],
            "max_tokens": MAX_TOKENS })
    );
}

fn without_marks(body: Vec<u8>) -> String {
    String::from_utf8(body).unwrap().replace(std::str::from_utf8(MARK).unwrap(), "")
}

#[test]
fn the_next_request_begins_byte_for_byte_like_the_last_one_up_to_the_marks() {
    let tools = tools();
    let mut transcript = Transcript::new();
    transcript.push(Message::user("go"));
    let mut last = without_marks(body_of("m", &request(&transcript, &tools)));
    for turn in 0..20 {
        transcript.push(thoughtful());
        transcript.push(Message::tool_result("a", "one", "text \u{7} \"\\", turn % 2 == 0));
        transcript.push(Message::tool_result("b", "two", "", false));
        let body = body_of("m", &request(&transcript, &tools));
        let marks = body.windows(MARK.len()).filter(|window| *window == MARK).count();
        assert_eq!(marks, 4, "as many as the provider reads, not one more");
        let next = without_marks(body);
        let end = last.rfind("]}]").unwrap();
        assert_eq!(next[..end], last[..end]);
        last = next;
    }
}

#[test]
fn the_marks_stand_where_this_request_ends_and_where_the_last_one_did() {
    let tools = tools();
    let mut transcript = Transcript::new();
    transcript.push(Message::user("go"));
    transcript.push(thoughtful());
    transcript.push(Message::tool_result("a", "one", "first", false));
    transcript.push(Message::tool_result("b", "two", "last of the first", false));
    assert_eq!(marks(transcript.messages()), [Some(3), Some(0)]);
    transcript.push(thoughtful());
    transcript.push(Message::tool_result("a", "one", "second", false));
    assert_eq!(marks(transcript.messages()), [Some(5), Some(3)]);
    let body = String::from_utf8(body_of("m", &request(&transcript, &tools))).unwrap();
    for text in ["last of the first", "second"] {
        assert!(body.contains(&format!("{text}\"{}", std::str::from_utf8(MARK).unwrap())), "{body}");
    }
}
