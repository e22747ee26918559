//! A server that misbehaves on purpose and judges how its client takes it: every way that it knows, through each protocol.

#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers belong to tests")]

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use remit_agent::roles::Role;
use remit_agent::{Models, Outcome, Patience, Status};
use remit_model::{Endpoint, Keys, Model, ModelError, Protocol, Provider, Timeouts};
use remit_tests::{PeerServer, Scene};
use serde_json::{Value, json};

/// One model, asked with waits that a test can bear and yet are waits.
struct Impatient(Arc<dyn Model>);

impl Models for Impatient {
    fn of(&self, _: &Role) -> Result<Arc<dyn Model>, ModelError> {
        Ok(self.0.clone())
    }

    fn patience(&self) -> Patience {
        let mut patience = Patience::default();
        patience.first = Duration::from_millis(100);
        patience
    }
}

/// What the server does, and how a run then ends.
fn behaviours() -> Vec<(Value, Status)> {
    let mut all = Vec::new();
    for status in [408, 409, 429, 500, 502, 503, 504, 529] {
        all.push((json!({ "type": "fail", "status": status, "times": 2 }), Status::Completed));
    }
    for status in [400, 401, 403, 404, 422] {
        all.push((json!({ "type": "fail", "status": status, "times": 1 }), Status::Failed));
    }
    all.push((json!({ "type": "fail", "status": 429, "retry_after": 1, "times": 1 }), Status::Completed));
    for kind in ["disconnect", "truncate", "malformed"] {
        for chunks in [0, 1, 3] {
            let fault = json!({ "type": "stream_fault", "kind": kind, "after_chunks": chunks });
            all.push((fault, Status::Completed));
        }
    }
    let stall = json!({ "type": "stream_fault", "kind": "stall", "after_chunks": 2, "stall_seconds": 4 });
    all.push((stall, Status::Completed));
    for kind in ["malformed_arguments", "unknown_tool"] {
        all.push((json!({ "type": "tool_fault", "kind": kind }), Status::Completed));
    }
    all.push((json!({ "type": "delay", "seconds": 0.2 }), Status::Completed));
    all.push((json!({ "type": "slow_first_token", "seconds": 0.2 }), Status::Completed));
    let calls = json!([
        { "name": "files__list_files", "arguments": {} },
        { "name": "files__find_files", "arguments": { "pattern": "*.txt" } },
    ]);
    all.push((json!({ "type": "reply", "text": "Both.", "tool_calls": calls }), Status::Completed));
    all.push((json!({ "type": "reply", "text": "Wörter, 词 🦀" }), Status::Completed));
    all.push((json!({ "type": "reply", "text": "cut", "finish_reason": "length" }), Status::Failed));
    all
}

async fn run(scene: &Scene, model: &Arc<dyn Model>, prompt: &str) -> Outcome {
    let run = scene.run_with("explorer", Arc::new(Impatient(model.clone())), prompt).await;
    run.unwrap().outcome
}

/// Lets the server do everything that it knows to a client of `protocol`, and hears what it thinks of it.
async fn judged(protocol: Protocol, base: &str) {
    let Some(program) = remit_tests::peer("llmock", "llmock/bin/llmock") else { return };
    let mut command = Command::new(&program);
    // With a moment between two chunks it notices that a client stops reading.
    command
        .args(["serve", "-p", "0", "--stream-chunk-delay-ms", "10"])
        .env("PYTHONPATH", program.parent().unwrap().parent().unwrap());
    let server =
        PeerServer::start(&mut command, "running on http://").unwrap_or_else(|error| panic!("{error}"));
    let ask = |method: &str, path: &str, body: &str| -> Value {
        let answer = server.ask(method, path, body).unwrap_or_else(|error| panic!("{error}"));
        serde_json::from_str(&answer).unwrap()
    };
    let scene = Scene::built_in();
    scene.write("a.txt", "text");
    let endpoint = Endpoint::at(protocol, &format!("http://{}/{base}", server.address())).unwrap();
    let timeouts = Timeouts { idle: Duration::from_millis(1500), ..Timeouts::default() };
    let model: Arc<dyn Model> =
        Arc::new(Provider::with_timeouts("mock", endpoint, &Keys::none(), timeouts).unwrap());
    for (number, (behaviour, status)) in behaviours().into_iter().enumerate() {
        ask("POST", "/_llmock/scenario", &json!({ "behaviors": [behaviour] }).to_string());
        // Each question is another one, so that none is taken for a repetition.
        let outcome = run(&scene, &model, &format!("Question {number}: which text files are there?")).await;
        assert_eq!(outcome.status, status, "{behaviour}: {outcome:?}");
        assert!(status != Status::Completed || !outcome.answer.is_empty(), "{behaviour}");
        let pending = ask("GET", "/_llmock/scenario", "");
        assert_eq!(pending["pending"], json!([]), "{behaviour}: it did not happen");
    }
    let verdict = ask("GET", "/_llmock/verdict", "");
    assert_eq!((&verdict["errors"], &verdict["warnings"]), (&json!(0), &json!(0)), "{verdict:#}");
    assert!(verdict["faults_injected"].as_u64().is_some_and(|faults| faults > 20), "{verdict:#}");
}

#[tokio::test]
async fn no_fault_is_found_with_the_client_of_chat_completions() {
    judged(Protocol::ChatCompletions, "v1").await;
}

#[tokio::test]
async fn no_fault_is_found_with_the_client_of_messages() {
    judged(Protocol::Messages, "anthropic").await;
}

#[tokio::test]
async fn no_fault_is_found_with_the_client_of_responses() {
    judged(Protocol::Responses, "v1").await;
}
