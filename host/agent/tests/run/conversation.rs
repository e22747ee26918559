//! Conversations: one transcript over prompts, and what the user says while an agent works.

use std::sync::{Arc, Mutex};

use remit_agent::roles::{BuiltIn, Roles, RolesSource};
use remit_agent::{Conversation, Event, EventKind, EventSink, Inbox, Outcome, SinkError, Status, trace};
use remit_model::Content;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::stage::{Line, Seen, Stage, call, calls, hangs, says, task};

/// A conversation on a stage, and what the stage's actor is shown.
struct Talk {
    conversation: Conversation,
    inbox: Arc<Inbox>,
    stage: Stage,
    events: Arc<Mutex<Vec<Event>>>,
}

/// Keeps every event, and lets a test say something at one of them.
struct Ear {
    events: Arc<Mutex<Vec<Event>>>,
}

impl EventSink for Ear {
    fn accept(&self, event: &Arc<Event>) -> Result<(), SinkError> {
        self.events.lock().unwrap().push((**event).clone());
        Ok(())
    }
}

impl Talk {
    fn new(mut stage: Stage) -> Talk {
        let events = Arc::new(Mutex::default());
        stage = stage.sink(Ear { events: Arc::clone(&events) });
        let conversation = Conversation::new(stage.setup()).unwrap();
        let inbox = conversation.inbox();
        Talk { conversation, inbox, stage, events }
    }

    async fn ask(&mut self, prompt: &str) -> Outcome {
        self.conversation.prompt(prompt, CancellationToken::new()).await.unwrap()
    }

    fn seen(&self, agent: &str) -> Vec<Seen> {
        self.stage.actor.seen().into_iter().filter(|seen| seen.agent == agent).collect()
    }

    fn kinds(&self) -> Vec<EventKind> {
        self.events.lock().unwrap().iter().map(|event| event.kind.clone()).collect()
    }
}

fn user(text: &str) -> Content {
    Content::User { text: text.to_owned() }
}

fn lines() -> Vec<(&'static str, Line)> {
    vec![
        (
            "root",
            calls(vec![call("a", "files__read_file", json!({})), call("b", "files__read_file", json!({}))]),
        ),
        ("root", says("first")),
        ("root", says("second")),
    ]
}

#[tokio::test]
async fn what_is_typed_while_it_works_is_taken_in_behind_the_whole_batch_of_calls_and_results() {
    let inbox: Arc<Mutex<Option<Arc<Inbox>>>> = Arc::default();
    let speaker = inbox.clone();
    // Typed while the first of two calls runs.
    let stage = Stage::new(lines()).tool("files.read_file", move |_| {
        if let Some(inbox) = speaker.lock().unwrap().take() {
            inbox.queue("Look in docs too.").unwrap();
            inbox.pin("Name no person.");
        }
        remit_agent::ToolOutcome { text: "read".into(), ..Default::default() }
    });
    let mut talk = Talk::new(stage);
    *inbox.lock().unwrap() = Some(talk.inbox.clone());
    talk.ask("Go.").await;

    let shown = &talk.seen("root")[1].messages;
    let result = |id: &str| Content::ToolResult {
        call_id: id.into(),
        name: "files__read_file".into(),
        text: "read".into(),
        is_error: false,
    };
    let taken = "Look in docs too.\n\nThese hold throughout:\n- Name no person.";
    assert_eq!(shown[2..], [result("a"), result("b"), user(taken)]);

    let told: Vec<EventKind> = talk
        .kinds()
        .into_iter()
        .filter(|kind| {
            matches!(
                kind,
                EventKind::InputQueued { .. } | EventKind::InputTaken { .. } | EventKind::ToolFinished { .. }
            )
        })
        .collect();
    assert_eq!(told[0], EventKind::InputQueued { text: "Look in docs too.".into() });
    assert!(matches!((&told[1], &told[2]), (EventKind::ToolFinished { .. }, EventKind::ToolFinished { .. })));
    assert_eq!(told[3..], [EventKind::InputTaken { text: taken.into() }]);
}

#[tokio::test]
async fn every_request_begins_with_the_last_one_over_all_prompts() {
    let mut talk = Talk::new(Stage::new(lines()).pins(&["Be short."]));
    talk.ask("Go.").await;
    talk.inbox.pin("Use tabs.");
    let second = talk.ask("And now?").await;
    assert_eq!((second.status, second.answer.as_str()), (Status::Completed, "second"));
    assert_eq!(second.figures.turns, 1, "each prompt has its own budget and figures");
    let seen = talk.seen("root");
    for pair in seen.windows(2) {
        assert!(pair[1].messages.starts_with(&pair[0].messages), "{pair:#?}");
        assert_eq!((&pair[0].system, &pair[0].tools), (&pair[1].system, &pair[1].tools));
    }
    let last = &seen.last().unwrap().messages;
    assert_eq!(last[0], user("Go.\n\nThese hold throughout:\n- Be short."));
    assert_eq!(*last.last().unwrap(), user("And now?\n\nThese hold throughout:\n- Use tabs."));
}

#[tokio::test]
async fn a_budget_is_a_prompts_and_the_next_prompt_has_a_whole_one() {
    let reads = || calls(vec![call("a", "files__read_file", json!({}))]);
    let stage = Stage::new(vec![
        ("root", reads()),
        ("root", says("so far")),
        ("root", reads()),
        ("root", says("more")),
    ]);
    let mut talk = Talk::new(stage.with("root", "max_turns = 1"));
    for expected in ["so far", "more"] {
        let outcome = talk.ask("Go.").await;
        assert_eq!((outcome.status, outcome.answer.as_str()), (Status::BudgetExhausted, expected));
    }
}

