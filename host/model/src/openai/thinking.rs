use bytes::Bytes;
use serde_json::{Map, Value};

use crate::Protocol;
use crate::chat::{Part, ReplyParts};

/// A key whose text comes in parts.
const JOINED: [&str; 3] = ["text", "summary", "data"];

/// What a server sends of the model's thinking. The API itself has no word for it; `reasoning_content` (DeepSeek, vLLM,
/// llama.cpp), `reasoning` and `reasoning_details` (OpenRouter) are those in use, and a server wants back what it sent.
#[derive(Debug, Default)]
pub(super) struct Thinking {
    content: String,
    reasoning: String,
    details: Vec<Value>,
}

impl Thinking {
    /// Takes in what one event has of it; gives how many bytes that are.
    pub(super) fn push(
        &mut self,
        content: Option<String>,
        reasoning: Option<String>,
        details: Option<Vec<Value>>,
    ) -> usize {
        let (content, reasoning) = (content.unwrap_or_default(), reasoning.unwrap_or_default());
        let mut bytes = content.len() + reasoning.len();
        self.content.push_str(&content);
        self.reasoning.push_str(&reasoning);
        for detail in details.into_iter().flatten() {
            bytes += detail.to_string().len();
            self.detail(detail);
        }
        bytes
    }

    /// A detail continues the last one if both are of the same kind and place.
    fn detail(&mut self, detail: Value) {
        let same = |one: &Value, other: &Value| {
            ["type", "index", "id"].iter().all(|key| {
                let (one, other) = (one.get(key), other.get(key));
                one == other || (*key == "id" && (one.is_none() || other.is_none()))
            })
        };
        let last = self.details.last_mut().filter(|last| last.get("index").is_some() && same(last, &detail));
        let (Some(Value::Object(last)), Value::Object(more)) = (last, &detail) else {
            self.details.push(detail);
            return;
        };
        for (key, value) in more {
            match (last.get_mut(key), value) {
                (Some(Value::String(text)), Value::String(more)) if JOINED.contains(&key.as_str()) => {
                    text.push_str(more);
                }
                (_, Value::Null) => {}
                _ => {
                    last.insert(key.clone(), value.clone());
                }
            }
        }
    }

    /// All of it, and the `extras` of calls.
    pub(super) fn finish(self, extras: Vec<(usize, Value)>) -> ReplyParts {
        let mut object = Map::new();
        for (key, text) in [("reasoning_content", self.content), ("reasoning", self.reasoning)] {
            if !text.is_empty() {
                object.insert(key.to_owned(), text.into());
            }
        }
        if !self.details.is_empty() {
            object.insert("reasoning_details".to_owned(), self.details.into());
        }
        let mut parts = Vec::new();
        let mut thinking_bytes = 0;
        if !object.is_empty() {
            let json = Bytes::from(Value::from(object).to_string());
            thinking_bytes = json.len() as u64;
            parts.push(Part::Opaque(json));
        }
        parts.extend(extras.into_iter().map(|(call, extra)| Part::OfCall(call, extra.to_string().into())));
        ReplyParts { protocol: Protocol::ChatCompletions, parts, thinking_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn thinking_in_parts_becomes_what_the_server_meant() {
        let mut thinking = Thinking::default();
        thinking.push(Some("Let me ".into()), None, None);
        thinking.push(Some("see.".into()), Some("see".into()), None);
        for text in ["one ", "two"] {
            thinking.push(
                None,
                None,
                Some(vec![json!({ "type": "reasoning.text", "index": 0, "text": text })]),
            );
        }
        let signed = json!({ "type": "reasoning.text", "index": 0, "signature": "s", "text": "" });
        let sealed = json!({ "type": "reasoning.encrypted", "index": 1, "data": "x" });
        thinking.push(None, None, Some(vec![signed, sealed.clone()]));
        let parts = thinking.finish(vec![(1, json!({ "extra_content": 1 }))]);
        let [Part::Opaque(object), Part::OfCall(1, extra)] = &parts.parts[..] else { panic!("{parts:?}") };
        let object: Value = serde_json::from_slice(object).unwrap();
        let text = json!({ "type": "reasoning.text", "index": 0, "text": "one two", "signature": "s" });
        assert_eq!(
            object,
            json!({
                "reasoning_content": "Let me see.", "reasoning": "see", "reasoning_details": [text, sealed],
            })
        );
        assert_eq!(&extra[..], br#"{"extra_content":1}"#);
    }
}
