use std::time::Instant;

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
}

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

    fn begin(&mut self, agent: &str, call: Option<&str>, what: String) {
        let call = call.map(str::to_owned);
        self.0.push(Doing { agent: agent.to_owned(), call, what, since: Instant::now() });
    }

    fn end(&mut self, agent: &str, call: Option<&str>) {
        self.0.retain(|doing| doing.agent != agent || doing.call.as_deref() != call);
    }
}
