//! Each limit ends what it should, is named, and leaves room for the last words.

use std::time::Duration;

use remit_agent::{EventKind, Outcome, Status};
use remit_model::{Content, StopReason, ToolChoice, Usage};
use serde_json::json;

use crate::stage::{Line, Stage, call, calls, hangs, says, task};

fn reads() -> Line {
    calls(vec![call("c", "files__read_file", json!({}))])
}

fn limit(outcome: &Outcome) -> (Status, &str) {
    (outcome.status, outcome.limit.as_deref().unwrap_or("none"))
}

#[tokio::test]
async fn a_child_at_its_limit_says_what_it_found_and_stays_unfinished() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "explorer")])),
        ("root/explorer#1", reads().tokens(100, 10)),
        ("root/explorer#1", reads().tokens(200, 10)),
        ("root/explorer#1", says(r#"{"summary": "half of it"}"#).tokens(300, 10)),
        ("root", says("done")),
    ])
    .with("explorer", "max_turns = 2");
    let played = stage.play().await;
    let last = played.shown("root/explorer#1", 2);
    assert_eq!(last.tool_choice, ToolChoice::None);
    assert_eq!(last.tools, played.shown("root/explorer#1", 0).tools, "the tools stay listed");
    let Some(Content::User { text }) = last.messages.last() else { panic!("{:?}", last.messages) };
    assert!(text.starts_with("The limit `max_turns` is reached."), "{text}");
    let report = played.report();
    assert_eq!((report.status, report.limit.as_deref()), (Status::BudgetExhausted, Some("max_turns")));
    assert_eq!(report.summary, "half of it");
    assert_eq!(report.turns, 3, "the wrap-up is counted");
    assert_eq!(report.usage, Usage { input_tokens: 600, cached_tokens: 0, output_tokens: 30 });
    assert!(played.shown("root", 1).results()[0].2, "and is shown as unfinished");
}

#[tokio::test]
async fn the_root_has_its_last_words_too() {
    let stage =
        Stage::new(vec![("root", reads()), ("root", says("So far: pytest."))]).with("root", "max_turns = 1");
    let played = stage.play().await;
    assert_eq!(limit(&played.outcome), (Status::BudgetExhausted, "max_turns"));
    assert_eq!(played.outcome.answer, "So far: pytest.");
    assert_eq!(
        played.outcome.reason.as_deref(),
        Some("role `root` has max_turns = 1 (built-in roles.toml:3)")
    );
    assert_eq!(played.outcome.status.exit_code(), 3);
}

#[tokio::test]
async fn calls_in_the_last_words_are_not_run_and_a_wrap_up_that_fails_changes_nothing() {
    for (last, answer, problem) in [
        (reads().text("So far."), "So far.", None),
        (reads(), "", Some("the reply was empty")),
        (says("").fails(remit_model::ModelError::EndedEarly), "", Some("the reply ended early")),
        (says("So").stop(StopReason::Length), "So", Some("the last words were cut at a length limit")),
    ] {
        let stage = Stage::new(vec![("root", reads()), ("root", last)]).with("root", "max_turns = 1");
        let played = stage.play().await;
        assert_eq!(limit(&played.outcome), (Status::BudgetExhausted, "max_turns"));
        assert_eq!(played.outcome.answer, answer);
        assert_eq!(played.calls.len(), 1);
        let warnings = played.outcome.warnings.join("\n");
        assert!(
            warnings.contains(problem.unwrap_or_default()) && warnings.is_empty() == problem.is_none(),
            "{warnings}"
        );
    }
}

#[tokio::test]
async fn each_limit_is_named_and_leaves_room_for_last_words() {
    for (place, keys, name) in [
        ("root", "max_turns = 1", "max_turns"),
        ("root", "max_model_calls = 1", "max_model_calls"),
        ("root", "max_tokens = 100", "max_tokens"),
        ("budget", "max_turns = 2", "budget.max_turns"),
        ("budget", "max_model_calls = 2", "budget.max_model_calls"),
        ("budget", "max_tokens = 200", "budget.max_tokens"),
    ] {
        let stage =
            Stage::new(vec![("root", reads().tokens(90, 10)), ("root", says("so far"))]).with(place, keys);
        let played = stage.play().await;
        assert_eq!(limit(&played.outcome), (Status::BudgetExhausted, name));
        assert_eq!(played.outcome.answer, "so far");
        let reached = |kind: &&EventKind| matches!(kind, EventKind::Budget { limit, .. } if limit == name);
        assert!(played.kinds("root").iter().any(reached), "{name}");
    }
}

#[tokio::test]
async fn a_tree_of_one_turn_has_no_room_for_last_words() {
    let stage = Stage::new(vec![("root", reads())]).with("budget", "max_turns = 1");
    let played = stage.play().await;
    assert_eq!(
        (limit(&played.outcome), played.outcome.figures.turns),
        ((Status::BudgetExhausted, "max_turns"), 1)
    );
}

