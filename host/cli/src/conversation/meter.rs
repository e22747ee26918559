//! What was used so far.

use std::sync::{Arc, Mutex, PoisonError};

use remit_agent::{Event, EventKind, EventSink, SinkError};

use crate::screen::count;

/// Counts what the prompts use, from the events.
#[derive(Clone, Default)]
pub(crate) struct Meter(Arc<Mutex<[Used; 2]>>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Used {
    prompts: u64,
    turns: u64,
    tokens: u64,
    tool_calls: u64,
    delegations: u64,
}

impl Meter {
    /// What the last prompt used, and all of them; nothing if there was none.
    pub(crate) fn in_words(&self) -> Option<(String, String)> {
        let [last, all] = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all_in_words = format!("{} in {}", all.in_words(), count(all.prompts, "prompt"));
        (all.prompts > 0).then(|| (last.in_words(), all_in_words))
    }
}

impl Used {
    fn in_words(&self) -> String {
        [
            count(self.turns, "turn"),
            count(self.tokens, "token"),
            count(self.tool_calls, "tool call"),
            count(self.delegations, "delegation"),
        ]
        .join(", ")
    }
}

impl EventSink for Meter {
    fn accept(&self, event: &Arc<Event>) -> Result<(), SinkError> {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(event.kind, EventKind::RunStarted { .. }) {
            used[0] = Used::default();
        }
        for used in &mut *used {
            match &event.kind {
                EventKind::RunStarted { .. } => used.prompts += 1,
                EventKind::ModelReply { usage, .. } => {
                    used.turns += 1;
                    used.tokens = used.tokens.saturating_add(usage.total());
                }
                EventKind::ToolStarted { .. } => used.tool_calls += 1,
                EventKind::Delegated { .. } => used.delegations += 1,
                _ => {}
            }
        }
        Ok(())
    }
}
