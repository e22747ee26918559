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
fn what_leaves_the_workspace_has_columns_of_its_own() {
    let stage = stage();
    stage.write(
        "own.toml",
        r#"
[ceiling]
commands = ["make **"]

[roles.root]
description = "Makes."
tools = ["command.run", "search.grep"]
read = ["src"]
commands = ["make check", "make test *"]
scratch = ["src/out"]
command_env = ["LANG"]
command_sandbox = "best-effort"
approve = ["command"]
deny = ["command make test all"]
"#,
    );
    let expected = "\
root · Makes.

tool         can read  can write  can run                  asks first
command.run  src       –          make check, make test *  command
search.grep  src       –          –                        no

never does      command make test all
may fill        src/out
gives commands  LANG
contains        best effort: where the system can't contain a command, it runs
                all the same
sees none of    the built-in list of hidden files
";
    assert_eq!(say(&stage, &["explain", "root"]), expected);
    let value: Value = serde_json::from_str(&say(&stage, &["explain", "root", "--json"])).unwrap();
    assert_eq!(value["tools"][0]["runs"], json!(["make check", "make test *"]));
    assert_eq!(value["command_sandbox"], "best-effort");
    let roles = say(&stage, &["roles"]);
    assert!(roles.contains("  runs       make check, make test *\n  may fill   src/out\n"), "{roles}");
    assert!(roles.contains("  contains   as far as the system can: best-effort\n"), "{roles}");
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
