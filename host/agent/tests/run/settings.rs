//! How each role's model is asked.

use remit_agent::{EventKind, Status};
use remit_model::{Effort, Settings, StopReason};

use crate::stage::{Line, Stage, calls, says, task};

const REPORT: &str = r#"{"summary": "It uses pytest."}"#;

#[tokio::test]
async fn each_role_is_asked_as_its_file_says_and_only_a_child_for_a_report() {
    let keys = "effort = \"low\"\ntemperature = 0.5\nmax_output_tokens = 700\n\
                model_headers = { X-Title = \"remit\" }\nmodel_body = { top_p = 0.5 }";
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "explorer")])),
        ("root/explorer#1", says(REPORT)),
        ("root", says("pytest")),
    ])
    .with("explorer", keys);
    let played = stage.play().await;
    let (root, child) = (played.shown("root", 0), played.shown("root/explorer#1", 0));
    assert_eq!((&root.settings, &root.form), (Settings::plain(), &None));
    assert_eq!(child.settings.effort, Some(Effort::Low));
    assert_eq!(child.settings.temperature.map(|t| t.to_string()).as_deref(), Some("0.5"));
    assert_eq!(child.settings.max_output_tokens, Some(700));
    assert_eq!(child.settings.headers.iter().collect::<Vec<_>>(), [("x-title", "remit")]);
    assert_eq!(child.settings.body.iter().count(), 1);
    let form = child.form.as_ref().unwrap();
    assert_eq!((form.name, form.schema["required"][0].as_str()), ("report", Some("summary")));
}

#[tokio::test]
async fn what_a_model_does_not_take_is_told() {
    let warned = Line { warning: Some("takes no such `effort`".into()), ..says("done") };
    let played = Stage::new(vec![("root", warned)]).play().await;
    assert_eq!(played.outcome.status, Status::Completed);
    let told =
        |kind: &&EventKind| matches!(kind, EventKind::Warning { text } if text == "takes no such `effort`");
    assert!(played.kinds("root").iter().any(told));
}

#[tokio::test]
async fn a_reply_that_reached_the_roles_own_length_is_a_failure_that_names_the_line() {
    let stage = Stage::new(vec![("root", says("It uses py").stop(StopReason::Length))])
        .with("root", "max_output_tokens = 3");
    let played = stage.play().await;
    assert_eq!(played.outcome.status, Status::Failed);
    assert_eq!(
        played.outcome.reason.as_deref(),
        Some("the reply was cut at max_output_tokens = 3 of role `root` (built-in roles.toml:3)")
    );
}
