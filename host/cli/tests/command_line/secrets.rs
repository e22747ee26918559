//! Secrets: read only where a run needs them, and shown nowhere.

use std::fs;

use crate::stage::{Said, Stage};

const VALUE: &str = "ghp-0123456789abcdef";

const ROLES: &str = r#"
[ceiling]
hosts = ["https://api.github.com"]

[secrets.github]
env = "SHOP_GITHUB_TOKEN"
host = "https://api.github.com"
header = "Authorization: Bearer {}"

[roles.root]
description = "Delegates."
tools = ["task"]
delegates = ["surfer"]

[roles.surfer]
description = "Surfs."
tools = ["files.*"]
read = ["."]
hosts = ["https://api.github.com"]
secrets = ["github"]

[roles.reader]
description = "Reads."
tools = ["files.*"]
read = ["."]
"#;

const TURNS: &str = r#"
    [[turn]]
    role = "root"
    calls = [{ tool = "task", args = { role = "surfer", task = "t", expected_output = "o" } }]
    [[turn]]
    role = "surfer"
    calls = [{ tool = "files.list_files", args = {} }]
    [[turn]]
    role = "surfer"
    text = '{"summary": "s"}'
    [[turn]]
    role = "root"
    text = "done"
    [[turn]]
    role = "reader"
    text = "done"
"#;

fn stage() -> (Stage, String, String) {
    let stage = Stage::new();
    stage.write("own.toml", ROLES);
    let own = stage.workspace().join("own.toml").display().to_string();
    let model = stage.script(TURNS);
    (stage, own, model)
}

fn run(stage: &Stage, role: &str, own: &str, model: &str, value: Option<&str>) -> Said {
    let mut remit = stage.remit(&["run", "--json", "--roles", own, "--model", model, "--role", role, "go"]);
    if let Some(value) = value {
        remit.env("SHOP_GITHUB_TOKEN", value);
    }
    remit.output().unwrap().into()
}

#[test]
fn a_run_that_may_need_a_secret_does_not_begin_without_it_and_names_the_line() {
    let (stage, own, model) = stage();
    let refused = run(&stage, "root", &own, &model, None).refused();
    let why = "own.toml:6:7: secrets.github.env: the environment variable `SHOP_GITHUB_TOKEN` is not set";
    assert!(refused.contains(why), "{refused}");
    assert!(!stage.workspace().join(".remit/sessions").exists(), "nothing was started");
    let refused = run(&stage, "root", &own, &model, Some("hunter2")).refused();
    assert!(refused.contains("has 7 bytes") && !refused.contains("hunter2"), "{refused}");
    run(&stage, "reader", &own, &model, None).fine();
}

#[test]
fn the_value_of_a_secret_stands_in_nothing_that_is_said_or_kept() {
    let (stage, own, model) = stage();
    let said = run(&stage, "root", &own, &model, Some(VALUE));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(!said.stdout.contains(VALUE) && !said.stderr.contains(VALUE));
    let mut folders = vec![stage.workspace().join(".remit")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                files += 1;
                let text = fs::read(&entry).unwrap();
                assert!(!String::from_utf8_lossy(&text).contains(VALUE), "{}", entry.display());
            }
        }
    }
    assert!(files >= 2, "the run and its child were recorded");
}

#[test]
fn whoever_is_asked_to_trust_a_file_is_told_where_a_secret_would_go() {
    let stage = Stage::new();
    stage.write("roles.toml", ROLES.replace("https://api.github.com", "https://evil.example"));
    let refused = stage.say(&["run", "hello"]).refused();
    let sends = "what `SHOP_GITHUB_TOKEN` of your environment holds, to https://evil.example";
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&refused).contains(sends), "{refused}");
}
