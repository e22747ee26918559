//! How an agent ends, for the root and for a child alike.

use remit_agent::{Report, Status, Unfinished};
use remit_model::{ModelError, StopReason};
use serde_json::json;

use crate::stage::{Line, Played, Stage, call, calls, says, task};

/// A child that says `line`, and a root that goes on after it.
async fn child(line: Line) -> Played {
    Stage::new(vec![
        ("root", calls(vec![task("t1", "explorer")])),
        ("root/explorer#1", line),
        ("root", says("The explorer did not get there.")),
    ])
    .play()
    .await
}

fn end(report: &Report) -> (Status, &str, &[String]) {
    (report.status, &report.summary, &report.warnings)
}

/// The root's outcome and the child's report for the same last line.
async fn both(line: Line) -> (Status, Option<String>, Status, String) {
    let root = Stage::new(vec![("root", line.clone())]).play().await.outcome;
    let played = child(line).await;
    assert_eq!(played.outcome.status, Status::Completed, "the root's own end decides");
    let report = played.report();
    (root.status, root.reason, report.status, report.warnings.last().cloned().unwrap_or_default())
}

#[tokio::test]
async fn words_without_a_call_complete_both() {
    let (root, reason, child, _) = both(says("It uses pytest.")).await;
    assert_eq!((root, reason, child), (Status::Completed, None, Status::Completed));
}

#[tokio::test]
async fn prose_instead_of_a_report_is_its_summary_with_a_warning() {
    let played = child(says("It uses pytest.")).await;
    let warning = ["the report was not JSON; its words are the summary".to_owned()];
    assert_eq!(end(played.report()), (Status::Completed, "It uses pytest.", &warning[..]));
}

#[tokio::test]
async fn an_empty_reply_is_not_completed() {
    for empty in [says(""), says(" \n")] {
        let (root, reason, child, warning) = both(empty).await;
        assert_eq!((root, reason.as_deref()), (Status::Failed, Some("the model's reply was empty")));
        assert_eq!(child, Status::Failed);
        assert_eq!(
            warning,
            "not completed: failed, the model's reply was empty; take it for an unfinished lead"
        );
    }
}

#[tokio::test]
async fn a_report_that_says_nothing_is_not_completed() {
    let played = child(says(r#"{"summary": "", "evidence": []}"#)).await;
    let report = played.report();
    assert_eq!(report.status, Status::Failed);
    assert!(
        report.warnings.last().unwrap().contains("failed, the report was empty"),
        "{:?}",
        report.warnings
    );
}

#[tokio::test]
async fn a_child_that_says_it_completed_is_not_believed() {
    let line = says(r#"{"status": "completed", "summary": "All done."}"#).stop(StopReason::Length);
    let played = child(line).await;
    let report = played.report();
    assert_eq!((report.status, report.summary.as_str()), (Status::Failed, "All done."));
    assert!(report.warnings[0].contains("not the child's to say: `status`"));
}

#[tokio::test]
async fn a_refusal_is_refused_and_keeps_its_words() {
    for stop in [StopReason::Refusal, StopReason::ContentFilter] {
        let (root, reason, child, warning) = both(says("I can't help with that.").stop(stop)).await;
        assert_eq!((root, child), (Status::Refused, Status::Refused));
        assert!(reason.is_some() && warning.starts_with("not completed: refused, "), "{warning}");
    }
    let played = child(says("I can't help with that.").stop(StopReason::Refusal)).await;
    assert_eq!(played.report().summary, "I can't help with that.");
}

#[tokio::test]
async fn a_reply_that_was_cut_runs_none_of_its_calls() {
    let line =
        calls(vec![call("c1", "files__read_file", json!({}))]).stop(StopReason::Length).text("I will now");
    let root = Stage::new(vec![("root", line.clone())]).play().await;
    let reason = "the reply reached the model's own length limit before its end";
    assert_eq!((root.outcome.status, root.outcome.reason.as_deref()), (Status::Failed, Some(reason)));
    assert_eq!(root.outcome.answer, "I will now");
    assert_eq!(root.calls, []);
    let played = child(line).await;
    assert_eq!((played.report().status, played.report().summary.as_str()), (Status::Failed, "I will now"));
    assert_eq!(played.calls, []);
}

#[tokio::test]
async fn a_model_that_fails_fails_its_agent_and_nothing_of_its_reply_counts() {
    let line = calls(vec![call("c1", "files__read_file", json!({}))]).fails(ModelError::EndedEarly);
    let (root, reason, child_status, warning) = both(line.clone()).await;
    let words = ModelError::EndedEarly.to_string();
    assert_eq!(
        (root, reason.as_deref(), child_status),
        (Status::Failed, Some(words.as_str()), Status::Failed)
    );
    assert_eq!(warning, format!("not completed: failed, {words}; take it for an unfinished lead"));
    let played = child(line).await;
    assert_eq!(played.calls, []);
    assert_eq!(end(played.report()).1, "");
    assert!(played.shown("root", 1).results()[0].2, "the parent is shown a failure as one");
}

#[tokio::test]
async fn children_that_did_not_complete_are_named_under_the_answer() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "lead"), task("t2", "explorer"), task("t3", "explorer")])),
        ("root/lead#1", calls(vec![task("t1", "explorer")])),
        ("root/lead#1/explorer#1", says("").fails(ModelError::EndedEarly)),
        ("root/lead#1", says(r#"{"summary": "Nobody found it."}"#)),
        ("root/explorer#1", calls(vec![call("c1", "files__read_file", json!({}))])),
        ("root/explorer#1", says(r#"{"summary": "so far"}"#)),
        ("root/explorer#2", says(r#"{"summary": "found"}"#)),
        ("root", says("It is pytest.")),
    ])
    .with("explorer", "max_turns = 1");
    let played = stage.play().await;
    let outcome = &played.outcome;
    let failed = ModelError::EndedEarly.to_string();
    let explain = "role `explorer` has max_turns = 1 (built-in roles.toml:15)";
    assert_eq!(
        outcome.unfinished,
        [
            Unfinished {
                agent: "root/lead#1/explorer#1".into(),
                status: Status::Failed,
                limit: None,
                reason: Some(failed.clone()),
            },
            Unfinished {
                agent: "root/explorer#1".into(),
                status: Status::BudgetExhausted,
                limit: Some("max_turns".into()),
                reason: Some(explain.into()),
            },
        ]
    );
    assert_eq!(
        outcome.answer,
        format!(
            "It is pytest.\n\n! root/lead#1/explorer#1 did not complete: failed, {failed}\n! root/explorer#1 did not \
             complete: budget_exhausted (max_turns), {explain}"
        )
    );
    assert_eq!(outcome.status, Status::Completed);
    let lead = &played.shown("root", 1).results()[0].1;
    assert!(
        lead.contains("root/lead#1/explorer#1 did not complete"),
        "a child's report names those below it: {lead}"
    );
}
