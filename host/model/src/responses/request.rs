use bytes::Bytes;
use serde_json::{Value, json};

use crate::Protocol;
use crate::chat::{Content, ReplyParts, Request, ToolCall, ToolChoice, ToolSpec, told_as_text};

/// The longest tool name that the API takes, in bytes.
const MAX_NAME: usize = 64;

/// The request's body. What does not change between turns comes first, byte for byte the same: model, tools, system
/// prompt, then the items in order. `sealed` asks for thinking in the encrypted form that can be sent back.
pub(crate) fn body(name: &str, sealed: bool, request: &Request<'_>) -> Vec<u8> {
    let tools = request.tools.wire(Protocol::Responses, encode_tools);
    let messages = request.transcript.messages();
    let items: Vec<Bytes> =
        messages.iter().map(|message| message.wire(Protocol::Responses, encode_message)).collect();

    let length: usize = items.iter().map(|item| item.len() + 1).sum();
    let mut body = Vec::with_capacity(length + tools.len() + 2 * request.system.len() + 512);
    body.extend_from_slice(b"{\"model\":");
    body.extend_from_slice(json!(name).to_string().as_bytes());
    body.extend_from_slice(b",\"stream\":true,\"store\":false");
    if sealed {
        body.extend_from_slice(b",\"include\":[\"reasoning.encrypted_content\"]");
    }
    if !request.tools.specs().is_empty() {
        body.extend_from_slice(b",\"tools\":");
        body.extend_from_slice(&tools);
    }
    if !request.system.is_empty() {
        body.extend_from_slice(b",\"instructions\":");
        body.extend_from_slice(json!(request.system).to_string().as_bytes());
    }
    body.extend_from_slice(b",\"input\":[");
    for (place, item) in items.iter().filter(|item| !item.is_empty()).enumerate() {
        if place > 0 {
            body.push(b',');
        }
        body.extend_from_slice(item);
    }
    body.push(b']');
    // The API refuses a choice where there is nothing to choose from.
    if request.tool_choice == ToolChoice::None && !request.tools.specs().is_empty() {
        body.extend_from_slice(b",\"tool_choice\":\"none\"");
    }
    if let Some(tokens) = request.max_output_tokens {
        body.extend_from_slice(format!(",\"max_output_tokens\":{tokens}").as_bytes());
    }
    body.push(b'}');
    body
}

fn encode_tools(specs: &[ToolSpec]) -> Bytes {
    let tools: Vec<Value> = specs
        .iter()
        .map(|spec| {
            json!({
                "type": "function",
                "name": spec.name,
                "description": spec.description,
                "parameters": spec.input_schema,
                // Left out, it would be taken as true, which asks more of a schema than every tool's can give.
                "strict": false,
            })
        })
        .collect();
    Value::from(tools).to_string().into()
}

/// A message as items, joined by commas; none for a reply that said nothing.
fn encode_message(content: &Content) -> Bytes {
    match content {
        Content::User { text } => json!({ "role": "user", "content": text }).to_string().into(),
        Content::ToolResult { call_id, text, is_error, .. } => {
            let output = told_as_text(text, *is_error);
            json!({ "type": "function_call_output", "call_id": call_id, "output": output }).to_string().into()
        }
        Content::Assistant { text, calls, parts } => {
            let reply = (text.as_str(), calls.as_slice());
            let items = ReplyParts::pieces(parts.as_ref(), Protocol::Responses, reply, words, encode_call);
            items.join(",").into()
        }
    }
}

fn words(text: &str) -> Option<String> {
    let content = || json!([{ "type": "output_text", "text": text }]);
    let message = || json!({ "type": "message", "role": "assistant", "content": content() }).to_string();
    (!text.is_empty()).then(message)
}

fn encode_call(call: &ToolCall) -> String {
    json!({
        "type": "function_call",
        "call_id": call.id,
        "name": call.acceptable_name(MAX_NAME),
        // The arguments stay the string that the model sent, whether or not it is JSON.
        "arguments": call.arguments,
    })
    .to_string()
}

#[cfg(test)]
mod tests;
