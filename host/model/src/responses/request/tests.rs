use super::*;
use crate::Settings;
use crate::chat::{Message, Part, ToolChoice, ToolSet, Transcript};

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
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
    body(name, &Endpoint::own(Protocol::Responses).unwrap(), Refused::default(), request)
}

fn tools() -> ToolSet {
    ToolSet::new(vec![ToolSpec {
        name: "one".into(),
        description: "Does.".into(),
        input_schema: json!({ "type": "object" }),
    }])
}

const THOUGHT: &str = r#"{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"g+/="}"#;

fn thoughtful(id: &str) -> Message {
    let parts = ReplyParts {
        protocol: Protocol::Responses,
        parts: vec![Part::Opaque(THOUGHT.into()), Part::Text(0..2), Part::Call(0)],
        thinking_bytes: 1,
    };
    let calls = vec![call(id, "made up/name", "{\"path\": not json")];
    Content::Assistant { text: "so".into(), calls, parts: Some(parts) }.into()
}

#[test]
fn a_whole_conversation_is_worded_as_the_api_documents_it() {
    let tools = tools();
    let mut transcript = Transcript::new();
    transcript.push(Message::user("Which \"framework\"? 哪个"));
    transcript.push(thoughtful("a"));
    transcript.push(Message::tool_result("a", "made up/name", "no such tool", true));
    transcript.push(Message::assistant("", Vec::new()));
    transcript.push(Message::user("Go on."));
    let mut request = request(&transcript, &tools);
    request.tool_choice = ToolChoice::None;
    request.max_output_tokens = Some(500);
    let body: Value = serde_json::from_slice(&body_of("some-model", &request)).unwrap();
    assert_eq!(
        body,
        json!({
            "model": "some-model",
            "stream": true,
            "store": false,
            "include": ["reasoning.encrypted_content"],
            "tools": [{ "type": "function", "name": "one", "description": "Does.",
                "parameters": { "type": "object" }, "strict": false }],
            "instructions": "Be brief.",
            "input": [
                { "role": "user", "content": "Which \"framework\"? 哪个" },
                { "id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "g+/=" },
                { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "so" }] },
                { "type": "function_call", "call_id": "a", "name": "made_up_name",
                    "arguments": "{\"path\": not json" },
                { "type": "function_call_output", "call_id": "a", "output": "error: no such tool" },
                { "role": "user", "content": "Go on." },
            ],
            "tool_choice": "none",
            "max_output_tokens": 500,
        })
    );
}

#[test]
fn the_next_request_begins_byte_for_byte_like_the_last_one() {
    let tools = tools();
    let mut transcript = Transcript::new();
    transcript.push(Message::user("go"));
    let mut last = body_of("m", &request(&transcript, &tools));
    for turn in 0..20 {
        let id = format!("c{turn}");
        transcript.push(thoughtful(&id));
        transcript.push(Message::tool_result(&id, "one", "text \u{7} \"\\", turn % 2 == 0));
        let next = body_of("m", &request(&transcript, &tools));
        let shared = last.len() - "]}".len();
        assert_eq!(next[..shared], last[..shared]);
        last = next;
    }
}
