use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::body::{Body, effort, form, longest};
use crate::chat::{Content, Part, ReplyParts, Request, ToolCall, ToolSpec, told_as_text};
use crate::refusals::{Refused, Wish};
use crate::{Endpoint, Protocol};

/// The longest tool name that the API takes, in bytes.
const MAX_NAME: usize = 64;

/// The request's body. What does not change between turns comes first, byte for byte the same: model, tools, system prompt,
/// then the messages in order. What comes after them is short.
pub(crate) fn body(name: &str, endpoint: &Endpoint, refused: Refused, request: &Request<'_>) -> Vec<u8> {
    let tools = request.tools.wire(Protocol::ChatCompletions, encode_tools);
    let messages = request.transcript.messages();
    let messages: Vec<Bytes> =
        messages.iter().map(|message| message.wire(Protocol::ChatCompletions, encode_message)).collect();

    let mut body = Body::begin(name, request, &tools, &messages);
    body.field("stream_options", r#"{"include_usage":true}"#);
    body.tools(request, &tools);
    let system = json!({ "role": "system", "content": request.system }).to_string();
    let system = (!request.system.is_empty()).then_some(system.as_bytes());
    body.array("messages", system.into_iter().chain(messages.iter().map(AsRef::as_ref)));
    body.tool_choice(request, "\"none\"");
    if let Some(tokens) = longest(request, refused) {
        // OpenAI's newer models refuse the old name; most other servers know only that.
        let is_new = endpoint.is_own() || refused.has(Wish::OldLengthName);
        body.field(if is_new { "max_completion_tokens" } else { "max_tokens" }, tokens.to_string());
    }
    if let Some(effort) = effort(request, Protocol::ChatCompletions, refused) {
        body.field("reasoning_effort", json!(effort).to_string());
    }
    if let Some((name, schema)) = form(request, endpoint.is_own(), refused) {
        let form = json!({ "name": name, "strict": true, "schema": schema });
        body.field("response_format", json!({ "type": "json_schema", "json_schema": form }).to_string());
    }
    body.settings(request, refused);
    body.finish()
}

fn encode_tools(specs: &[ToolSpec]) -> Bytes {
    let tools: Vec<Value> = specs
        .iter()
        .map(|spec| {
            json!({
                "type": "function",
                "function": {
                    "name": spec.name,
                    "description": spec.description,
                    "parameters": spec.input_schema,
                },
            })
        })
        .collect();
    Value::from(tools).to_string().into()
}

fn encode_message(content: &Content) -> Bytes {
    let message = match content {
        Content::User { text } => json!({ "role": "user", "content": text }),
        Content::Assistant { text, calls, .. } if calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        Content::Assistant { text, calls, parts } => encode_calls(text, calls, parts.as_ref()),
        Content::ToolResult { call_id, text, is_error, .. } => json!({
            "role": "tool",
            "tool_call_id": call_id,
            "content": told_as_text(text, *is_error),
        }),
    };
    message.to_string().into()
}

/// A message with calls. What the server sent of its thinking goes back with it, and only with such a message: a server
/// may refuse it where a turn is over.
fn encode_calls(text: &str, calls: &[ToolCall], parts: Option<&ReplyParts>) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    message.insert("content".to_owned(), if text.is_empty() { Value::Null } else { json!(text) });
    let mut calls: Vec<Value> = calls.iter().map(encode_call).collect();
    let parts = parts.filter(|parts| parts.protocol == Protocol::ChatCompletions);
    for part in parts.iter().flat_map(|parts| &parts.parts) {
        let (target, json) = match part {
            Part::Opaque(json) => (Some(&mut message), json),
            Part::OfCall(place, json) => (calls.get_mut(*place).and_then(Value::as_object_mut), json),
            Part::Text(_) | Part::Call(_) => continue,
        };
        if let (Some(target), Ok(more)) = (target, serde_json::from_slice::<Map<String, Value>>(json)) {
            target.extend(more);
        }
    }
    message.insert("tool_calls".to_owned(), calls.into());
    message.into()
}

