//! A server that gives one id to several calls still gets every call answered, and a history that it can read.

use remit_agent::Status;
use remit_tests::Scene;
use serde_json::{Value, json};

use crate::{ask, serve};

#[tokio::test]
async fn calls_with_one_id_are_told_apart_in_what_goes_back() {
    let call =
        |path: &str| json!({ "id": "call_0", "name": "files__read_file", "arguments": { "path": path } });
    let turn = |turn: u32, response: Value| json!({ "match": { "turnIndex": turn }, "response": response });
    let Some(server) = serve(&[
        turn(0, json!({ "toolCalls": [call("a.txt"), call("b.txt")] })),
        turn(1, json!({ "toolCalls": [call("c.txt")] })),
        turn(2, json!({ "content": "read" })),
    ]) else {
        return;
    };
    let scene = Scene::built_in();
    ["a", "b", "c"]
        .into_iter()
        .for_each(|name| scene.write(&format!("{name}.txt"), &format!("text of {name}")));
    let run = ask(&scene, &server, "Read them.").await;
    assert_eq!(run.outcome.status, Status::Completed, "{:?}", run.outcome);

    let requests = server.requests();
    let messages = requests.last().unwrap()["messages"].as_array().unwrap();
    let asked = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let asked: Vec<_> = asked.map(|call| call["id"].as_str().unwrap()).collect();
    let results: Vec<_> = messages.iter().filter(|message| message["role"] == "tool").collect();
    let answered: Vec<_> = results.iter().map(|result| result["tool_call_id"].as_str().unwrap()).collect();
    assert_eq!(asked, answered, "one result for each call, in their order");
    assert!(asked[0] != asked[1] && asked[1] != asked[2] && asked[0] != asked[2], "{asked:?}");
    for (result, name) in results.iter().zip(["a", "b", "c"]) {
        assert!(result["content"].as_str().unwrap().contains(&format!("text of {name}")), "{result}");
    }
}
