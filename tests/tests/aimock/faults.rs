//! A server that fails fails the agent that asked it, in clear words, and nothing of half a reply is done.

use remit_agent::{EventKind, Status};
use remit_tests::{Run, Scene};
use serde_json::{Value, json};

use crate::{ask, serve};

/// A way to fail: what the server does, and what is said of it.
struct Fault {
    name: &'static str,
    fixture: Value,
    words: &'static str,
}

fn faults() -> [Fault; 6] {
    let error = |status: u32, message: &str| {
        let error = json!({ "message": message, "type": "server_error" });
        json!({ "response": { "error": error, "status": status } })
    };
    let answer = json!({ "content": "never to be taken for an answer" });
    let calls = json!({ "toolCalls": [
        { "id": "call_1", "name": "files__list_files", "arguments": {} },
        { "id": "call_2", "name": "files__read_file", "arguments": { "path": "a/path/longer/than/one/chunk.txt" } },
    ] });
    [
        Fault {
            name: "fault-overload",
            fixture: error(500, "no capacity left"),
            words: "answered 500: no capacity left",
        },
        Fault { name: "fault-rate", fixture: error(429, "slow down"), words: "answered 429: slow down" },
        Fault {
            name: "fault-page",
            fixture: json!({ "response": answer, "chaos": { "malformedRate": 1 } }),
            words: "answered 200: {malformed json",
        },
        Fault {
            name: "fault-drop",
            fixture: json!({ "response": answer, "chaos": { "disconnectRate": 1 } }),
            words: "no connection to http://127.0.0.1:",
        },
        // One whole call has come, and the first part of the second one's arguments.
        Fault {
            name: "fault-cut-call",
            fixture: json!({ "response": calls, "latency": 1, "truncateAfterChunks": 6 }),
            words: "the reply ended early",
        },
        Fault {
            name: "fault-cut-text",
            fixture: json!({ "response": answer, "latency": 1, "truncateAfterChunks": 2 }),
            words: "the reply ended early",
        },
    ]
}

/// Each fault meets the agent whose prompt or task is `die of NAME`; a root told `delegate to NAME` has such a child.
fn fixtures() -> Vec<Value> {
    let mut fixtures = Vec::new();
    for fault in faults() {
        let (dies, delegates) = (format!("die of {}", fault.name), format!("delegate to {}", fault.name));
        let mut fixture = fault.fixture;
        fixture["match"] = json!({ "userMessage": dies, "turnIndex": 0 });
        fixtures.push(fixture);
        let task = json!({ "role": "explorer", "task": dies, "expected_output": "Nothing." });
        fixtures.push(json!({
            "match": { "userMessage": delegates, "turnIndex": 0 },
            "response": { "toolCalls": [{ "id": "call_task", "name": "task", "arguments": task }] },
        }));
        fixtures.push(json!({
            "match": { "userMessage": delegates, "turnIndex": 1, "toolCallId": "call_task" },
            "response": { "content": "Nobody found it." },
        }));
    }
    fixtures
}

/// How many replies were taken from the model of this agent, and calls made or turned down.
fn taken(run: &Run, agent: &str) -> usize {
    let is_call = |kind: &EventKind| {
        matches!(
            kind,
            EventKind::ToolStarted { .. } | EventKind::ToolFinished { .. } | EventKind::ModelReply { .. }
        )
    };
    run.kinds(agent).iter().filter(|kind| is_call(kind)).count()
}

#[tokio::test]
async fn the_run_fails_with_the_servers_words_where_the_root_is_not_answered() {
    let Some(server) = serve(&fixtures()) else { return };
    let scene = Scene::built_in();
    for Fault { name, words, .. } in faults() {
        let run = ask(&scene, &server, &format!("die of {name}")).await;
        let outcome = &run.outcome;
        assert_eq!((outcome.status, outcome.status.exit_code()), (Status::Failed, 4), "{name}: {outcome:?}");
        assert!(outcome.reason.as_ref().is_some_and(|reason| reason.contains(words)), "{name}: {outcome:?}");
        assert_eq!(outcome.answer, "", "{name}");
        assert_eq!((taken(&run, "root"), outcome.figures.tool_calls), (0, 0), "{name}");
    }
}

#[tokio::test]
async fn a_child_that_is_not_answered_is_a_failure_that_its_parent_and_the_user_are_told_of() {
    let Some(server) = serve(&fixtures()) else { return };
    let scene = Scene::built_in();
    for Fault { name, words, .. } in faults() {
        let run = ask(&scene, &server, &format!("delegate to {name}")).await;
        let outcome = &run.outcome;
        assert_eq!(outcome.status, Status::Completed, "{name}: the root's own end decides");
        let [child] = &outcome.unfinished[..] else { panic!("{name}: {outcome:?}") };
        assert_eq!((child.agent.as_str(), child.status), ("root/explorer#1", Status::Failed), "{name}");
        assert!(
            outcome.answer.starts_with("Nobody found it.\n\n! root/explorer#1 did not complete: failed, ")
                && outcome.answer.contains(words),
            "{name}: {}",
            outcome.answer
        );
        assert_eq!((taken(&run, "root/explorer#1"), outcome.figures.tool_calls), (0, 1), "{name}");

        // On the wire, a result that says of itself that it is an error.
        let requests = server.requests();
        let last = requests.last().and_then(|request| request["messages"].as_array()?.last()).unwrap();
        assert_eq!(last["tool_call_id"], "call_task", "{name}");
        let told = last["content"].as_str().unwrap();
        assert!(
            told.starts_with("error: ") && told.contains(r#""status":"failed""#) && told.contains(words),
            "{name}: {told}"
        );
    }
}
