use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use futures::StreamExt;
use futures::stream;
use remit_model::{
    Content, EventStream, Model, ModelError, ModelEvent, ReplyForm, Request, Settings, StopReason, ToolCall,
    ToolChoice, Usage,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// What a model says in one turn.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) usage: Usage,
    pub(crate) stop: StopReason,
    pub(crate) fault: Option<ModelError>,
    pub(crate) hangs: bool,
    pub(crate) warning: Option<String>,
}

impl Line {
    pub(crate) fn tokens(mut self, input: u64, output: u64) -> Line {
        self.usage = Usage { input_tokens: input, cached_tokens: 0, output_tokens: output };
        self
    }

    pub(crate) fn stop(mut self, stop: StopReason) -> Line {
        self.stop = stop;
        self
    }

    pub(crate) fn fails(mut self, fault: ModelError) -> Line {
        self.fault = Some(fault);
        self
    }

    pub(crate) fn text(mut self, text: &str) -> Line {
        self.text = text.into();
        self
    }
}

/// A last word.
pub(crate) fn says(text: &str) -> Line {
    Line {
        text: text.into(),
        calls: vec![],
        usage: Usage { input_tokens: 10, cached_tokens: 0, output_tokens: 2 },
        stop: StopReason::End,
        fault: None,
        hangs: false,
        warning: None,
    }
}

/// Calls, each a tool's wire name, an id and arguments.
pub(crate) fn calls(calls: Vec<ToolCall>) -> Line {
    Line { calls, stop: StopReason::ToolUse, ..says("") }
}

/// Never comes to an end.
pub(crate) fn hangs() -> Line {
    Line { hangs: true, ..says("") }
}

pub(crate) fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.to_string() }
}

/// A `task` call with what must be there.
pub(crate) fn task(id: &str, role: &str) -> ToolCall {
    call(id, "task", json!({ "role": role, "task": "Find the framework.", "expected_output": "Its name." }))
}

/// What a model was shown.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) agent: String,
    pub(crate) system: String,
    pub(crate) messages: Vec<Content>,
    pub(crate) tools: Vec<String>,
    pub(crate) schemas: HashMap<String, Value>,
    pub(crate) tool_choice: ToolChoice,
    pub(crate) max_output_tokens: Option<u64>,
    pub(crate) settings: Settings,
    pub(crate) form: Option<ReplyForm>,
}

impl Seen {
    /// The results at the end of what was shown: id, words, and whether it is an error.
    pub(crate) fn results(&self) -> Vec<(String, String, bool)> {
        let mut results: Vec<_> = self
            .messages
            .iter()
            .rev()
            .map_while(|message| match message {
                Content::ToolResult { call_id, text, is_error, .. } => {
                    Some((call_id.clone(), text.clone(), *is_error))
                }
                _ => None,
            })
            .collect();
        results.reverse();
        results
    }
}

/// Says each agent's lines.
pub(crate) struct Actor {
    lines: Mutex<HashMap<String, VecDeque<Line>>>,
    seen: Mutex<Vec<Seen>>,
    /// Notified when somebody hangs.
    pub(crate) hung: Notify,
}

impl Actor {
    pub(crate) fn new(lines: Vec<(&'static str, Line)>) -> Actor {
        let mut by_agent: HashMap<String, VecDeque<Line>> = HashMap::new();
        for (agent, line) in lines {
            by_agent.entry(agent.to_owned()).or_default().push_back(line);
        }
        Actor { lines: Mutex::new(by_agent), seen: Mutex::default(), hung: Notify::new() }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The agents that still have lines.
    pub(crate) fn unsaid(&self) -> Vec<String> {
        let lines = self.lines.lock().unwrap();
        lines.iter().filter(|(_, lines)| !lines.is_empty()).map(|(agent, _)| agent.clone()).collect()
    }
}

impl Model for Actor {
    fn id(&self) -> &str {
        "actor"
    }

    fn ask<'a>(&'a self, request: Request<'a>) -> EventStream<'a> {
        self.seen.lock().unwrap().push(Seen {
            agent: request.agent.into(),
            system: request.system.into(),
            messages: request.transcript.messages().iter().map(|message| message.content.clone()).collect(),
            tools: request.tools.specs().iter().map(|spec| spec.name.clone()).collect(),
            schemas: request.tools.specs().iter().map(|s| (s.name.clone(), s.input_schema.clone())).collect(),
            tool_choice: request.tool_choice,
            max_output_tokens: request.max_output_tokens,
            settings: request.settings.clone(),
            form: request.form.cloned(),
        });
        let line = self.lines.lock().unwrap().get_mut(request.agent).and_then(VecDeque::pop_front);
        let line = line.unwrap_or_else(|| panic!("{} has no line left", request.agent));
        if line.hangs {
            self.hung.notify_one();
            return stream::pending().boxed();
        }
        let mut events: Vec<_> = line.warning.into_iter().map(|text| Ok(ModelEvent::Warning(text))).collect();
        if !line.text.is_empty() {
            events.push(Ok(ModelEvent::Text(line.text)));
        }
        events.extend(line.calls.into_iter().map(|call| Ok(ModelEvent::ToolCall(call))));
        events.push(Ok(ModelEvent::Usage(line.usage)));
        events.push(match line.fault {
            Some(fault) => Err(fault),
            None => Ok(ModelEvent::Stop(line.stop)),
        });
        stream::iter(events).boxed()
    }
}
