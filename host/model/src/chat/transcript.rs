use std::collections::HashSet;

use crate::chat::{Content, Message};

/// One agent's messages, in order. It only ever grows: what a model was once shown stays as it was.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    messages: Vec<Message>,
    call_ids: HashSet<String>,
}

impl Transcript {
    /// A conversation in which nothing has been said.
    pub fn new() -> Transcript {
        Transcript::default()
    }

    /// Adds a message at the end. That every call gets exactly one result, directly after the message that made it
    /// and in the calls' order, is the caller's to keep.
    pub fn push(&mut self, message: Message) {
        if let Content::Assistant { calls, .. } = &message.content {
            self.call_ids.extend(calls.iter().map(|call| call.id.clone()));
        }
        self.messages.push(message);
    }

    /// All messages, the oldest first.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether nothing has been said yet.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Whether a call with this id is in the transcript, answered or not.
    pub fn has_call(&self, id: &str) -> bool {
        self.call_ids.contains(id)
    }
}
