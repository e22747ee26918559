use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::anthropic::message::encode;
use crate::body::{Body, effort, form, longest};
use crate::chat::{Message, Request, Role, ToolSpec};
use crate::refusals::Refused;
use crate::{Endpoint, Protocol};

/// The longest reply to ask for where nobody says how long: the API wants a number, and every model that is served today
/// takes this one.
const MAX_TOKENS: u64 = 16_384;

/// Marks the end of what the provider may keep for the next request. It reads four marks: this client sets one behind the
/// tools, one behind the system prompt, and two in the conversation.
const MARK: &[u8] = br#","cache_control":{"type":"ephemeral"}"#;

/// The request's body. What does not change between turns comes first, byte for byte the same but for the marks in the
/// conversation, which move on with it.
pub(crate) fn body(name: &str, endpoint: &Endpoint, refused: Refused, request: &Request<'_>) -> Vec<u8> {
    let tools = request.tools.wire(Protocol::Messages, encode_tools);
    let messages = request.transcript.messages();
    let wires: Vec<Bytes> = messages.iter().map(|message| message.wire(Protocol::Messages, encode)).collect();

    let mut body = Body::begin(name, request, &tools, &wires);
    body.tools(request, &tools);
    if !request.system.is_empty() {
        body.field("system", "[");
        marked(&mut body, json!({ "type": "text", "text": request.system }).to_string().as_bytes());
        body.append("]");
    }
    body.field("messages", "[");
    let marks = marks(messages);
    for (place, (message, wire)) in messages.iter().zip(&wires).enumerate() {
        // What follows the results of calls is part of their message: the API takes no two of a user in a row for results.
        let joined = place > 0 && is_user(message) && is_user(&messages[place - 1]);
        if place > 0 {
            body.append(",");
        }
        if is_user(message) && !joined {
            body.append(r#"{"role":"user","content":["#);
        }
        match marks.contains(&Some(place)) {
            true => marked(&mut body, wire),
            false => body.append(wire),
        }
        let ends = messages.get(place + 1).is_none_or(|next| !is_user(next));
        if is_user(message) && ends {
            body.append("]}");
        }
    }
    body.append("]");
    body.tool_choice(request, r#"{"type":"none"}"#);
    body.field("max_tokens", longest(request, refused).unwrap_or(MAX_TOKENS).to_string());
    if let Some(config) = output_config(endpoint, refused, request) {
        body.field("output_config", config.to_string());
    }
    body.settings(request, refused);
    body.finish()
}

/// How the model is to answer.
fn output_config(endpoint: &Endpoint, refused: Refused, request: &Request<'_>) -> Option<Value> {
    let mut config = Map::new();
    if let Some(effort) = effort(request, Protocol::Messages, refused) {
        config.insert("effort".to_owned(), effort.into());
    }
    if let Some((_, schema)) = form(request, endpoint.is_own(), refused) {
        config.insert("format".to_owned(), json!({ "type": "json_schema", "schema": schema }));
    }
    (!config.is_empty()).then_some(Value::Object(config))
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
fn marked(body: &mut Body, object: &[u8]) {
    body.append(object.strip_suffix(b"}").unwrap_or(object));
    body.append(MARK);
    body.append("}");
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