#[tokio::test]
async fn cached_input_counts_as_tokens() {
    let mut line = reads();
    line.usage = Usage { input_tokens: 100, cached_tokens: 100, output_tokens: 0 };
    let stage = Stage::new(vec![("root", line), ("root", says("so far"))]).with("root", "max_tokens = 100");
    assert_eq!(limit(&stage.play().await.outcome), (Status::BudgetExhausted, "max_tokens"));
}

#[tokio::test]
async fn the_trees_limits_count_every_agent_and_keep_each_ones_wrap_up_aside() {
    // Of six turns the root's and the child's wrap-up are set aside, so four are left for work: one of the root's, three
    // of the child's. The root then has its own wrap-up alone.
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "explorer")])),
        ("root/explorer#1", reads()),
        ("root/explorer#1", reads()),
        ("root/explorer#1", reads()),
        ("root/explorer#1", says(r#"{"summary": "so far"}"#)),
        ("root", says("unfinished")),
    ])
    .with("budget", "max_turns = 6");
    let played = stage.play().await;
    assert_eq!(played.report().limit.as_deref(), Some("budget.max_turns"));
    assert_eq!(limit(&played.outcome), (Status::BudgetExhausted, "budget.max_turns"));
    assert_eq!(played.outcome.figures.turns, 6, "the budget is kept to the last turn");
    assert_eq!(played.outcome.reason.as_deref(), Some("[budget] has max_turns = 6 (built-in roles.toml:2)"));
}

