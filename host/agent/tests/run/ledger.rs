//! What was really done, against what is said.

use remit_agent::{ChangeKind, Entry, EventKind, Observed, Status, ToolOutcome};
use serde_json::json;

use crate::stage::{Stage, call, calls, change, says, task};

/// A root that may delegate to an editor, and an editor that may write and delegate to another.
pub(crate) const ROLES: &str = r#"
[ceiling]
read = ["."]
write = ["src"]

[roles.root]
description = "Plans."
tools = ["task"]
delegates = ["editor", "lead"]
read = ["."]

[roles.lead]
description = "Leads."
tools = ["edit.*", "task"]
delegates = ["editor"]
write = ["src"]

[roles.editor]
description = "Edits."
tools = ["edit.*", "files.*"]
read = ["."]
write = ["src"]
"#;

pub(crate) fn write(id: &str, path: &str) -> remit_model::ToolCall {
    call(id, "edit__write_file", json!({ "path": path }))
}

/// Every `edit.write_file` creates the file that its arguments name.
pub(crate) fn editing(stage: Stage) -> Stage {
    stage.roles(ROLES).changes("edit.write_file", |arguments| {
        let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
        vec![change(arguments["path"].as_str().unwrap(), ChangeKind::Created, 3, 0)]
    })
}

#[tokio::test]
async fn a_child_that_claims_what_it_never_did_is_told_of_in_its_parents_report() {
    let reply = r#"{"summary": "Fixed, all tests pass.", "evidence": ["src/a.rs:3", {"path": "src/ghost.rs", "line": 7},
        "./src/a.rs"], "changes": [{"path": "src/a.rs"}, "src/never.rs +3"], "verification": [{"command": "cargo test"}]}"#;
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "editor")])),
        (
            "root/editor#1",
            calls(vec![
                call("c1", "files__read_file", json!({ "path": "src/a.rs" })),
                write("c2", "src/a.rs"),
            ]),
        ),
        ("root/editor#1", says(reply)),
        ("root", says("done")),
    ])
    .tool("files.read_file", |_| ToolOutcome { text: "src/a.rs\n2\tx\n3\ty".into(), ..Default::default() })
    .effects("files.read_file", |_| vec![Entry::Read { path: "src/a.rs".into(), bytes: 4 }]);
    let played = editing(stage).play().await;
    let report = played.report();
    let observed: Vec<_> = report.evidence.iter().map(|place| place.observed.unwrap()).collect();
    assert_eq!(observed, [Observed::Shown, Observed::No, Observed::Shown]);
    let changes: Vec<_> = report.changes.iter().map(|c| (c.path.as_str(), c.kind, c.added)).collect();
    assert_eq!(changes, [("src/a.rs", ChangeKind::Created, 3)]);
    assert_eq!(
        report.warnings,
        [
            "dropped from the report, as not the child's to say: `changes`, `verification`",
            "named as evidence, though no tool of this agent opened it: `src/ghost.rs:7`",
            "claimed as changed, though nothing of it was changed: `src/never.rs`",
            "it claims to have run something, and ran no command",
        ]
    );
    assert!(played.shown("root", 1).results()[0].1.contains("\"verification\":[],"));
}

#[tokio::test]
async fn a_report_names_the_changes_of_the_agents_below_and_the_outcome_all() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "lead")])),
        ("root/lead#1", calls(vec![write("c1", "src/own.rs"), task("t1", "editor")])),
        ("root/lead#1/editor#1", calls(vec![write("c1", "src/below.rs")])),
        ("root/lead#1/editor#1", says(r#"{"summary": "a"}"#)),
        ("root/lead#1", says(r#"{"summary": "b"}"#)),
        ("root", says("c")),
    ]);
    let played = editing(stage).play().await;
    let by = |changes: &[remit_agent::NetChange]| -> Vec<(String, Option<String>)> {
        changes.iter().map(|change| (change.path.clone(), change.agent.clone())).collect()
    };
    let reports: Vec<_> = played
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Report { report, .. } => Some(by(&report.changes)),
            _ => None,
        })
        .collect();
    let below = || Some("root/lead#1/editor#1".to_owned());
    assert_eq!(reports[0], [("src/below.rs".to_owned(), None)]);
    assert_eq!(reports[1], [("src/below.rs".to_owned(), below()), ("src/own.rs".to_owned(), None)]);
    let lead = Some("root/lead#1".to_owned());
    assert_eq!(
        by(&played.outcome.changes),
        [("src/below.rs".to_owned(), below()), ("src/own.rs".to_owned(), lead)]
    );
}

