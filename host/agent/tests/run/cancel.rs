//! Cancelling: whatever runs is stopped, every open call has one result, and nothing comes after.

use std::sync::Arc;

use remit_agent::{EventKind, Status};
use serde_json::json;

use crate::stage::{Played, Stage, call, calls, hangs, task};

fn results<'a>(played: &'a Played, agent: &str) -> Vec<(&'a str, &'a str, bool)> {
    let kinds = played.kinds(agent).into_iter();
    kinds
        .filter_map(|kind| match kind {
            EventKind::ToolFinished { call_id, text, is_error, .. } => {
                Some((call_id.as_str(), text.as_str(), *is_error))
            }
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn a_childs_running_tool_is_stopped_and_so_are_both() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "explorer"), task("t2", "explorer")])),
        (
            "root/explorer#1",
            calls(vec![call("a", "files__wait", json!({})), call("b", "files__read_file", json!({}))]),
        ),
    ]);
    let (cancel, used) = (stage.cancel.clone(), stage.props.used.clone());
    let waiting = used.clone();
    let play = stage.play();
    let stop = async move {
        waiting.waiting.notified().await;
        cancel.cancel();
    };
    let (played, ()) = futures::join!(play, stop);
    assert_eq!(*used.dropped.lock().unwrap(), 1, "the tool was stopped");
    assert_eq!(results(&played, "root/explorer#1"), [("a", "cancelled", true), ("b", "cancelled", true)]);
    let [(first, report, true), (second, "cancelled", true)] = results(&played, "root")[..] else {
        panic!("{:?}", results(&played, "root"))
    };
    assert_eq!((first, second), ("t1", "t2"));
    assert!(report.contains(r#""status":"cancelled""#), "{report}");
    assert_eq!((played.outcome.status, played.outcome.status.exit_code()), (Status::Cancelled, 130));
    assert_eq!(played.outcome.unfinished.len(), 1);
    assert_eq!(played.calls.len(), 1, "nothing was run afterwards");
    assert_eq!(played.seen.len(), 2, "and nobody was asked");
    assert!(matches!(played.events.last().unwrap().kind, EventKind::Outcome(_)));
}

#[tokio::test]
async fn a_model_that_is_being_asked_is_left() {
    let stage = Stage::new(vec![("root", hangs())]);
    let (cancel, actor) = (stage.cancel.clone(), Arc::clone(&stage.actor));
    let stop = async move {
        actor.hung.notified().await;
        cancel.cancel();
    };
    let (played, ()) = futures::join!(stage.play(), stop);
    assert_eq!(played.outcome.status, Status::Cancelled);
    assert_eq!(played.seen.len(), 1, "no wrap-up");
}

#[tokio::test]
async fn a_run_that_is_cancelled_before_it_begins_asks_nobody() {
    let stage = Stage::new(vec![]);
    stage.cancel.cancel();
    let played = stage.play().await;
    assert_eq!((played.outcome.status, played.calls.len()), (Status::Cancelled, 0));
}

#[tokio::test]
async fn a_wrap_up_can_be_cancelled_too() {
    let stage =
        Stage::new(vec![("root", calls(vec![call("a", "files__read_file", json!({}))])), ("root", hangs())])
            .with("root", "max_turns = 1");
    let (cancel, actor) = (stage.cancel.clone(), Arc::clone(&stage.actor));
    let stop = async move {
        actor.hung.notified().await;
        cancel.cancel();
    };
    let (played, ()) = futures::join!(stage.play(), stop);
    assert_eq!(played.outcome.status, Status::Cancelled);
}
