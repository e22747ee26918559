//! What the user says beside the prompt: what everybody has to keep to, and what is typed while agents work.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::agent_path::AgentPath;
use crate::event::{EventKind, Events, SinkError};
use crate::prompt;

/// What the user says while the root agent works. Its loop takes it in behind the results of a whole turn, and nowhere
/// else: between a call and its result, no model API takes a word.
///
/// Pins are here too: they reach a child with its assignment, and the root with the next message of the user.
pub struct Inbox {
    events: Arc<Events>,
    said: Mutex<Said>,
}

#[derive(Default)]
struct Said {
    queued: Vec<String>,
    pins: Vec<String>,
    /// How many of the pins the root has been told.
    told: usize,
}

impl Inbox {
    /// Nothing said yet but the pins; what is said is recorded by `events`.
    pub(crate) fn new(events: Arc<Events>, pins: Vec<String>) -> Arc<Inbox> {
        let said = Said { pins, ..Said::default() };
        Arc::new(Inbox { events, said: Mutex::new(said) })
    }

    /// Queues what the user says.
    ///
    /// # Errors
    ///
    /// When it could not be recorded; then it is not queued.
    pub fn queue(&self, text: &str) -> Result<(), SinkError> {
        self.events.emit(&AgentPath::root(), EventKind::InputQueued { text: text.to_owned() })?;
        self.said().queued.push(text.to_owned());
        Ok(())
    }

    /// Takes back what is queued, in order.
    pub fn take_back(&self) -> Vec<String> {
        std::mem::take(&mut self.said().queued)
    }

    /// Adds something that every agent has to keep to from now on, in the user's words.
    pub fn pin(&self, text: &str) {
        self.said().pins.push(text.to_owned());
    }

    /// Everything that is pinned, in order.
    pub fn pins(&self) -> Vec<String> {
        self.said().pins.clone()
    }

    /// The message for a prompt: its words, and the pins that the root has not been told.
    pub(crate) fn message(&self, prompt: &str) -> String {
        let mut said = self.said();
        let text = prompt::user_message(prompt, said.untold());
        said.told = said.pins.len();
        text
    }

    /// What was queued or pinned meanwhile, as one message; nothing if there is nothing.
    pub(crate) fn take(&self) -> Option<String> {
        let queued = {
            let mut said = self.said();
            if said.queued.is_empty() && said.untold().is_empty() {
                return None;
            }
            std::mem::take(&mut said.queued)
        };
        Some(self.message(&queued.join("\n\n")))
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Said {
    fn untold(&self) -> &[String] {
        self.pins.get(self.told..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_queued_is_one_message_and_a_pin_is_told_once() {
        let inbox = Inbox::new(Arc::new(Events::new(vec![])), vec!["Be short.".to_owned()]);
        assert_eq!(inbox.message("Go."), "Go.\n\nThese hold throughout:\n- Be short.");
        assert_eq!(inbox.take(), None);
        inbox.queue("Look in src.").unwrap();
        inbox.pin("Name no file.");
        inbox.queue("And in docs.").unwrap();
        let message = "Look in src.\n\nAnd in docs.\n\nThese hold throughout:\n- Name no file.";
        assert_eq!(inbox.take().as_deref(), Some(message));
        assert_eq!(inbox.take(), None);
        assert_eq!(inbox.pins(), ["Be short.", "Name no file."]);
        inbox.pin("Use tabs.");
        assert_eq!(inbox.take().as_deref(), Some("These hold throughout:\n- Use tabs."));
        inbox.queue("later").unwrap();
        assert_eq!((inbox.take_back(), inbox.take()), (vec!["later".to_owned()], None));
    }
}
