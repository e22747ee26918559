//! What a role asks before, on a command line where there is nobody to ask.

use crate::stage::{Stage, json_lines};

const ROLES: &str = r#"
[roles.root]
description = "Plans."
tools = ["task"]
delegates = ["explorer"]
approve = "all"

[roles.explorer]
description = "Finds things."
tools = ["search.*"]
read = ["."]
"#;

const TURNS: &str = r#"
[[turn]]
agent = "root"
calls = [{ tool = "task", args = { role = "explorer", task = "look", expected_output = "it" } }]
[[turn]]
role = "explorer"
text = '{"summary": "pytest"}'
[[turn]]
agent = "root"
text = "done"
"#;

fn stage() -> (Stage, String) {
    let stage = Stage::shop();
    stage.write("own.toml", ROLES);
    let model = stage.script(TURNS);
    (stage, model)
}

#[test]
fn without_a_terminal_the_answer_is_no_and_the_run_goes_on_and_says_so() {
    let (stage, model) = stage();
    let roles = stage.workspace().join("own.toml");
    let arguments = ["run", "--roles", roles.to_str().unwrap(), "--model", &model, "x"];
    let said = stage.say(&arguments);
    let told = "not approved: there is no terminal to ask on (--approve allow";
    assert!(said.stderr.contains(told), "{}", said.stderr);
    assert!(said.stderr.contains("refused: delegate `explorer`"), "{}", said.stderr);
    assert_eq!((said.code, said.stdout.trim()), (0, "done"));
}

#[test]
fn approve_allow_answers_yes_and_every_answer_is_an_event() {
    let (stage, model) = stage();
    let roles = stage.workspace().join("own.toml");
    let with = |policy| {
        let arguments = [
            "run",
            "--json",
            "--approve",
            policy,
            "--roles",
            roles.to_str().unwrap(),
            "--model",
            &model,
            "x",
        ];
        let events = json_lines(&stage.say(&arguments).stdout);
        let answer = events.iter().find(|event| event["kind"] == "answer").unwrap().clone();
        let delegated = events.iter().any(|event| event["kind"] == "delegated");
        (answer["granted"].as_bool().unwrap(), answer["by"].as_str().unwrap().to_owned(), delegated)
    };
    assert_eq!(with("allow"), (true, "policy".to_owned(), true));
    assert_eq!(with("deny"), (false, "policy".to_owned(), false));
    assert_eq!(with("ask"), (false, "nobody".to_owned(), false));
}
