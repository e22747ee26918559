//! Text of others is shown and does nothing: not on the screen, not in the answer, not in the traces.

use crate::components::SAY;
use crate::stage::{Stage, is_inert, json_lines};

const SCRIPT: &str = r#"
[[turn]]
agent = "root"
text = "Looking\u001B[31m red \u009B2J."
calls = [
    { tool = "odd.say" },
    { tool = "files.read_file", args = { path = "evil\u001B[2J.txt" } },
    { tool = "files.read_file", args = { path = "evil.txt" } },
    { tool = "no\u001Bsuch", args = "{\u001B" },
    { tool = "task", args = { role = "helper", task = "go\u001B[2J\u202E", expected_output = "x" } },
]
[[turn]]
role = "helper"
text = '{"summary": "s\u001b[2J", "warnings": ["w\u009b"], "evidence": [{"path": "a\u001b", "line": 1}]}'
[[turn]]
agent = "root"
text = "Done\u001B]0;title\u0007 \u202Eback."
"#;

const ROLES: &str = r#"
[plugins]
odd = { path = "odd.wasm" }
[roles.root]
description = "Answers."
tools = ["odd.*", "files.*", "task"]
delegates = ["helper"]
read = ["."]
[roles.helper]
description = "Helps."
"#;

#[test]
fn nothing_that_an_agent_meets_or_says_reaches_the_screen_raw() {
    let stage = Stage::new();
    stage.write("odd.wasm", wat::parse_str(SAY).unwrap());
    stage.write("evil.txt", "a\u{1b}[2Jb\u{9b}c\u{202e}d\n");
    stage.write("other.toml", ROLES);
    let model = stage.script(SCRIPT);
    let prompt = "what\u{1b}[2J\u{202e}";
    let said = stage.say(&["run", "--roles", "other.toml", "--model", &model, prompt]);
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.stderr.contains("odd.say") && said.stderr.contains("→ helper#1"), "{}", said.stderr);
    assert!(said.stdout.contains("Done\\u{1b}]0;title"), "{}", said.stdout);
    let traced = ["root", "root/helper#1"].map(|agent| stage.say(&["trace", "last", agent]).fine());
    let others = [stage.say(&["trace"]).fine(), stage.say(&["trace", "last"]).fine()];
    for text in [said.stdout, said.stderr].into_iter().chain(traced).chain(others) {
        assert!(is_inert(&text), "{text:?}");
    }
}

#[test]
fn json_is_safe_to_show_too_and_means_the_same() {
    let stage = Stage::new();
    stage.write("odd.wasm", wat::parse_str(SAY).unwrap());
    stage.write("other.toml", ROLES);
    let model = stage.script(SCRIPT);
    let prompt = "what\u{1b}[2J\u{202e}\u{9b}";
    let said = stage.say(&["run", "--json", "--roles", "other.toml", "--model", &model, prompt]).fine();
    assert!(is_inert(&said), "{said:?}");
    assert_eq!(json_lines(&said)[0]["prompt"], prompt);
}

#[test]
fn arguments_and_names_in_messages_are_inert() {
    let stage = Stage::new();
    for arguments in [
        &["run", "--role", "\u{1b}[2J", "x"][..],
        &["run", "--model", "\u{1b}[2J", "x"],
        &["run", "--workspace", "\u{1b}[2J", "x"],
        &["roles", "--roles", "\u{1b}[2J"],
        &["call", "files.\u{1b}[2J"],
        &["call", "\u{1b}[2J"],
        &["inspect", "\u{1b}[2J"],
        &["trace", "\u{1b}[2J"],
    ] {
        let error = stage.say(arguments).refused();
        assert!(is_inert(&error), "{error:?}");
    }
}
