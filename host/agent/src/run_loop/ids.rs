use remit_model::{ToolCall, Transcript};

/// Gives every call an id that no other call of the transcript has. A model may use one again in a later turn, and an API
/// may refuse a conversation in which two calls share one.
pub(super) fn make_unique(calls: &mut [ToolCall], transcript: &Transcript, turn: u64) {
    for index in 0..calls.len() {
        let (before, rest) = calls.split_at_mut(index);
        let Some(call) = rest.first_mut() else { return };
        let is_taken = |id: &str| transcript.has_call(id) || before.iter().any(|other| other.id == id);
        if call.id.is_empty() || is_taken(&call.id) {
            let fresh =
                (0..).map(|attempt| format!("call_{turn}_{index}_{attempt}")).find(|id| !is_taken(id));
            call.id = fresh.unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use remit_model::Message;

    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.into(), name: "t".into(), arguments: "{}".into() }
    }

    #[test]
    fn ids_that_are_missing_or_used_before_are_replaced_and_others_kept() {
        let mut transcript = Transcript::new();
        transcript.push(Message::assistant("", vec![call("a"), call("call_2_1_0")]));
        let mut calls = [call("b"), call("a"), call("b"), call(""), call("c")];
        make_unique(&mut calls, &transcript, 2);
        let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["b", "call_2_1_1", "call_2_2_0", "call_2_3_0", "c"]);
    }
}