fn encode_call(call: &ToolCall) -> Value {
    json!({
        "id": call.id,
        "type": "function",
        // The arguments stay the string that the model sent, whether or not it is JSON.
        "function": { "name": call.acceptable_name(MAX_NAME), "arguments": call.arguments },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::chat::{Message, ToolChoice, ToolSet, Transcript};

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

    fn body_of(request: &Request<'_>) -> Vec<u8> {
        body("some-model", &Endpoint::own(Protocol::ChatCompletions).unwrap(), Refused::default(), request)
    }

    fn tools() -> ToolSet {
        ToolSet::new(vec![ToolSpec {
            name: "files__read_file".into(),
            description: "Reads a file.".into(),
            input_schema: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
        }])
    }

    #[test]
    fn a_whole_conversation_is_worded_as_the_api_documents_it() {
        let tools = tools();
        let mut transcript = Transcript::new();
        transcript.push(Message::user("Which \"framework\"? 哪个"));
        transcript.push(Message::assistant("", vec![call("a", "files__read_file", "{\"path\":\"x\"}")]));
        transcript.push(Message::tool_result("a", "files__read_file", "no such file", true));
        transcript.push(Message::assistant("", vec![call("b", "made up/name", "{\"path\": not json")]));
        transcript.push(Message::tool_result("b", "made up/name", "1\tpytest", false));
        transcript.push(Message::assistant("pytest", Vec::new()));
        let mut request = request(&transcript, &tools);
        request.tool_choice = ToolChoice::None;
        request.max_output_tokens = Some(500);
        let body: Value = serde_json::from_slice(&body_of(&request)).unwrap();
        assert_eq!(
            body,
            json!({
                "model": "some-model",
                "stream": true,
                "stream_options": { "include_usage": true },
                "tools": [{ "type": "function", "function": {
                    "name": "files__read_file",
                    "description": "Reads a file.",
                    "parameters": { "type": "object", "properties": { "path": { "type": "string" } } },
                } }],
                "messages": [
                    { "role": "system", "content": "Be brief." },
                    { "role": "user", "content": "Which \"framework\"? 哪个" },
                    { "role": "assistant", "content": null, "tool_calls": [{ "id": "a", "type": "function",
                        "function": { "name": "files__read_file", "arguments": "{\"path\":\"x\"}" } }] },
                    { "role": "tool", "tool_call_id": "a", "content": "error: no such file" },
                    { "role": "assistant", "content": null, "tool_calls": [{ "id": "b", "type": "function",
                        "function": { "name": "made_up_name", "arguments": "{\"path\": not json" } }] },
                    { "role": "tool", "tool_call_id": "b", "content": "1\tpytest" },
                    { "role": "assistant", "content": "pytest" },
                ],
                "tool_choice": "none",
                "max_completion_tokens": 500,
            })
        );
    }

    #[test]
    fn without_tools_nothing_is_said_of_tools() {
        let mut transcript = Transcript::new();
        transcript.push(Message::user("hello"));
        let tools = ToolSet::default();
        let mut request = request(&transcript, &tools);
        request.system = "";
        request.tool_choice = ToolChoice::None;
        request.max_output_tokens = Some(7);
        let elsewhere = Endpoint::at(Protocol::ChatCompletions, "http://127.0.0.1:1/v1").unwrap();
        let body: Value =
            serde_json::from_slice(&body("m", &elsewhere, Refused::default(), &request)).unwrap();
        assert_eq!(
            body,
            json!({ "model": "m", "stream": true, "stream_options": { "include_usage": true },
                "messages": [{ "role": "user", "content": "hello" }], "max_tokens": 7 })
        );
    }

    #[test]
    fn the_next_request_begins_byte_for_byte_like_the_last_one() {
        let tools = tools();
        let mut transcript = Transcript::new();
        transcript.push(Message::user("go"));
        let mut last = body_of(&request(&transcript, &tools));
        for turn in 0..20 {
            let id = format!("c{turn}");
            transcript.push(Message::assistant("…", vec![call(&id, "files__read_file", "{}")]));
            transcript.push(Message::tool_result(&id, "files__read_file", "text \u{7} \"\\", turn % 2 == 0));
            let next = body_of(&request(&transcript, &tools));
            let shared = last.len() - "]}".len();
            assert_eq!(next[..shared], last[..shared]);
            last = next;
        }
    }

    #[test]
    fn a_message_is_serialised_once() {
        let message = Message::user("once");
        let first = message.wire(Protocol::ChatCompletions, encode_message);
        let second = message.wire(Protocol::ChatCompletions, |_| unreachable!());
        assert_eq!(first.as_ptr(), second.as_ptr());
    }
}
