//! Runs whose tools are the built-in components, in the sandbox.

use remit_agent::{ChosenModels, SandboxToolboxes, Status};
use remit_model::{Keys, ModelChoice};
use remit_sandbox::{Origin, PluginSource, Sandbox, SandboxConfig, Workspace};
use serde_json::json;

use crate::stage::{Stage, call, calls, says, task};

/// Toolboxes of the built-in plugins, and of an `edit` that can't be loaded.
fn sandboxed(stage: Stage) -> Stage {
    components(stage, Some(b"no component"))
}

/// Toolboxes of the built-in plugins, and perhaps another `edit`.
pub(crate) fn components(stage: Stage, edit: Option<&'static [u8]>) -> Stage {
    let sandbox = Sandbox::new(&SandboxConfig { concurrency: 2, ..SandboxConfig::default() }).unwrap();
    let workspace = Workspace::open(stage.workspace.path()).unwrap();
    let source = |name: &str, bytes: &'static [u8]| PluginSource {
        name: name.to_owned(),
        origin: Origin::BuiltIn,
        bytes: bytes.into(),
        wit: None,
    };
    let mut sources: Vec<PluginSource> =
        remit_builtin::PLUGINS.iter().map(|plugin| source(plugin.name, plugin.bytes)).collect();
    sources.extend(edit.map(|bytes| source("edit", bytes)));
    stage.toolboxes(SandboxToolboxes::new(sandbox, workspace, sources))
}

#[tokio::test]
async fn a_child_reads_what_its_role_may_read_and_is_told_the_line_where_it_may_not() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "explorer")])),
        (
            "root/explorer#1",
            calls(vec![
                call("a", "search__grep", json!({ "pattern": "needle" })),
                call("b", "files__read_file", json!({ "path": "src/hay.txt" })),
                call("c", "files__read_file", json!({ "path": "src/.env" })),
                call("d", "files__read_file", json!({ "path": "src/hay.txt", "lines": -1 })),
                call("e", "files__read_file", json!({ "path": "top.txt" })),
            ]),
        ),
        ("root/explorer#1", says(r#"{"summary": "found", "evidence": ["src/hay.txt:2"]}"#)),
        ("root", says("src/hay.txt")),
    ]);
    for (path, text) in [("src/hay.txt", "hay\nneedle\n"), ("src/.env", "needle"), ("top.txt", "needle")] {
        std::fs::write(stage.workspace.path().join(path), text).unwrap();
    }
    let played = sandboxed(stage).play().await;
    assert_eq!(played.outcome.status, Status::Completed);
    let results = played.shown("root/explorer#1", 1).results();
    let [(_, hits, false), (_, read, false), (_, hidden, true), (_, misfit, true), (_, outside, true)] =
        &results[..]
    else {
        panic!("{results:#?}")
    };
    assert!(hits.contains("src/hay.txt") && !hits.contains(".env") && !hits.contains("top.txt"), "{hits}");
    assert!(read.contains("needle"), "{read}");
    assert!(
        hidden.contains("src/.env")
            && hidden.contains("(grants of role `explorer`: built-in roles.toml:17)")
            && !hidden.contains("needle"),
        "{hidden}"
    );
    assert!(misfit.contains("lines: expected"), "{misfit}");
    assert!(!outside.contains("needle"), "{outside}");
}

#[tokio::test]
async fn a_child_that_was_narrowed_finds_nothing_elsewhere() {
    let narrowed = json!({ "role": "explorer", "task": "t", "expected_output": "o", "paths": ["src/inner"] });
    let stage = Stage::new(vec![
        ("root", calls(vec![call("t1", "task", narrowed)])),
        ("root/explorer#1", calls(vec![call("a", "search__grep", json!({ "pattern": "needle" }))])),
        ("root/explorer#1", says(r#"{"summary": "found"}"#)),
        ("root", says("done")),
    ]);
    for path in ["src/outer.txt", "src/inner/in.txt", "docs/doc.txt"] {
        std::fs::write(stage.workspace.path().join(path), "needle\n").unwrap();
    }
    let played = sandboxed(stage).play().await;
    let (_, hits, _) = played.shown("root/explorer#1", 1).results().remove(0);
    assert!(
        hits.contains("src/inner/in.txt") && !hits.contains("outer") && !hits.contains("doc.txt"),
        "{hits}"
    );
}

#[tokio::test]
async fn a_component_that_no_role_at_work_names_is_never_loaded() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "explorer"), task("t2", "editor")])),
        ("root/explorer#1", calls(vec![call("a", "edit__write_file", json!({}))])),
        ("root/explorer#1", says(r#"{"summary": "could not"}"#)),
        ("root", says("done")),
    ])
    .replaced(r#""explorer", "lead""#, r#""explorer", "editor""#);
    let played = sandboxed(stage).play().await;
    let explorer = &played.shown("root/explorer#1", 1).results()[0];
    assert!(explorer.2 && explorer.1.starts_with("not run: `edit__write_file` is not among"), "{explorer:?}");
    let editor = &played.shown("root", 1).results()[1];
    assert!(
        editor.2 && editor.1.starts_with("not delegated: role `editor` can't be started: plugin `edit`"),
        "{editor:?}"
    );
    assert_eq!(played.outcome.figures.delegations, 1);
}

#[tokio::test]
async fn without_a_model_the_built_in_roles_answer_a_question_with_a_place() {
    let models = ChosenModels::new(&ModelChoice::parse("offline").unwrap(), Keys::none()).unwrap();
    let stage = Stage::new(vec![]).roles(remit_builtin::ROLES_TOML).models(models);
    let manifest = "[project]\nname = \"shop\"\n\n[project.optional-dependencies]\ntest = [\"pytest>=8\"]\n";
    let test = "import pytest\n\n\ndef test_total():\n    assert 1 + 1 == 2\n";
    for (path, text) in
        [("pyproject.toml", manifest), ("src/test_total.py", test), ("docs/notes.md", "# Notes\n")]
    {
        std::fs::write(stage.workspace.path().join(path), text).unwrap();
    }
    let played = sandboxed(stage).play().await;
    assert_eq!(played.outcome.status, Status::Completed, "{:?}", played.outcome);
    assert!(played.outcome.answer.contains("pyproject.toml:5"), "{}", played.outcome.answer);
    let report = played.report();
    assert_eq!((report.status, report.agent.as_str()), (Status::Completed, "root/explorer#1"));
    assert!(!report.evidence.is_empty() && played.outcome.figures.kept_out_bytes > 0, "{report:?}");
}