#[tokio::test]
async fn what_a_call_did_is_recorded_before_its_result_and_what_it_would_change_before_it_does() {
    let stage = Stage::new(vec![("root", calls(vec![write("c1", "src/a.rs")])), ("root", says("done"))])
        .role("editor");
    let played = editing(stage).play().await;
    let kinds = played.kinds("root");
    let told: Vec<&EventKind> = kinds
        .into_iter()
        .filter(|kind| {
            matches!(
                kind,
                EventKind::Staged { .. } | EventKind::Effects { .. } | EventKind::ToolFinished { .. }
            )
        })
        .collect();
    let [
        EventKind::Staged { files, .. },
        EventKind::Effects { effects, more: 0, .. },
        EventKind::ToolFinished { text, .. },
    ] = &told[..]
    else {
        panic!("{told:#?}")
    };
    assert_eq!(files.len(), 1);
    assert!(matches!(&effects[..], [Entry::Changed { path, .. }] if path == "src/a.rs"), "{effects:?}");
    assert!(text.starts_with("edit.write_file"), "{text}");
}

#[tokio::test]
async fn a_result_says_at_its_end_what_was_changed_if_the_tool_did_not() {
    let stage = Stage::new(vec![("root", calls(vec![write("c1", "src/a.rs")])), ("root", says("done"))])
        .role("editor")
        .tool("edit.write_file", |_| ToolOutcome { text: "ok".into(), ..Default::default() });
    let played = editing(stage).play().await;
    assert_eq!(played.shown("root", 1).results()[0].1, "ok\n[changed: src/a.rs created, 3 lines]");
}

#[tokio::test]
async fn a_file_that_changed_meanwhile_is_a_conflict_that_the_model_is_told_and_nothing_is_written() {
    let stage = Stage::new(vec![("root", calls(vec![write("c1", "src/a.rs")])), ("root", says("done"))])
        .role("editor");
    *stage.props.used.conflict.lock().unwrap() = Some("`src/a.rs` has changed on the disk meanwhile".into());
    let played = editing(stage).play().await;
    let (_, text, is_error) = played.shown("root", 1).results().remove(0);
    assert_eq!(
        (text.as_str(), is_error),
        ("nothing was written: `src/a.rs` has changed on the disk meanwhile", true)
    );
    assert_eq!((played.outcome.status, &played.outcome.changes[..]), (Status::Completed, &[][..]));
}

#[tokio::test]
async fn of_a_call_that_failed_nothing_is_written() {
    let stage = Stage::new(vec![("root", calls(vec![write("c1", "src/a.rs")])), ("root", says("done"))])
        .role("editor");
    let used = stage.props.used.clone();
    let stage = stage.tool("edit.write_file", |_| ToolOutcome::error("half done"));
    let played = editing(stage).play().await;
    assert_eq!(*used.written.lock().unwrap(), [] as [&str; 0]);
    assert!(!played.kinds("root").iter().any(|kind| matches!(kind, EventKind::Staged { .. })));
}

#[tokio::test]
async fn a_denied_file_denies_the_whole_call_and_is_named_with_its_line() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "editor")])),
        ("root/editor#1", calls(vec![write("c1", "src/a.rs"), write("c2", "src/deep/Cargo.LOCK")])),
        ("root/editor#1", says(r#"{"summary": "a"}"#)),
        ("root", says("done")),
    ]);
    let used = stage.props.used.clone();
    let stage = editing(stage).with("editor", "deny = [\"write **/*.lock\"]\nallow = [\"write **\"]");
    let played = stage.play().await;
    assert_eq!(*used.written.lock().unwrap(), ["src/a.rs"]);
    let (_, text, is_error) = played.shown("root/editor#1", 1).results().remove(1);
    assert!(
        is_error
            && text.starts_with(
                "not written: `write **/*.lock` is denied to role `editor` (built-in roles.toml:"
            ),
        "{text}"
    );
    let warnings = &played.report().warnings;
    assert!(
        warnings[0].contains("tried, and was refused: write `src/deep/Cargo.LOCK`: not written"),
        "{warnings:?}"
    );
}

#[tokio::test]
async fn what_a_call_did_before_it_was_given_up_is_known() {
    let stage =
        Stage::new(vec![("root", calls(vec![call("a", "files__wait", json!({}))])), ("root", says("done"))])
            .with("root", "call_time = \"1ms\"")
            .effects("files.wait", |_| vec![Entry::Read { path: "src/main.rs".into(), bytes: 0 }]);
    let played = stage.play().await;
    let read = played.kinds("root").into_iter().any(
        |kind| matches!(kind, EventKind::Effects { effects, .. } if matches!(effects[..], [Entry::Read { .. }])),
    );
    assert!(read);
}

#[tokio::test]
async fn an_event_holds_some_thousand_effects_and_counts_the_rest() {
    let stage = Stage::new(vec![
        ("root", calls(vec![call("a", "files__read_file", json!({}))])),
        ("root", says("done")),
    ])
    .effects("files.read_file", |_| {
        (0..5000).map(|n| Entry::Read { path: format!("src/{n}.rs"), bytes: 1 }).collect()
    });
    let played = stage.play().await;
    let held = played.kinds("root").into_iter().find_map(|kind| match kind {
        EventKind::Effects { effects, more, .. } => Some((effects.len(), *more)),
        _ => None,
    });
    assert_eq!(held, Some((2000, 3000)));
}
