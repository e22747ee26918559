use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc::UnboundedSender;

use super::{Event, EventKind};
use crate::agent_path::AgentPath;

/// Takes the events of a run as they happen.
pub trait EventSink: Send + Sync {
    /// Takes one event. Events come one at a time, in the order of their numbers.
    ///
    /// # Errors
    ///
    /// An error ends the agent that the event is about: what could not be recorded is not acted on. A sink that only
    /// watches never fails.
    fn accept(&self, event: &Arc<Event>) -> Result<(), SinkError>;
}

/// Why an event was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SinkError(pub String);

/// Numbers the events of one run and hands them to every sink.
pub struct Events {
    last: Mutex<u64>,
    sinks: Vec<Box<dyn EventSink>>,
}

impl Events {
    /// Events for these sinks, each of which is handed every event before the next sink is: what records goes before
    /// what shows.
    pub fn new(sinks: Vec<Box<dyn EventSink>>) -> Events {
        Events { last: Mutex::new(0), sinks }
    }

    /// Hands an event to every sink.
    ///
    /// # Errors
    ///
    /// The first sink's that failed; the others have had the event all the same.
    pub fn emit(&self, agent: &AgentPath, kind: EventKind) -> Result<(), SinkError> {
        // Held while the sinks run, so that they all see the order that the numbers tell.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last += 1;
        let event = Arc::new(Event { seq: *last, time: now(), agent: agent.as_str().to_owned(), kind });
        let mut first = Ok(());
        for sink in &self.sinks {
            let taken = sink.accept(&event);
            if first.is_ok() {
                first = taken;
            }
        }
        first
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Sends every event to whoever watches, and does not mind if nobody does.
pub struct ChannelSink(pub UnboundedSender<Arc<Event>>);

impl EventSink for ChannelSink {
    fn accept(&self, event: &Arc<Event>) -> Result<(), SinkError> {
        // A closed channel means that nobody watches any more.
        let _ = self.0.send(event.clone());
        Ok(())
    }
}