#[tokio::test]
async fn the_trees_tokens_end_a_child_before_its_wrap_up_would_go_over() {
    // A wrap-up is taken to cost what the last turn did, and a request what the last one did and what came since.
    for (tokens, limit) in [(390, None), (400, Some("budget.max_tokens"))] {
        let stage = Stage::new(vec![
            ("root", calls(vec![task("t1", "explorer")]).tokens(100, 0)),
            ("root/explorer#1", reads().tokens(tokens, 0)),
            ("root/explorer#1", says(r#"{"summary": "so far"}"#).tokens(tokens, 0)),
            ("root", says("done").tokens(100, 0)),
        ])
        .with("budget", "max_tokens = 1000");
        let played = stage.play().await;
        assert_eq!(played.report().limit.as_deref(), limit);
        assert!(played.outcome.figures.usage.total() <= 1000);
    }
}

#[tokio::test]
async fn when_the_tree_has_no_room_nobody_is_started() {
    let stage = Stage::new(vec![("root", calls(vec![task("t1", "explorer")])), ("root", says("alone"))])
        .with("budget", "max_turns = 3");
    let played = stage.play().await;
    let (_, text, is_error) = played.shown("root", 1).results().remove(0);
    assert!(is_error);
    assert_eq!(
        text,
        "not delegated: the limit `budget.max_turns` is reached: [budget] has max_turns = 3 (built-in roles.toml:2)"
    );
    assert_eq!(played.outcome.answer, "alone");
}

#[tokio::test]
async fn delegations_are_counted_for_a_role_and_for_the_tree() {
    for (place, keys, name) in [
        ("root", "max_delegations = 1", "max_delegations"),
        ("budget", "max_delegations = 1", "max_delegations"),
    ] {
        let stage = Stage::new(vec![
            ("root", calls(vec![task("t1", "explorer"), task("t2", "explorer")])),
            ("root/explorer#1", says(r#"{"summary": "a"}"#)),
            ("root", says("done")),
        ])
        .with(place, keys);
        let played = stage.play().await;
        let results = played.shown("root", 1).results();
        assert!(!results[0].2 && results[1].2);
        assert!(results[1].1.contains(&format!("the limit `{name}` is reached")), "{}", results[1].1);
        assert_eq!(played.outcome.status, Status::Completed, "who may not delegate can still go on");
    }
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "lead"), task("t2", "explorer")])),
        ("root/lead#1", calls(vec![task("t1", "explorer")])),
        ("root/lead#1/explorer#1", says(r#"{"summary": "a"}"#)),
        ("root/lead#1", says(r#"{"summary": "b"}"#)),
        ("root", says("done")),
    ])
    .with("budget", "max_delegations = 2")
    .with("root", "max_delegations = 2")
    .with("lead", "max_delegations = 2");
    let played = stage.play().await;
    let refused = &played.shown("root", 1).results()[1].1;
    assert!(refused.contains("the limit `budget.max_delegations` is reached"), "{refused}");
}

#[tokio::test]
async fn at_the_depth_that_is_allowed_task_is_neither_shown_nor_there() {
    for (place, keys) in [("budget", "max_depth = 1"), ("root", "max_depth = 1"), ("lead", "max_depth = 0")] {
        let stage = Stage::new(vec![
            ("root", calls(vec![task("t1", "lead")])),
            ("root/lead#1", calls(vec![task("t1", "explorer")])),
            ("root/lead#1", says(r#"{"summary": "alone"}"#)),
            ("root", says("done")),
        ])
        .with(place, keys);
        let played = stage.play().await;
        assert_eq!(played.shown("root/lead#1", 0).tools, [] as [&str; 0], "{place}");
        let refused = &played.shown("root/lead#1", 1).results()[0].1;
        assert!(refused.starts_with("not run: no agent may be started from here (max_depth, "), "{refused}");
        assert_eq!(played.outcome.figures.delegations, 1);
    }
}

#[tokio::test]
async fn wall_clock_ends_a_model_that_does_not_answer() {
    let stage =
        Stage::new(vec![("root", hangs()), ("root", says("so far"))]).with("root", "wall_clock = \"20ms\"");
    let played = stage.play().await;
    assert_eq!(limit(&played.outcome), (Status::BudgetExhausted, "wall_clock"));
    assert_eq!(played.outcome.answer, "so far");
}

#[tokio::test]
async fn wall_clock_ends_a_tool_and_every_call_has_its_result() {
    let waits = calls(vec![call("a", "files__wait", json!({})), call("b", "files__read_file", json!({}))]);
    let stage =
        Stage::new(vec![("root", waits), ("root", says("so far"))]).with("root", "wall_clock = \"1s\"");
    let used = stage.props.used.clone();
    let played = stage.play().await;
    assert_eq!(limit(&played.outcome), (Status::BudgetExhausted, "wall_clock"));
    let last = played.shown("root", 1);
    let results: Vec<&str> = last
        .messages
        .iter()
        .filter_map(|message| match message {
            Content::ToolResult { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(
        results,
        ["stopped: the limit `wall_clock` is reached", "not run: the limit `wall_clock` is reached"]
    );
    assert_eq!(*used.dropped.lock().unwrap(), 1);
}

#[tokio::test]
async fn a_child_ends_within_its_parents_time_and_says_whose_it_was() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "explorer")])),
        ("root/explorer#1", hangs()),
        ("root/explorer#1", says(r#"{"summary": "so far"}"#)),
        ("root", says("in time")),
    ])
    .with("root", "wall_clock = \"2s\"")
    .with("explorer", "wall_clock = \"1h\"");
    let played = stage.play().await;
    let report = played.report();
    assert_eq!((report.limit.as_deref(), report.summary.as_str()), (Some("wall_clock of root"), "so far"));
    assert_eq!(
        (played.outcome.status, played.outcome.answer.starts_with("in time")),
        (Status::Completed, true)
    );
}

#[tokio::test]
async fn where_few_tokens_are_left_the_reply_is_asked_to_be_short() {
    let stage = Stage::new(vec![
        ("root", reads().tokens(450, 0)),
        ("root", says("So").stop(StopReason::Length)),
        ("root", says("so far")),
    ])
    .with("root", "max_tokens = 1000");
    let played = stage.play().await;
    // Of the 550 that are left, the request takes 450 and what came since.
    assert_eq!(played.shown("root", 1).max_output_tokens, Some(98));
    assert_eq!(limit(&played.outcome), (Status::BudgetExhausted, "max_tokens"));
    assert_eq!(played.outcome.answer, "so far");
}

#[tokio::test]
async fn a_model_that_does_not_count_is_counted_for() {
    let stage = Stage::new(vec![("root", reads().tokens(0, 0)), ("root", says("so far").tokens(0, 0))])
        .with("root", "max_tokens = 100");
    let played = stage.play().await;
    assert_eq!(limit(&played.outcome), (Status::BudgetExhausted, "max_tokens"));
    assert!(played.outcome.figures.tokens_estimated && played.outcome.figures.usage.total() > 100);
}

/// A person's time is not the agent's. The clock stands still but for what is waited for.
#[tokio::test(start_paused = true)]
async fn waiting_for_a_person_counts_for_no_wall_clock() {
    let stage = crate::ledger::editing(Stage::new(vec![
        ("root", calls(vec![task("t1", "editor")])),
        ("root/editor#1", calls(vec![crate::ledger::write("c1", "src/a.rs")])),
        ("root/editor#1", says(r#"{"summary": "a"}"#)),
        ("root", says("done")),
    ]))
    .with("editor", "approve = [\"write\"]\nwall_clock = \"400ms\"")
    .with("root", "wall_clock = \"500ms\"")
    .with("budget", "wall_clock = \"600ms\"");
    let used = stage.props.used.clone();
    let played = stage.person(&crate::stage::Person::who_thinks_for(Duration::from_secs(1))).play().await;
    assert_eq!(played.outcome.status, Status::Completed, "{:?}", played.outcome);
    assert_eq!(played.report().status, Status::Completed);
    assert_eq!(*used.written.lock().unwrap(), ["src/a.rs"]);
    assert!(played.outcome.figures.duration_ms >= 1000, "the figures tell the time that it took");
}
