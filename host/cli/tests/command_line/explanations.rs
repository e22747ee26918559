//! What a role can do in the end, and what in its file is likely not meant so.

use serde_json::{Value, json};

use crate::stage::Stage;

const ROLES: &str = r#"
[ceiling]
read = ["."]
write = ["src"]
hidden = ["customers/"]

[roles.root]
description = "Plans."
tools = ["search.*", "task"]
delegates = ["editor"]
read = ["."]
approve = ["delegate"]

[roles.editor]
description = "Changes sources."
tools = ["files.read_file", "search.grep"]
read = ["."]
write = ["src"]
approve = ["write"]
allow = ["write *.md"]
deny = ["write **/*.lock"]

[roles.alone]
description = "Is forgotten."
read = ["."]
"#;

fn stage() -> Stage {
    let stage = Stage::shop();
    stage.write("src/a.rs", "");
    stage.write("own.toml", ROLES);
    stage
}

fn with_own(stage: &Stage, arguments: &[&str]) -> Vec<String> {
    let roles = stage.workspace().join("own.toml");
    let own = ["--roles".to_owned(), roles.to_str().unwrap().to_owned()];
    arguments.iter().map(|argument| (*argument).to_owned()).chain(own).collect()
}

fn say(stage: &Stage, arguments: &[&str]) -> String {
    let arguments = with_own(stage, arguments);
    stage.say(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).fine()
}

#[test]
fn a_role_is_explained_tool_by_tool() {
    let stage = stage();
    let expected = "\
editor · Changes sources.

tool             can read  can write  asks first
files.read_file  .         src        write
search.grep      .         src        write

never asks      write *.md
never does      write **/*.lock
never writes    roles.toml, own.toml
sees none of    the built-in list of hidden files, customers/
";
    assert_eq!(say(&stage, &["explain", "editor"]), expected);
    let root = say(&stage, &["explain", "root"]);
    assert!(root.contains("search.grep  .              –          no\n"), "{root}");
    assert!(root.contains("task         starts editor  –          delegate\n"), "{root}");
    assert!(!root.contains("never writes"), "{root}");
}

#[test]
fn the_same_can_be_had_as_json() {
    let value: Value = serde_json::from_str(&say(&stage(), &["explain", "editor", "--json"])).unwrap();
    let grep = json!({
        "tool": "search.grep", "reads": ["."], "writes": ["src"], "reaches": [], "runs": [], "starts": [],
        "asks_before": ["write"]
    });
    assert_eq!(value["tools"][1], grep);
    assert_eq!(value["protected"], json!(["roles.toml", "own.toml"]));
}

#[test]
fn a_check_names_what_is_likely_not_meant_and_errors_are_errors() {
    let stage = stage();
    let said = say(&stage, &["check"]);
    assert!(said.contains("warning: roles.alone: nobody delegates to the role"), "{said}");
    assert!(said.contains("warning: roles.alone.read: no tool of the role can use it"), "{said}");
    assert!(said.ends_with("own.toml: 3 roles, no errors, 2 warnings\n"), "{said}");
    stage.write("own.toml", ROLES.replace("\"src\"]\napprove", "\"scr\"]\napprove"));
    let arguments = with_own(&stage, &["check"]);
    let refused = stage.say(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).refused();
    assert!(refused.contains("did you mean \"src\"?"), "{refused}");
}
