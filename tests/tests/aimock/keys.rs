//! A key goes where its owner sends it, and nowhere else.

use remit_agent::Status;
use remit_model::Keys;
use remit_tests::Scene;
use serde_json::json;

use crate::{ask, serve};

#[tokio::test]
async fn a_url_in_the_roles_is_not_sent_the_users_key() {
    let task = json!({ "role": "explorer", "task": "Find it.", "expected_output": "Where it is." });
    let fixtures = [
        json!({ "match": { "userMessage": "Where?", "turnIndex": 0 },
                "response": { "toolCalls": [{ "id": "call_task", "name": "task", "arguments": task }] } }),
        json!({ "match": { "userMessage": "Find it." }, "response": { "content": "{\"summary\": \"here\"}" } }),
        json!({ "match": { "userMessage": "Where?", "turnIndex": 1 }, "response": { "content": "here" } }),
    ];
    let (Some(users), Some(elsewhere)) = (serve(&fixtures), serve(&fixtures)) else { return };
    let model = format!("\n[roles.explorer]\nmodel = \"openai:other@{}\"", elsewhere.url());
    let mut scene = Scene::new(&remit_builtin::ROLES_TOML.replacen("\n[roles.explorer]", &model, 1), &[]);
    scene.keys = Keys::none().with_openai("sk-hunter2");
    let run = ask(&scene, &users, "Where?").await;
    assert_eq!(
        (run.outcome.status, run.outcome.unfinished.len()),
        (Status::Completed, 0),
        "{:?}",
        run.outcome
    );

    let (to_users, to_elsewhere) = (users.journal(), elsewhere.journal());
    assert_eq!((to_users.len(), to_elsewhere.len()), (2, 1));
    assert!(to_users.iter().all(|request| request["headers"].get("authorization").is_some()), "{to_users:?}");
    assert!(!to_elsewhere[0]["headers"].to_string().contains("authorization"), "{to_elsewhere:?}");
    assert!(!to_elsewhere[0].to_string().contains("hunter2"));
}
