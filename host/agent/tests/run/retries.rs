//! A model that does not answer is asked again, within the budget, and never after a tool of the turn has run.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use remit_agent::{EventKind, Patience, Status};
use remit_model::ModelError;
use serde_json::json;
use tokio::sync::Notify;

use crate::stage::{Line, Stage, call, calls, says};

/// Waits that end at once and are noted.
fn noted() -> (Patience, Arc<Mutex<Vec<Duration>>>) {
    let waits = Arc::new(Mutex::new(Vec::new()));
    let noted = waits.clone();
    let patience = Patience::default().pausing(move |wait| {
        noted.lock().unwrap().push(wait);
        async {}.boxed()
    });
    (patience, waits)
}

fn http(status: u16, passing: bool, retry_after: Option<u64>) -> ModelError {
    let retry_after = retry_after.map(Duration::from_secs);
    ModelError::Http { url: "http://h".into(), status, message: "no".into(), passing, retry_after }
}

fn fails(error: ModelError) -> (&'static str, Line) {
    ("root", says("half a").fails(error))
}

#[tokio::test]
async fn a_reply_that_broke_off_is_asked_for_again_and_neither_shown_nor_recorded_twice() {
    let (patience, waits) = noted();
    let lines =
        vec![fails(ModelError::EndedEarly), fails(http(529, true, None)), ("root", says("the whole"))];
    let played = Stage::new(lines).patience(patience).play().await;
    assert_eq!((played.outcome.status, played.outcome.answer.as_str()), (Status::Completed, "the whole"));
    let figures = &played.outcome.figures;
    assert_eq!((figures.turns, figures.model_calls, figures.usage.total()), (1, 3, 12));
    let waits = waits.lock().unwrap();
    assert!(waits.len() == 2 && waits[0] < waits[1], "{waits:?}");

    let told: Vec<String> = played
        .kinds("root")
        .into_iter()
        .filter_map(|kind| match kind {
            EventKind::ModelRequest { .. } => Some("asked".to_owned()),
            EventKind::TextDelta { text } => Some(text.clone()),
            EventKind::ModelRetry { attempt, reason, wait_ms } => {
                assert_eq!(u128::from(*wait_ms), waits[*attempt as usize - 1].as_millis());
                Some(format!("again after {attempt}: {reason}"))
            }
            EventKind::ModelReply { text, .. } => Some(format!("replied: {text}")),
            _ => None,
        })
        .collect();
    assert_eq!(
        told,
        [
            "asked",
            "half a",
            &format!("again after 1: {}", ModelError::EndedEarly),
            "half a",
            "again after 2: the server at http://h answered 529: no",
            "the whole",
            "replied: the whole",
        ]
    );
    let messages: Vec<_> = played.seen.iter().map(|seen| seen.messages.clone()).collect();
    assert!(messages[0] == messages[1] && messages[1] == messages[2], "each time it is asked the same");
}

#[tokio::test]
async fn a_server_is_left_alone_for_as_long_as_it_asks() {
    let (patience, waits) = noted();
    let lines = vec![fails(http(429, true, Some(77))), ("root", says("well"))];
    let played = Stage::new(lines).patience(patience).play().await;
    assert_eq!(played.outcome.status, Status::Completed);
    let waits = waits.lock().unwrap();
    assert!(waits.len() == 1 && waits[0] >= Duration::from_secs(77), "{waits:?}");
}

#[tokio::test]
async fn what_would_take_longer_than_there_is_time_fails_at_once() {
    let (patience, waits) = noted();
    let stage = Stage::new(vec![fails(http(429, true, Some(7200)))]).patience(patience);
    let played = stage.with("root", "wall_clock = \"2m\"").play().await;
    assert_eq!((played.outcome.status, played.outcome.figures.model_calls), (Status::Failed, 1));
    let reason = played.outcome.reason.unwrap();
    assert!(
        reason.starts_with("the server at http://h answered 429: no (not asked again: that had to"),
        "{reason}"
    );
    assert!(waits.lock().unwrap().is_empty());
}

#[tokio::test]
async fn attempts_end_and_are_counted_by_the_budget_of_agent_and_tree() {
    let lines = |count: usize| vec![fails(ModelError::EndedEarly); count];
    let (patience, waits) = noted();
    let played = Stage::new(lines(5)).patience(patience).play().await;
    assert_eq!((played.outcome.status, played.outcome.figures.model_calls), (Status::Failed, 5));
    assert!(played.outcome.reason.unwrap().ends_with("(asked 5 times)"));
    assert_eq!(waits.lock().unwrap().len(), 4);

    for (table, count) in [("root", 3), ("budget", 2)] {
        let (patience, _) = noted();
        let stage = Stage::new(lines(count)).patience(patience);
        // One call of the tree's is set aside for the root's last words.
        let played = stage.with(table, "max_model_calls = 3").play().await;
        let outcome = &played.outcome;
        assert_eq!((outcome.status, outcome.figures.model_calls), (Status::Failed, count as u64));
        let reason = outcome.reason.as_ref().unwrap();
        assert!(reason.contains("(not asked again: ") && reason.contains("max_model_calls = 3"), "{reason}");
    }
}

#[tokio::test]
async fn what_will_not_pass_is_not_asked_again() {
    for error in [
        http(400, false, None),
        http(401, false, Some(1)),
        ModelError::BadStream { message: "x".into() },
        ModelError::TooLarge { what: "bytes", limit: 1 },
    ] {
        let (patience, waits) = noted();
        let played = Stage::new(vec![fails(error.clone())]).patience(patience).play().await;
        assert_eq!(played.outcome.reason, Some(error.to_string()));
        assert!(waits.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_tool_that_has_run_does_not_run_again() {
    let (patience, _) = noted();
    let read = || calls(vec![call("c1", "files__read_file", json!({ "path": "a" }))]);
    let lines = vec![
        ("root", read().fails(ModelError::EndedEarly)),
        ("root", read()),
        fails(ModelError::Idle { after: Duration::from_secs(1) }),
        ("root", says("done")),
    ];
    let played = Stage::new(lines).patience(patience).play().await;
    assert_eq!(played.outcome.status, Status::Completed);
    assert_eq!((played.calls.len(), played.outcome.figures.tool_calls), (1, 1));
    assert_eq!((played.outcome.figures.turns, played.outcome.figures.model_calls), (2, 4));
}

#[tokio::test]
async fn whoever_waits_to_ask_again_can_be_stopped() {
    let waits = Arc::new(Notify::new());
    let told = waits.clone();
    let patience = Patience::default().pausing(move |_| {
        told.notify_one();
        std::future::pending().boxed()
    });
    let stage = Stage::new(vec![fails(ModelError::EndedEarly)]).patience(patience);
    let cancel = stage.cancel.clone();
    let (played, ()) = tokio::join!(stage.play(), async {
        waits.notified().await;
        cancel.cancel();
    });
    assert_eq!(played.outcome.status, Status::Cancelled);
}
