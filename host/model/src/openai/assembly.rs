use serde_json::Value;

use crate::ModelError;
use crate::chat::{MAX_REPLY_BYTES, MAX_REPLY_CALLS, StopReason, ToolCall};
use crate::openai::chunk::{CallDelta, FunctionDelta};
use crate::stream::is_to_be_made;

/// Calls on their way in. The API sends each in parts that share an `index`; servers that only resemble it leave the
/// index out, begin it at 1, give every call the same one, or send an id late, again or never.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    calls: Vec<Part>,
    bytes: usize,
}

#[derive(Debug)]
struct Part {
    index: Option<u64>,
    call: ToolCall,
    extra: Option<Value>,
}

impl Assembly {
    pub(super) fn push(&mut self, delta: CallDelta) -> Result<(), ModelError> {
        let CallDelta { index, id, function, extra_content } = delta;
        let FunctionDelta { name, arguments } = function.unwrap_or_default();
        let (id, name) = (id.unwrap_or_default(), name.unwrap_or_default());
        let arguments = match arguments {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text,
            Some(other) => other.to_string(),
        };
        self.bytes = self.bytes.saturating_add(id.len() + name.len() + arguments.len());
        if self.bytes > MAX_REPLY_BYTES {
            return Err(ModelError::TooLarge { what: "bytes in one reply", limit: MAX_REPLY_BYTES });
        }

        let part = match self.position(index, &id, &name) {
            Some(position) => &mut self.calls[position],
            None if self.calls.len() == MAX_REPLY_CALLS => {
                return Err(ModelError::TooLarge { what: "calls in one reply", limit: MAX_REPLY_CALLS });
            }
            None => {
                let call = ToolCall { id: String::new(), name: String::new(), arguments: String::new() };
                self.calls.push(Part { index, call, extra: None });
                let last = self.calls.len() - 1;
                &mut self.calls[last]
            }
        };
        if part.call.id.is_empty() {
            part.call.id = id;
        }
        // Some servers repeat the whole name with every part.
        if part.call.name != name {
            part.call.name.push_str(&name);
        }
        part.call.arguments.push_str(&arguments);
        if extra_content.is_some() {
            part.extra = extra_content;
        }
        Ok(())
    }

