use bytes::Bytes;
use serde_json::{Value, json};

use crate::body::{Body, effort, form, longest};
use crate::chat::{Content, ReplyParts, Request, ToolCall, ToolSpec, told_as_text};
use crate::refusals::{Refused, Wish};
use crate::{Endpoint, Protocol};

/// The longest tool name that the API takes, in bytes.
const MAX_NAME: usize = 64;

/// The request's body. What does not change between turns comes first, byte for byte the same: model, tools, system
/// prompt, then the items in order.
pub(crate) fn body(name: &str, endpoint: &Endpoint, refused: Refused, request: &Request<'_>) -> Vec<u8> {
    let tools = request.tools.wire(Protocol::Responses, encode_tools);
    let messages = request.transcript.messages();
    let items: Vec<Bytes> =
        messages.iter().map(|message| message.wire(Protocol::Responses, encode_message)).collect();

    let mut body = Body::begin(name, request, &tools, &items);
    body.field("store", "false");
    if !refused.has(Wish::SealedThinking) {
        // Thinking in the encrypted form that can be sent back.
        body.field("include", r#"["reasoning.encrypted_content"]"#);
    }
    body.tools(request, &tools);
    if !request.system.is_empty() {
        body.field("instructions", json!(request.system).to_string());
    }
    body.array("input", items.iter().filter(|item| !item.is_empty()).map(AsRef::as_ref));
    body.tool_choice(request, "\"none\"");
    if let Some(tokens) = longest(request, refused) {
        body.field("max_output_tokens", tokens.to_string());
    }
    if let Some(effort) = effort(request, Protocol::Responses, refused) {
        body.field("reasoning", json!({ "effort": effort }).to_string());
    }
    if let Some((name, schema)) = form(request, endpoint.is_own(), refused) {
        let form = json!({ "type": "json_schema", "name": name, "strict": true, "schema": schema });
        body.field("text", json!({ "format": form }).to_string());
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
