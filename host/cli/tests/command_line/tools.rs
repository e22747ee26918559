//! Roles and tools, and single calls.

use serde_json::Value;

use crate::stage::Stage;

#[test]
fn roles_are_shown_with_grants_and_every_limit() {
    let stage = Stage::new();
    let said = stage.say(&["roles"]).fine();
    for expected in [
        "built-in roles.toml",
        "tools      files.*, task",
        "delegates  explorer",
        "delegates  none",
        "limits     max_turns 8; by default max_model_calls 20",
        "wall_clock 15m",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    let json: Value = serde_json::from_str(&stage.say(&["roles", "--json"]).fine()).unwrap();
    assert_eq!(json["roles"][1]["name"], "explorer");
    assert_eq!(json["roles"][1]["limits"]["max_turns"], 8);
    assert_eq!(json["budget"]["wall_clock"], "15m");
    assert_eq!(json["trusted"], true);
}

#[test]
fn tools_are_shown_as_a_model_is_told_about_them() {
    let stage = Stage::new();
    let all = stage.say(&["tools"]).fine();
    assert!(
        all.contains("search.grep  search__grep") && all.contains("files.read_file  files__read_file"),
        "{all}"
    );
    assert!(all.lines().all(|line| line.chars().count() <= 80), "{all}");
    let of_root = stage.say(&["tools", "--role", "root"]).fine();
    assert!(!of_root.contains("search.") && of_root.contains("\ntask\n"), "{of_root}");
    assert!(of_root.contains("a subagent: explorer, editor, verifier, researcher."), "{of_root}");
    let json: Value = serde_json::from_str(&stage.say(&["tools", "--json"]).fine()).unwrap();
    let tools = json["tools"].as_array().unwrap();
    let grep = tools.iter().find(|tool| tool["name"] == "search.grep").unwrap();
    assert_eq!(grep["input_schema"]["required"], serde_json::json!(["pattern"]));
}

#[test]
fn a_call_gives_its_result_under_the_grants_of_its_role() {
    let stage = Stage::shop();
    stage.write(".env", "SECRET=1\n");
    let said = stage.say(&["call", "files.read_file", r#"{"path": "docs/notes.md"}"#]);
    assert!(said.stderr.is_empty() && said.fine().contains("# Notes"));
    let said =
        stage.say_with(&["call", "--role", "explorer", "search.grep", "-"], r#"{"pattern": "pytest>"}"#);
    assert!(said.fine().contains("pyproject.toml"));

    let said = stage.say(&["call", "files.read_file", r#"{"path": ".env"}"#]);
    assert_eq!((said.code, said.stdout.as_str()), (1, ""), "{said:?}");
    assert!(said.stderr.contains("refused: read `.env`") && !said.stderr.contains("SECRET"), "{said:?}");
    let said = stage.say(&["call", "files.read_file", r#"{"path": "docs/notes.md", "lines": "3"}"#]);
    assert!(said.code == 1 && said.stderr.starts_with("lines: expected"), "{said:?}");

    let said = stage.say(&["call", "--json", "files.read_file", r#"{"path": ".env"}"#]);
    let json: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((said.code, &json["is_error"]), (1, &Value::Bool(true)), "{json}");
    assert_eq!(json["refusals"].as_array().unwrap().len(), 1, "{json}");
}

#[test]
fn a_tool_that_a_role_does_not_have_is_not_called_for_it() {
    let stage = Stage::shop();
    let error = stage.say(&["call", "search.grep", r#"{"pattern": "x"}"#]).refused();
    assert!(
        error.starts_with("error: role `root` has no tool `search.grep` (built-in roles.toml:"),
        "{error}"
    );
    assert!(error.ends_with("help: use --role explorer or editor or verifier or operator\n"), "{error}");
    let error = stage.say(&["call", "files.read"]).refused();
    assert!(error.contains("there is no tool `files.read`; there are files.list_files"), "{error}");
    let error = stage.say(&["call", "nothing.read"]).refused();
    assert!(
        error.contains("there is no plugin `nothing`; there are command, edit, fetch, files, search"),
        "{error}"
    );
    let error = stage.say(&["call", "read"]).refused();
    assert!(error.contains("a tool is PLUGIN.FUNCTION"), "{error}");
}