    /// Which call a part belongs to; none for one that begins.
    fn position(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        if index.is_some() {
            let position = self.calls.iter().rposition(|part| part.index == index)?;
            let begins = !id.is_empty() && !name.is_empty() && {
                let call = &self.calls[position].call;
                !call.id.is_empty() && call.id != id
            };
            return (!begins).then_some(position);
        }
        if !id.is_empty() {
            let same = self.calls.iter().rposition(|part| part.call.id == id);
            // An id that comes late, for a call that began without one.
            let late = || {
                self.calls
                    .len()
                    .checked_sub(1)
                    .filter(|last| name.is_empty() && self.calls[*last].call.id.is_empty())
            };
            return same.or_else(late);
        }
        let last = self.calls.len().checked_sub(1)?;
        // A second name where there are arguments already is a second call.
        let begins = !name.is_empty() && !self.calls[last].call.arguments.is_empty();
        (!begins).then_some(last)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The calls, in the model's order, of a reply that stopped for `stop`. A call that the stop cut in the middle is not
    /// among them, and a refusal makes no call. Beside them, what belongs to the call at a place.
    pub(super) fn finish(self, stop: StopReason) -> (Vec<ToolCall>, Vec<(usize, Value)>) {
        let mut parts = self.calls;
        if parts.iter().all(|part| part.index.is_some()) {
            parts.sort_by_key(|part| part.index);
        }
        parts.retain(|part| is_to_be_made(&part.call, stop));
        let extra = |(place, part): (usize, &mut Part)| {
            let extra = part.extra.take()?;
            Some((place, serde_json::json!({ "extra_content": extra })))
        };
        let extras = parts.iter_mut().enumerate().filter_map(extra).collect();
        (parts.into_iter().map(|part| part.call).collect(), extras)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn assembled(deltas: Value, stop: StopReason) -> Vec<(String, String, String)> {
        let mut assembly = Assembly::default();
        for delta in deltas.as_array().unwrap() {
            assembly.push(serde_json::from_value(delta.clone()).unwrap()).unwrap();
        }
        let calls = assembly.finish(stop).0.into_iter();
        calls.map(|call| (call.id, call.name, call.arguments)).collect()
    }

    fn expect(deltas: Value, calls: &[(&str, &str, &str)]) {
        let found = assembled(deltas, StopReason::ToolUse);
        let found: Vec<_> = found.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
        assert_eq!(found, calls);
    }

    const TWO: [(&str, &str, &str); 2] = [("a", "read", "{\"x\":1}"), ("b", "grep", "{}")];

    #[test]
    fn parts_with_an_index_are_joined_also_when_they_alternate() {
        expect(
            json!([
                { "index": 0, "id": "a", "function": { "name": "read", "arguments": "" } },
                { "index": 1, "id": "b", "function": { "name": "grep" } },
                { "index": 0, "function": { "arguments": "{\"x\"" } },
                { "index": 1, "function": { "arguments": "{}" } },
                { "index": 0, "function": { "arguments": ":1}" } },
            ]),
            &TWO,
        );
    }

    #[test]
    fn an_index_may_begin_at_one_or_come_in_any_order() {
        expect(
            json!([
                { "index": 2, "id": "b", "function": { "name": "grep", "arguments": "{}" } },
                { "index": 1, "id": "a", "function": { "name": "read", "arguments": "{\"x\":1}" } },
            ]),
            &TWO,
        );
    }

    #[test]
    fn without_an_index_a_new_id_or_a_second_name_begins_a_call() {
        expect(
            json!([
                { "id": "a", "function": { "name": "read", "arguments": "{\"x\"" } },
                { "function": { "arguments": ":1}" } },
                { "id": "b", "function": { "name": "grep", "arguments": "{" } },
                { "id": "b", "function": { "arguments": "}" } },
            ]),
            &TWO,
        );
        expect(
            json!([
                { "function": { "name": "read", "arguments": "{\"x\":1}" } },
                { "function": { "name": "grep", "arguments": "{}" } },
            ]),
            &[("", "read", "{\"x\":1}"), ("", "grep", "{}")],
        );
    }

    #[test]
    fn calls_that_all_have_index_zero_are_told_apart_by_their_ids() {
        expect(
            json!([
                { "index": 0, "id": "a", "function": { "name": "read", "arguments": "{\"x\":1}" } },
                { "index": 0, "id": "b", "function": { "name": "grep", "arguments": { } } },
            ]),
            &TWO,
        );
    }

    #[test]
    fn ids_may_come_late_and_names_in_parts_or_again() {
        expect(
            json!([
                { "index": 0, "function": { "name": "re", "arguments": "" } },
                { "index": 0, "function": { "name": "ad", "arguments": "{\"x\"" } },
                { "index": 0, "id": "a", "function": { "name": "read", "arguments": ":1}" } },
                { "index": 1, "function": { "name": "grep", "arguments": "{" } },
                { "index": 1, "id": "b", "function": { "name": "", "arguments": "}" } },
            ]),
            &TWO,
        );
        expect(
            json!([
                { "function": { "name": "read", "arguments": "{\"x\":1" } },
                { "id": "a", "function": { "arguments": "}" } },
                { "id": "b", "function": { "name": "grep", "arguments": "{}" } },
            ]),
            &TWO,
        );
    }

    #[test]
    fn a_call_that_a_limit_cut_is_dropped_and_a_refusal_calls_nothing() {
        let deltas = json!([
            { "index": 0, "id": "a", "function": { "name": "read", "arguments": "{\"x\":1}" } },
            { "index": 1, "id": "b", "function": { "name": "grep", "arguments": "{\"pattern\":\"tu" } },
        ]);
        assert_eq!(assembled(deltas.clone(), StopReason::Length).len(), 1);
        assert_eq!(assembled(deltas.clone(), StopReason::ContentFilter).len(), 1);
        assert!(assembled(deltas.clone(), StopReason::Refusal).is_empty());
        assert_eq!(assembled(deltas, StopReason::ToolUse).len(), 2);
        let unbegun = json!([{ "index": 0, "id": "a", "function": { "name": "read", "arguments": "" } }]);
        assert!(assembled(unbegun, StopReason::Length).is_empty());
    }

    #[test]
    fn calls_and_bytes_are_limited() {
        let mut assembly = Assembly::default();
        for index in 0..MAX_REPLY_CALLS as u64 {
            assembly.push(CallDelta { index: Some(index), ..CallDelta::default() }).unwrap();
        }
        let error = assembly.push(CallDelta { index: Some(9999), ..CallDelta::default() }).unwrap_err();
        assert_eq!(error, ModelError::TooLarge { what: "calls in one reply", limit: MAX_REPLY_CALLS });

        let mut assembly = Assembly::default();
        let part = || CallDelta {
            index: Some(0),
            function: Some(FunctionDelta { name: None, arguments: Some(json!("x".repeat(1 << 20))) }),
            ..CallDelta::default()
        };
        let error = (0..20).find_map(|_| assembly.push(part()).err()).unwrap();
        assert_eq!(error, ModelError::TooLarge { what: "bytes in one reply", limit: MAX_REPLY_BYTES });
    }
}
