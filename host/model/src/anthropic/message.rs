//! Messages of a conversation as the API takes them.

use bytes::Bytes;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::Protocol;
use crate::chat::{Content, ReplyParts, ToolCall};
use crate::stream::is_object;

/// The longest tool name that the API takes, in bytes.
const MAX_NAME: usize = 128;

/// The key under which arguments that are no object go back: the API takes nothing else as a call's input.
const NOT_AN_OBJECT: &str = "INVALID_JSON";

/// What a user says or a call returned: one content block. What the model said: a whole message.
pub(super) fn encode(content: &Content) -> Bytes {
    match content {
        Content::User { text } => text_block(text).to_string().into(),
        Content::ToolResult { call_id, text, is_error, .. } => {
            let mut block = json!({ "type": "tool_result", "tool_use_id": acceptable_id(call_id) });
            // The API refuses an error without words.
            let words = if text.is_empty() && *is_error { "error" } else { text };
            block["content"] = json!(words);
            if *is_error {
                block["is_error"] = json!(true);
            }
            block.to_string().into()
        }
        Content::Assistant { text, calls, parts } => {
            let reply = (text.as_str(), calls.as_slice());
            let blocks = ReplyParts::pieces(parts.as_ref(), Protocol::Messages, reply, words, encode_call);
            format!("{{\"role\":\"assistant\",\"content\":[{}]}}", blocks.join(",")).into()
        }
    }
}

/// The API refuses text that is nothing but white space.
fn words(text: &str) -> Option<String> {
    (!text.trim().is_empty()).then(|| text_block(text).to_string())
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// A call. Its input is the text that the model sent, so that no number changes on the way.
fn encode_call(call: &ToolCall) -> String {
    let raw = || serde_json::from_str::<&RawValue>(call.arguments.trim()).ok().map(RawValue::get);
    let input = match is_object(&call.arguments).then(raw).flatten() {
        Some(input) => input.to_owned(),
        None if call.arguments.trim().is_empty() => "{}".to_owned(),
        None => json!({ NOT_AN_OBJECT: call.arguments }).to_string(),
    };
    format!(
        "{{\"type\":\"tool_use\",\"id\":{},\"name\":{},\"input\":{input}}}",
        json!(acceptable_id(&call.id)),
        json!(call.acceptable_name(MAX_NAME))
    )
}

fn is_acceptable(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == '-'
}

/// An id with characters that the API refuses, as other servers give, with each of them replaced by its number: two ids
/// that differ still do.
fn acceptable_id(id: &str) -> String {
    if !id.is_empty() && id.chars().all(is_acceptable) {
        return id.to_owned();
    }
    let replaced = id.chars().map(|char| match is_acceptable(char) && char != '_' {
        true => char.to_string(),
        false => format!("_{:x}_", u32::from(char)),
    });
    format!("x_{}", replaced.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
    }

    fn encoded(content: Content) -> Value {
        serde_json::from_slice(&encode(&content)).unwrap()
    }

    #[test]
    fn a_calls_input_is_the_text_that_came_or_an_object_that_holds_it() {
        let big = r#"{"n":12345678901234567890,"x":1.10}"#;
        assert!(encode_call(&call("a", "t", big)).ends_with(&format!("\"input\":{big}}}")));
        assert!(encode_call(&call("a", "t", " ")).ends_with("\"input\":{}}"));
        for broken in ["{\"path\": not json", "[1]", "\"x\"", "7", r#"{"x":"\ud83d"}"#] {
            let block: Value = serde_json::from_str(&encode_call(&call("a", "t", broken))).unwrap();
            assert_eq!(block["input"], json!({ "INVALID_JSON": broken }));
        }
    }

    #[test]
    fn what_the_api_would_refuse_is_made_acceptable() {
        assert_eq!(call("", "made up/name", "").acceptable_name(MAX_NAME), "made_up_name");
        assert_eq!(call("", "", "").acceptable_name(MAX_NAME), "unnamed");
        assert_eq!(acceptable_id("toolu_01-A"), "toolu_01-A");
        assert_eq!(acceptable_id("call:1"), "x_call_3a_1");
        assert_ne!(acceptable_id("a:b_"), acceptable_id("a_b:"));
        let silent = Content::ToolResult {
            call_id: "a".into(),
            name: "t".into(),
            text: String::new(),
            is_error: true,
        };
        let result =
            json!({ "type": "tool_result", "tool_use_id": "a", "content": "error", "is_error": true });
        assert_eq!(encoded(silent), result);
        let calls = vec![call("a", "t", "{}")];
        let blank = encoded(Content::Assistant { text: "\n\n".into(), calls, parts: None });
        let used = json!({ "type": "tool_use", "id": "a", "name": "t", "input": {} });
        assert_eq!(blank, json!({ "role": "assistant", "content": [used] }));
    }
}
