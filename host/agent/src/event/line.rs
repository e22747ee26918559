use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Event, EventKind};

/// The version of the events that this program writes. It rises when a reader of the old ones would be misled; a new
/// kind or field does not raise it.
pub const VERSION: u32 = 1;

/// The fields that every event has.
#[derive(Serialize, Deserialize)]
struct Head<'a> {
    v: u32,
    seq: u64,
    time: u64,
    #[serde(borrow)]
    agent: Cow<'a, str>,
}

/// Why a line is no event.
#[derive(Debug, Error)]
pub enum EventError {
    /// Not JSON, or not an event's.
    #[error("not an event: {0}")]
    Malformed(#[source] serde_json::Error),
    /// Longer than any event.
    #[error("not an event: longer than {limit} bytes")]
    TooLong {
        /// The most that is read of a line, in bytes.
        limit: u64,
    },
    /// An event of a newer version of this program.
    #[error("an event of version {found}; this program reads version {VERSION}")]
    Version {
        /// The line's version.
        found: u32,
    },
}

impl Event {
    /// The event as one line of compact JSON, without a line break.
    ///
    /// # Errors
    ///
    /// None that is known of; it passes on what the serialiser says.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        let head = Head { v: VERSION, seq: self.seq, time: self.time, agent: self.agent.as_str().into() };
        let mut line = serde_json::to_string(&head)?;
        let kind = serde_json::to_string(&self.kind)?;
        // Both are objects with at least one member, which are joined to one.
        line.pop();
        line.push(',');
        line.push_str(kind.get(1..).unwrap_or_default());
        Ok(line)
    }

    /// Reads what [`to_line`](Event::to_line) writes.
    ///
    /// # Errors
    ///
    /// See [`EventError`].
    pub fn from_line(line: &str) -> Result<Event, EventError> {
        let head: Head<'_> = serde_json::from_str(line).map_err(EventError::Malformed)?;
        if head.v > VERSION {
            return Err(EventError::Version { found: head.v });
        }
        let kind: EventKind = serde_json::from_str(line).map_err(EventError::Malformed)?;
        Ok(Event { seq: head.seq, time: head.time, agent: head.agent.into_owned(), kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Status;

    fn event(kind: EventKind) -> Event {
        Event { seq: 7, time: 1_700_000_000_000, agent: "root/explorer#1".into(), kind }
    }

    #[test]
    fn a_line_is_compact_and_begins_with_what_every_event_has() {
        let line =
            event(EventKind::ModelRequest { messages: 3, bytes: 120, wrap_up: false }).to_line().unwrap();
        assert_eq!(
            line,
            r#"{"v":1,"seq":7,"time":1700000000000,"agent":"root/explorer#1","kind":"model_request","messages":3,"bytes":120}"#
        );
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let finished = event(EventKind::AgentFinished {
            status: Status::BudgetExhausted,
            limit: Some("max_turns".into()),
            reason: None,
            turns: 7,
            usage: remit_model::Usage { input_tokens: u64::MAX, cached_tokens: 1, output_tokens: 2 },
            cost: None,
            duration_ms: 5,
        });
        let quoted = event(EventKind::Warning { text: "\"a\"\n\u{1b}[31m\u{2028}测试".into() });
        for event in [finished, quoted] {
            let line = event.to_line().unwrap();
            assert!(!line.contains('\n'));
            assert_eq!(Event::from_line(&line).unwrap(), event);
        }
    }

    #[test]
    fn a_newer_programs_kind_is_unknown_and_its_version_refused() {
        let newer = r#"{"v":1,"seq":1,"time":2,"agent":"root","kind":"teleported","to":"mars"}"#;
        assert_eq!(Event::from_line(newer).unwrap().kind, EventKind::Unknown);
        let next = r#"{"v":2,"seq":1,"time":2,"agent":"root","kind":"warning","text":""}"#;
        assert!(matches!(Event::from_line(next), Err(EventError::Version { found: 2 })));
        assert!(matches!(Event::from_line("{\"v\":1,"), Err(EventError::Malformed(_))));
    }
}
