use std::time::{Duration, Instant};

use remit_agent::{Event, EventKind};

use super::arguments::call;

/// What goes on at the moment, for the status line: models that are asked, calls that are made.
#[derive(Debug, Default)]
pub(super) struct Activity(Vec<Doing>);

#[derive(Debug)]
struct Doing {
    agent: String,
    /// A call's id; nothing for a model.
    call: Option<String>,
    what: String,
    since: Instant,
    /// How long it has to go on before it is said the next time.
    patience: Duration,
}

/// How long something goes on before it is said where no line can be rewritten; then twice as long, and so on.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many columns the words of a call take here; the line is cut to the screen later.
const CALL_COLUMNS: usize = 200;

impl Activity {
    pub(super) fn note(&mut self, event: &Event) {
        let agent = event.agent.as_str();
        match &event.kind {
            EventKind::ModelRequest { .. } => self.begin(agent, None, format!("{agent}  thinking")),
            EventKind::ModelReply { .. } => self.end(agent, None),
            EventKind::ToolStarted { call_id, tool, arguments } => {
                let what = format!("{agent}  {tool} {}", call(arguments, CALL_COLUMNS));
                self.begin(agent, Some(call_id), what);
            }
            EventKind::ToolFinished { call_id, .. } => self.end(agent, Some(call_id)),
            EventKind::AgentFinished { .. } => self.0.retain(|doing| doing.agent != agent),
            _ => {}
        }
    }

    /// What began last and goes on, and since when.
    pub(super) fn latest(&self) -> Option<(&str, Instant)> {
        self.0.last().map(|doing| (doing.what.as_str(), doing.since))
    }

    /// What has gone on for so long by now that it is worth a line of its own, and how long that is.
    pub(super) fn overdue(&mut self, now: Instant) -> Vec<(&str, Duration)> {
        let mut overdue = Vec::new();
        for doing in &mut self.0 {
            let elapsed = now.saturating_duration_since(doing.since);
            if elapsed >= doing.patience {
                doing.patience = elapsed.max(PATIENCE) * 2;
                overdue.push((doing.what.as_str(), elapsed));
            }
        }
        overdue
    }

    fn begin(&mut self, agent: &str, call: Option<&str>, what: String) {
        let call = call.map(str::to_owned);
        self.0.push(Doing { agent: agent.to_owned(), call, what, since: Instant::now(), patience: PATIENCE });
    }

    fn end(&mut self, agent: &str, call: Option<&str>) {
        self.0.retain(|doing| doing.agent != agent || doing.call.as_deref() != call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_said_now_and_again_and_then_no_more() {
        let mut activity = Activity::default();
        let event = |kind| Event { seq: 1, time: 0, agent: "root/explorer#1".into(), kind };
        let arguments = r#"{"pattern": "x"}"#.to_owned();
        activity.note(&event(EventKind::ToolStarted {
            call_id: "a".into(),
            tool: "search.grep".into(),
            arguments,
        }));
        let begin = activity.0[0].since;
        let mut at = |seconds: u64| {
            let now = begin + Duration::from_secs(seconds);
            activity
                .overdue(now)
                .into_iter()
                .map(|(what, time)| format!("{what} {}", time.as_secs()))
                .collect::<Vec<_>>()
        };
        assert_eq!(at(9), [] as [&str; 0]);
        assert_eq!(at(11), ["root/explorer#1  search.grep \"x\" 11"]);
        assert_eq!((at(12), at(21)), (vec![], vec![]));
        assert_eq!(at(22).len(), 1);
        let finished = EventKind::ToolFinished {
            call_id: "a".into(),
            tool: "search.grep".into(),
            is_error: false,
            summary: String::new(),
            text: String::new(),
            bytes: 0,
            cut: false,
            duration_ms: 0,
            printed: String::new(),
            refusals: vec![],
        };
        activity.note(&event(finished));
        assert!(activity.overdue(begin + Duration::from_secs(900)).is_empty());
    }
}