#[tokio::test]
async fn children_are_counted_on_and_one_record_holds_all_prompts() {
    let found = || says(r#"{"summary":"pytest"}"#);
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t", "explorer")])),
        ("root/explorer#1", found()),
        ("root", says("one")),
        ("root", calls(vec![task("t", "explorer")])),
        ("root/explorer#2", found()),
        ("root", says("two")),
    ]);
    let recorder = remit_agent::Recorder::create(stage.workspace.path()).unwrap();
    let id = recorder.id().to_owned();
    let mut talk = Talk::new(stage.sink(recorder));
    talk.ask("Go.").await;
    talk.ask("Again.").await;
    let session = trace::session(talk.stage.workspace.path(), &id).unwrap();
    assert_eq!(session.agents().unwrap(), ["root", "root/explorer#1", "root/explorer#2"]);
    let summary = session.summary().unwrap();
    assert_eq!((summary.prompt.as_str(), summary.status), ("Go.", Some(Status::Completed)));
    let earlier: Vec<u64> = session
        .trace("root")
        .unwrap()
        .events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::AgentStarted { earlier, .. } => Some(earlier),
            _ => None,
        })
        .collect();
    assert_eq!(earlier, [0, 4]);
}

#[tokio::test]
async fn a_turn_that_was_stopped_leaves_a_valid_transcript_with_one_cancelled_result_per_open_call() {
    let stage = Stage::new(vec![
        ("root", calls(vec![call("a", "files__wait", json!({})), call("b", "files__read_file", json!({}))])),
        ("root", hangs()),
        ("root", says("done")),
    ]);
    let (used, actor) = (stage.props.used.clone(), stage.actor.clone());
    let mut talk = Talk::new(stage);
    let cancel = CancellationToken::new();
    let (outcome, ()) = futures::join!(talk.conversation.prompt("Go.", cancel.clone()), async {
        used.waiting.notified().await;
        cancel.cancel();
    });
    assert_eq!(outcome.unwrap().status, Status::Cancelled);
    // Once more, in the middle of a reply.
    let cancel = CancellationToken::new();
    let (outcome, ()) = futures::join!(talk.conversation.prompt("Go on.", cancel.clone()), async {
        actor.hung.notified().await;
        cancel.cancel();
    });
    assert_eq!(outcome.unwrap().status, Status::Cancelled);
    assert_eq!(talk.ask("What was that?").await.status, Status::Completed);
    let cancelled = |id: &str, name: &str| Content::ToolResult {
        call_id: id.into(),
        name: name.into(),
        text: "cancelled".into(),
        is_error: true,
    };
    let shown = &talk.seen("root")[2].messages;
    assert_eq!(
        shown[2..],
        [
            cancelled("a", "files__wait"),
            cancelled("b", "files__read_file"),
            user("Go on."),
            user("What was that?")
        ]
    );
}

#[tokio::test]
async fn what_is_still_queued_when_the_agent_ends_is_there_for_the_next_prompt() {
    let stage = Stage::new(vec![("root", hangs()), ("root", says("done"))]);
    let actor = stage.actor.clone();
    let mut talk = Talk::new(stage);
    let inbox = talk.inbox.clone();
    let cancel = CancellationToken::new();
    let (outcome, ()) = futures::join!(talk.conversation.prompt("Go.", cancel.clone()), async {
        actor.hung.notified().await;
        inbox.queue("Stop at once.").unwrap();
        cancel.cancel();
    });
    assert_eq!(outcome.unwrap().status, Status::Cancelled);
    assert_eq!(talk.inbox.take_back(), ["Stop at once."]);
    assert!(!talk.kinds().iter().any(|kind| matches!(kind, EventKind::InputTaken { .. })));
}

#[tokio::test]
async fn notes_stand_in_the_roots_prompt_and_in_no_childs_and_are_named_once() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t", "explorer")])),
        ("root/explorer#1", says(r#"{"summary":"pytest"}"#)),
        ("root", says("one")),
        ("root", says("two")),
    ]);
    let workspace = stage.workspace.path().canonicalize().unwrap();
    std::fs::write(workspace.join("AGENTS.md"), "Run make test.").unwrap();
    let built_in = BuiltIn { roles: crate::stage::ROLES, plugins: &["files", "search", "edit"] };
    let roles = Roles::load(RolesSource::BuiltIn, &built_in, &workspace).unwrap();
    let notes = remit_agent::Notes::read(&workspace, &workspace, &roles, roles.get("root").unwrap()).unwrap();
    let mut talk = Talk::new(stage.notes(notes));
    talk.ask("Go.").await;
    talk.ask("Again.").await;
    assert!(talk.seen("root").iter().all(|seen| seen.system.contains("Run make test.")));
    assert!(!talk.seen("root/explorer#1")[0].system.contains("Run make test."));
    let named: Vec<EventKind> =
        talk.kinds().into_iter().filter(|kind| matches!(kind, EventKind::Notes { .. })).collect();
    let [EventKind::Notes { notes }] = &named[..] else { panic!("{named:?}") };
    assert_eq!((notes[0].path.as_str(), notes[0].bytes, notes[0].cut), ("AGENTS.md", 14, false));
}
