use std::path::Path;

use futures::FutureExt;

use super::*;
use crate::Settings;
use crate::chat::{Reply, StopReason, ToolCall, ToolChoice, ToolSet, Transcript, Usage, collect};

fn script(text: &str) -> Script {
    Script::parse(Path::new("s.toml"), text).unwrap()
}

fn refused(text: &str) -> String {
    Script::parse(Path::new("s.toml"), text).unwrap_err().to_string()
}

async fn ask(script: &Script, agent: &str, role: &str) -> Result<Reply, ModelError> {
    let (transcript, tools) = (Transcript::new(), ToolSet::default());
    let request = Request {
        agent,
        role,
        system: "",
        transcript: &transcript,
        tools: &tools,
        tool_choice: ToolChoice::Auto,
        max_output_tokens: None,
        settings: Settings::plain(),
        form: None,
    };
    collect(script.ask(request), |_| {}).await
}

fn text(text: &str) -> Reply {
    Reply {
        warnings: Vec::new(),
        text: text.into(),
        calls: Vec::new(),
        parts: None,
        usage: Usage::default(),
        stop: StopReason::End,
    }
}

#[tokio::test]
async fn each_agent_takes_its_own_turns_in_the_files_order() {
    let script = script(
        r#"
        [[turn]]
        role = "explorer"
        text = "one"
        [[turn]]
        agent = "root"
        text = "root"
        [[turn]]
        agent = "root/explorer#2"
        text = "two, of the second alone"
        [[turn]]
        role = "explorer"
        text = "three"
        "#,
    );
    assert_eq!(ask(&script, "root/explorer#2", "explorer").await, Ok(text("one")));
    assert_eq!(ask(&script, "root/explorer#1", "explorer").await, Ok(text("one")));
    assert_eq!(ask(&script, "root", "root").await, Ok(text("root")));
    assert_eq!(ask(&script, "root/explorer#1", "explorer").await, Ok(text("three")));
    assert_eq!(ask(&script, "root/explorer#2", "explorer").await, Ok(text("two, of the second alone")));
    assert_eq!(ask(&script, "root/explorer#2", "explorer").await, Ok(text("three")));
}

