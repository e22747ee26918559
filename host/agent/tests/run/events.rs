//! What a run leaves behind, and what happens when it can't.

use std::sync::{Arc, Mutex};

use remit_agent::{AgentPath, Event, EventKind, EventSink, Recorder, SinkError, Status, trace};
use serde_json::json;

use crate::stage::{Line, Stage, call, calls, says, task};

fn delegation() -> Vec<(&'static str, Line)> {
    vec![
        ("root", calls(vec![task("t1", "explorer")])),
        ("root/explorer#1", calls(vec![call("c1", "search__grep", json!({ "pattern": "pytest" }))])),
        ("root/explorer#1", says(r#"{"summary":"pytest"}"#)),
        ("root", says("It is pytest.")),
    ]
}

/// The name of an event, as a line has it.
fn kind(event: &Event) -> String {
    let value: serde_json::Value = serde_json::from_str(&event.to_line().unwrap()).unwrap();
    value["kind"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_main_conversation_and_each_childs_own_are_kept_apart() {
    let stage = Stage::new(delegation());
    let recorder = Recorder::create(stage.workspace.path()).unwrap();
    let id = recorder.id().to_owned();
    let played = stage.sink(recorder).play().await;
    let session = trace::session(played.workspace.path(), &id).unwrap();
    assert_eq!(session.agents().unwrap(), ["root", "root/explorer#1"]);
    let kinds = |agent| session.trace(agent).unwrap().events.iter().map(kind).collect::<Vec<_>>();
    assert_eq!(
        kinds("root"),
        [
            "run_started",
            "agent_started",
            "model_request",
            "model_reply",
            "tool_started",
            "delegated",
            "report",
            "tool_finished",
            "model_request",
            "model_reply",
            "agent_finished",
            "outcome",
        ]
    );
    assert_eq!(
        kinds("root/explorer#1"),
        [
            "agent_started",
            "model_request",
            "model_reply",
            "tool_started",
            "tool_finished",
            "model_request",
            "model_reply",
            "agent_finished",
        ]
    );
    let watched: Vec<Event> =
        played.events.iter().filter(|event| kind(event) != "text_delta").cloned().collect();
    let mut recorded = session.trace("root").unwrap().events;
    recorded.extend(session.trace("root/explorer#1").unwrap().events);
    recorded.sort_by_key(|event| event.seq);
    assert_eq!(recorded, watched, "files and live view tell the same");
    let summary = session.summary().unwrap();
    assert_eq!(
        (summary.prompt.as_str(), summary.status),
        ("Which test framework is used?", Some(Status::Completed))
    );
}

#[tokio::test]
async fn events_are_numbered_without_a_gap_and_the_outcome_is_the_last() {
    let played = Stage::new(delegation()).play().await;
    let numbers: Vec<u64> = played.events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=played.events.len() as u64).collect::<Vec<_>>());
    let Some(EventKind::Outcome(outcome)) = played.events.last().map(|event| &event.kind) else { panic!() };
    assert_eq!(outcome, &played.outcome);
    let deltas = played.events.iter().filter(|event| kind(event) == "text_delta").count();
    assert_eq!(deltas, 2);
}

#[tokio::test]
async fn a_trace_holds_all_that_the_childs_messages_were_made_of() {
    let played = Stage::new(delegation()).play().await;
    let kinds = played.kinds("root/explorer#1");
    let EventKind::AgentStarted { role, tools, first_message, system, grants, .. } = kinds[0] else {
        panic!()
    };
    let shown = played.shown("root/explorer#1", 0);
    assert_eq!((role.as_str(), tools, system), ("explorer", &shown.tools, &shown.system));
    assert_eq!(grants, "You may read `src`, `docs`.");
    assert_eq!(
        first_message,
        match &shown.messages[0] {
            remit_model::Content::User { text } => text,
            other => panic!("{other:?}"),
        }
    );
    let finished = kinds.iter().find_map(|kind| match kind {
        EventKind::ToolFinished { tool, summary, text, bytes, .. } => Some((tool, summary, text, *bytes)),
        _ => None,
    });
    let text = r#"search.grep {"pattern":"pytest"}"#.to_owned();
    assert_eq!(finished.unwrap(), (&"search.grep".to_owned(), &text, &text, text.len() as u64));
}

/// A disk that is full from the first event on for which `is_last_straw`.
struct FullDisk<F> {
    is_last_straw: F,
    is_full: Mutex<bool>,
}

impl<F: Fn(&Event) -> bool + Send + Sync> EventSink for FullDisk<F> {
    fn accept(&self, event: &Arc<Event>) -> Result<(), SinkError> {
        let mut is_full = self.is_full.lock().unwrap();
        *is_full |= (self.is_last_straw)(event);
        if *is_full { Err(SinkError("no space left".into())) } else { Ok(()) }
    }
}

/// Plays a delegation on a disk that is full from `kind_of` on, an event of `agent`.
async fn full_from(agent: &'static str, kind_of: &'static str) -> (remit_agent::Outcome, Vec<String>, usize) {
    let is_last_straw = move |event: &Event| event.agent == agent && kind(event) == kind_of;
    let stage = Stage::new(delegation()).sink(FullDisk { is_last_straw, is_full: Mutex::new(false) });
    let played = stage.play_partly().await;
    (played.outcome, played.calls.into_iter().map(|call| call.tool).collect(), played.seen.len())
}

#[tokio::test]
async fn what_could_not_be_recorded_is_not_acted_on() {
    let failed = (Status::Failed, Some("no space left".to_owned()));
    for (agent, kind, asked, called) in [
        ("root", "run_started", 0, 0),
        ("root", "agent_started", 0, 0),
        ("root", "model_request", 0, 0),
        ("root", "model_reply", 1, 0),
        ("root", "tool_started", 1, 0),
        ("root", "delegated", 1, 0),
        ("root/explorer#1", "agent_started", 1, 0),
        ("root/explorer#1", "model_reply", 2, 0),
        ("root/explorer#1", "tool_started", 2, 0),
        ("root/explorer#1", "tool_finished", 2, 1),
        ("root/explorer#1", "agent_finished", 3, 1),
        ("root", "report", 3, 1),
        ("root", "outcome", 4, 1),
    ] {
        let (outcome, calls, seen) = full_from(agent, kind).await;
        assert_eq!((outcome.status, outcome.reason.clone()), failed, "{agent} {kind}");
        assert_eq!((seen, calls.len()), (asked, called), "{agent} {kind}");
    }
}

#[test]
fn the_recorder_and_the_events_can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Recorder>();
    is_shared::<remit_agent::Events>();
    is_shared::<AgentPath>();
}
