use bytes::Bytes;
use serde_json::{Value, json};

use crate::Protocol;
use crate::anthropic::message::encode;
use crate::chat::{Message, Request, Role, ToolChoice, ToolSpec};

/// The longest reply to ask for where nobody says how long: the API wants a number, and every model that is served today
/// takes this one.
const MAX_TOKENS: u64 = 16_384;

/// Marks the end of what the provider may keep for the next request. It reads four marks: this client sets one behind the
/// tools, one behind the system prompt, and two in the conversation.
const MARK: &[u8] = br#","cache_control":{"type":"ephemeral"}"#;

/// The request's body. What does not change between turns comes first, byte for byte the same but for the marks in the
/// conversation, which move on with it.
pub(crate) fn body(name: &str, request: &Request<'_>) -> Vec<u8> {
    let tools = request.tools.wire(Protocol::Messages, encode_tools);
    let messages = request.transcript.messages();
    let wires: Vec<Bytes> = messages.iter().map(|message| message.wire(Protocol::Messages, encode)).collect();

    let length: usize = wires.iter().map(|wire| wire.len() + 40).sum();
    let mut body = Vec::with_capacity(length + tools.len() + 2 * request.system.len() + 512);
    body.extend_from_slice(b"{\"model\":");
    body.extend_from_slice(json!(name).to_string().as_bytes());
    body.extend_from_slice(b",\"stream\":true");
    if !request.tools.specs().is_empty() {
        body.extend_from_slice(b",\"tools\":");
        body.extend_from_slice(&tools);
    }
    if !request.system.is_empty() {
        body.extend_from_slice(b",\"system\":[");
        marked(&mut body, json!({ "type": "text", "text": request.system }).to_string().as_bytes());
        body.push(b']');
    }
    body.extend_from_slice(b",\"messages\":[");
    let marks = marks(messages);
    for (place, (message, wire)) in messages.iter().zip(&wires).enumerate() {
        let joined = place > 0 && is_user(message) && is_user(&messages[place - 1]);
        let separator: &[u8] = match (place, joined) {
            (0, _) => b"",
            // What follows the results of calls is part of their message: the API takes no two of a user in a row for
            // results.
            (_, true) => b",",
            _ => b",",
        };
        body.extend_from_slice(separator);
        if is_user(message) && !joined {
            body.extend_from_slice(b"{\"role\":\"user\",\"content\":[");
        }
        match marks.contains(&Some(place)) {
            true => marked(&mut body, wire),
            false => body.extend_from_slice(wire),
        }
        let ends = messages.get(place + 1).is_none_or(|next| !is_user(next));
        if is_user(message) && ends {
            body.extend_from_slice(b"]}");
        }
    }
    body.push(b']');
    // The API refuses a choice where there is nothing to choose from.
    if request.tool_choice == ToolChoice::None && !request.tools.specs().is_empty() {
        body.extend_from_slice(b",\"tool_choice\":{\"type\":\"none\"}");
    }
    let tokens = request.max_output_tokens.unwrap_or(MAX_TOKENS);
    body.extend_from_slice(format!(",\"max_tokens\":{tokens}}}").as_bytes());
    body
}

fn is_user(message: &Message) -> bool {
    message.role() != Role::Assistant
}

/// The messages to mark: the last one, for the next request to begin with, and the one that was the last in the request
/// before, because the provider looks only so many blocks back from a mark for what it has kept.
fn marks(messages: &[Message]) -> [Option<usize>; 2] {
    let last = messages.iter().rposition(is_user);
    let reply = messages.iter().rposition(|message| !is_user(message));
    let before = reply.and_then(|reply| messages[..reply].iter().rposition(is_user));
    [last, before]
}

/// Appends an object with a mark in it.
fn marked(body: &mut Vec<u8>, object: &[u8]) {
    body.extend_from_slice(object.strip_suffix(b"}").unwrap_or(object));
    body.extend_from_slice(MARK);
    body.push(b'}');
}

fn encode_tools(specs: &[ToolSpec]) -> Bytes {
    let mut tools: Vec<Value> = specs
        .iter()
        .map(|spec| {
            json!({
                "name": spec.name,
                "description": spec.description,
                "input_schema": spec.input_schema,
            })
        })
        .collect();
    if let Some(last) = tools.last_mut() {
        last["cache_control"] = json!({ "type": "ephemeral" });
    }
    Value::from(tools).to_string().into()
}

#[cfg(test)]
mod tests;