#[tokio::test]
async fn running_out_says_whose_turns_they_were() {
    let script = script("[[turn]]\nrole = \"explorer\"\ntext = \"x\"\n");
    let error = ask(&script, "root", "root").await.unwrap_err();
    assert_eq!(error.to_string(), "s.toml: no turn for agent `root`, nor for its role `root`");
    ask(&script, "root/explorer#1", "explorer").await.unwrap();
    let error = ask(&script, "root/explorer#1", "explorer").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "s.toml: no further turn for agent `root/explorer#1` (role `explorer`): it has taken its only one"
    );
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn calls_are_named_as_in_files_or_on_the_wire_and_broken_arguments_stay_broken() {
    let script = script(
        r#"
        [[turn]]
        agent = "root"
        text = "looking"
        calls = [
            { tool = "files.read_file", args = { path = "a.rs", start = 3, deep = { x = [1.5, true] } } },
            { tool = "task", args = '{"role": broken', id = "mine" },
            { tool = "files__list_files" },
        ]
        usage = { input = 10, cached = 4, output = 2 }
        [[turn]]
        agent = "root"
        calls = [{ tool = "task" }]
        stop = "length"
        "#,
    );
    let call = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    let reply = ask(&script, "root", "root").await.unwrap();
    assert_eq!(
        reply,
        Reply {
            warnings: Vec::new(),
            text: "looking".into(),
            calls: vec![
                call("call_1_1", "files__read_file", r#"{"deep":{"x":[1.5,true]},"path":"a.rs","start":3}"#),
                call("mine", "task", r#"{"role": broken"#),
                call("call_1_3", "files__list_files", "{}"),
            ],
            parts: None,
            usage: Usage { input_tokens: 10, cached_tokens: 4, output_tokens: 2 },
            stop: StopReason::ToolUse,
        }
    );
    let reply = ask(&script, "root", "root").await.unwrap();
    assert_eq!((reply.stop, reply.calls[0].id.as_str()), (StopReason::Length, "call_2_1"));
}

#[tokio::test]
async fn faults_fail_as_the_real_thing_does_and_take_their_turn() {
    let script = script(
        r#"
        turn = [
            { agent = "root", fault = "http-429" },
            { agent = "root", text = "half a", fault = "disconnect" },
            { agent = "root", text = "half a", fault = "bad-json" },
            { agent = "root", text = "half a", fault = "hang" },
            { agent = "root", text = "whole" },
        ]
        "#,
    );
    let error = ask(&script, "root", "root").await.unwrap_err();
    assert!(matches!(error, ModelError::Http { status: 429, .. }) && error.is_retryable());
    assert_eq!(ask(&script, "root", "root").await, Err(ModelError::EndedEarly));
    assert!(matches!(ask(&script, "root", "root").await, Err(ModelError::Damaged { .. })));
    assert_eq!(ask(&script, "root", "root").now_or_never(), None);
    assert_eq!(ask(&script, "root", "root").await, Ok(text("whole")));
}

#[tokio::test]
async fn a_turn_waits_at_its_gate_until_it_is_opened() {
    let script = script("turn = [{ agent = \"root\", text = \"through\", gate = \"g\" }]");
    let gates = script.gates();
    let asked = ask(&script, "root", "root");
    tokio::pin!(asked);
    assert_eq!(asked.as_mut().now_or_never(), None);
    gates.reached("g").await;
    gates.open("other");
    assert_eq!(asked.as_mut().now_or_never(), None);
    gates.open("g");
    assert_eq!(asked.await, Ok(text("through")));
}

#[test]
fn a_mistake_is_named_with_its_place() {
    for (text, expected) in [
        ("[[turn]]\nagent = \"root\"\nwords = \"x\"\n", "s.toml:3:1: unknown field `words`"),
        ("[[turn]]\ntext = \"x\"\n", "s.toml:1:1: a turn needs either `agent` or `role`"),
        ("[[turn]]\nagent = \"a\"\nrole = \"b\"\n", "s.toml:1:1: a turn needs either `agent` or `role`"),
        ("[[turn]]\nagent = \"a\"\nfault = \"crash\"\n", "s.toml:3:9: unknown fault `crash`"),
        ("[[turn]]\nagent = \"a\"\nfault = \"http-200\"\n", "s.toml:3:9: unknown fault `http-200`"),
        (
            "[[turn]]\nagent = \"a\"\nfault = \"hang\"\nstop = \"end\"\n",
            "s.toml:3:9: `fault` takes the place",
        ),
        ("[[turn]]\nagent = \"a\"\ntext = \"x\"\nfault = \"http-500\"\n", "s.toml:4:9: `http-500` takes the"),
        ("[[turn]]\nagent = \"a\"\nstop = \"done\"\n", "s.toml:3:8: unknown variant `done`"),
        (
            "[[turn]]\nagent = \"a\"\ncalls = [{ tool = \"字\", args = 7 }]\n",
            "s.toml:3:31: `args` is a table",
        ),
        (
            "[[turn]]\nagent = \"a\"\ncalls = [{ tool = \"t\", args = { x = nan } }]\n",
            "s.toml:3:31: JSON has no",
        ),
        ("[[turn]]\nagent = \"a\"\nusage = { input = -1 }\n", "s.toml:3:19: "),
        ("[[turn]\n", "s.toml:1:8: "),
    ] {
        let message = refused(text);
        assert!(message.starts_with(expected), "{message}\nshould begin with\n{expected}");
    }
    let error = Script::open(Path::new("no/such.toml")).unwrap_err().to_string();
    assert!(error.starts_with("no/such.toml: can't be read"), "{error}");
}

#[tokio::test]
async fn a_long_script_is_played_to_its_end() {
    let text: String =
        (0..1000).map(|turn| format!("[[turn]]\nagent = \"root\"\ntext = \"turn {turn}\"\n")).collect();
    let script = script(&text);
    for turn in 0..1000 {
        assert_eq!(ask(&script, "root", "root").await.unwrap().text, format!("turn {turn}"));
    }
}
