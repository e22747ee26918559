//! Files that are really changed, by runs and by single calls, and only where the role may.

use crate::stage::{Said, Stage, json_lines};

const ROLES: &str = r#"
[ceiling]
read = ["."]
write = ["src"]

[roles.root]
description = "Delegates."
tools = ["task"]
delegates = ["editor"]

[roles.editor]
description = "Edits."
tools = ["edit.*", "files.read_file"]
read = ["."]
write = ["src"]
deny = ["write **/*.lock"]
"#;

fn stage() -> (Stage, String) {
    let stage = Stage::new();
    stage.write("src/a.txt", "one\ntwo\n");
    stage.write("src/b.lock", "locked\n");
    stage.write("docs/c.md", "c\n");
    stage.write("roles.toml", ROLES);
    stage.say(&["trust", "--yes"]).fine();
    let roles = stage.workspace().join("roles.toml").display().to_string();
    (stage, roles)
}

fn read(stage: &Stage, path: &str) -> String {
    std::fs::read_to_string(stage.workspace().join(path)).unwrap_or_default()
}

fn call(stage: &Stage, more: &[&str], tool: &str, arguments: &str) -> Said {
    stage.say(&[&["call", "--role", "editor"], more, &[tool, arguments]].concat())
}

#[test]
fn a_call_that_says_it_wrote_has_written() {
    let (stage, _) = stage();
    let edit = r#"{"path": "src/a.txt", "old": "two", "new": "2"}"#;
    let said = call(&stage, &["--dry-run"], "edit.edit_file", edit);
    assert!(said.stderr.contains("dry run") && said.stderr.contains("-two\n+2\n"), "{said:?}");
    assert_eq!(read(&stage, "src/a.txt"), "one\ntwo\n");
    let said = call(&stage, &[], "edit.edit_file", edit);
    assert!(said.stderr.contains("src/a.txt: changed, +1 −1"), "{said:?}");
    assert_eq!((said.code, read(&stage, "src/a.txt").as_str()), (0, "one\n2\n"));
}

#[test]
fn a_call_writes_only_what_its_role_may() {
    let (stage, _) = stage();
    for (path, why) in [
        ("docs/c.md", "not within what is granted for writing: src"),
        ("roles.toml", "not within what is granted"),
        ("src/b.lock", "`write **/*.lock` is denied to role `editor`"),
        ("src/.env", "hidden by the rule"),
        ("../x", "leaves it with `..`"),
    ] {
        let arguments = serde_json::json!({ "path": path, "content": "x" }).to_string();
        let said = call(&stage, &[], "edit.write_file", &arguments);
        assert!(said.code == 1 && said.stderr.contains(why), "{path}: {said:?}");
    }
    assert_eq!(read(&stage, "src/b.lock"), "locked\n");
    assert!(!stage.workspace().join("src/.env").exists());
}

/// What a model says that it did is one thing, what the report says another.
#[test]
fn a_run_writes_what_was_approved_and_its_report_says_what_was_changed() {
    let turns = r#"
        [[turn]]
        agent = "root"
        calls = [{ tool = "task", args = { role = "editor", task = "edit", expected_output = "done" } }]
        [[turn]]
        role = "editor"
        calls = [
            { tool = "edit.edit_file", args = { path = "src/a.txt", old = "one", new = "1" } },
            { tool = "edit.write_file", args = { path = "docs/c.md", content = "mine" } },
            { tool = "edit.write_file", args = { path = "roles.toml", content = "mine" } },
        ]
        [[turn]]
        role = "editor"
        text = '{"summary": "I changed src/b.lock", "evidence": ["src/b.lock:1"]}'
        [[turn]]
        agent = "root"
        text = "done"
    "#;
    let (stage, roles) = stage();
    let model = stage.script(turns);
    let said = stage.say(&["run", "--json", "--roles", &roles, "--model", &model, "edit it"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(read(&stage, "src/a.txt"), "1\ntwo\n");
    assert_eq!((read(&stage, "docs/c.md").as_str(), read(&stage, "roles.toml").as_str()), ("c\n", ROLES));
    let events = json_lines(&said.stdout);
    let report = events.iter().find(|event| event["kind"] == "report").unwrap();
    let report = &report["report"];
    assert_eq!(report["changes"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(report["changes"][0]["path"], "src/a.txt");
    assert_eq!(report["evidence"][0]["observed"], "no", "{report}");
}

#[test]
fn a_run_whose_only_changes_were_refused_says_so() {
    let turns = r#"
        [[turn]]
        agent = "root"
        calls = [{ tool = "task", args = { role = "editor", task = "edit", expected_output = "done" } }]
        [[turn]]
        role = "editor"
        calls = [{ tool = "edit.write_file", args = { path = "docs/c.md", content = "mine" } }]
        [[turn]]
        role = "editor"
        text = '{"summary": "I changed docs/c.md"}'
        [[turn]]
        agent = "root"
        text = "I changed docs/c.md."
    "#;
    let (stage, roles) = stage();
    let model = stage.script(turns);
    let said = stage.say(&["run", "--roles", &roles, "--model", &model, "edit it"]);
    let told = "! nothing was changed: writing was refused for `docs/c.md`";
    assert!(said.code == 0 && said.stderr.contains(told), "{said:?}");
}

#[test]
fn a_call_says_what_a_run_would_warn_of() {
    let (stage, _) = stage();
    stage.write(
        "wide.toml",
        format!("{ROLES}\n").replace(
            "write = [\"src\"]\n\n[roles.root]",
            "write = [\"src\"]\nreveal = [\".env\"]\n\n[roles.root]",
        ),
    );
    let said = stage.say(&[
        "call",
        "--roles",
        "wide.toml",
        "--role",
        "editor",
        "files.read_file",
        r#"{"path": "docs/c.md"}"#,
    ]);
    assert!(said.code == 0 && said.stderr.contains("! wide.toml:5:1: warning: ceiling.reveal"), "{said:?}");
}

/// A repository can bring whatever it likes in `.remit`.
#[test]
fn a_journal_that_came_with_a_repository_is_not_carried_out() {
    let (stage, _) = stage();
    let area = stage.workspace().join(".remit/staging/1-0-0");
    std::fs::create_dir_all(&area).unwrap();
    std::fs::write(area.join("0"), "theirs\n").unwrap();
    let journal = r#"{"v":1,"ops":[{"op":"put","path":"src/new.txt","number":0,"over":null}]}"#;
    std::fs::write(area.join("journal"), journal).unwrap();
    stage.say(&["check"]);
    stage.say(&["explain", "root"]);
    stage.say(&["run", "--model", "offline", "Where is two?"]);
    call(&stage, &[], "files.read_file", r#"{"path": "src/a.txt"}"#);
    assert!(!stage.workspace().join("src/new.txt").exists());
}

#[test]
fn a_change_that_was_cut_short_is_finished_by_the_next_run_and_told() {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
    let (stage, _) = stage();
    let area = stage.workspace().join(".remit/staging/1-0-0");
    std::fs::create_dir_all(&area).unwrap();
    std::fs::write(area.join("0"), "wanted\n").unwrap();
    let folder = stage.home().join(".local/state/remit/unfinished");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).unwrap();
    let (path, meta) = (stage.workspace(), stage.workspace().metadata().unwrap());
    let journal = serde_json::json!({
        "v": 1,
        "place": { "path": path, "dev": meta.dev(), "ino": meta.ino() },
        "area": "1-0-0",
        "ops": [{ "op": "put", "path": "src/new.txt", "number": 0, "over": null }],
    });
    let mut options = std::fs::OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(folder.join("1-0-0.json")).unwrap();
    serde_json::to_writer(file, &journal).unwrap();

    call(&stage, &["--dry-run"], "files.read_file", r#"{"path": "src/a.txt"}"#);
    assert!(!stage.workspace().join("src/new.txt").exists(), "a dry run changes nothing");
    let said = stage.say(&["run", "--model", "offline", "Where is two?"]);
    assert!(said.stderr.contains("is finished now: src/new.txt"), "{said:?}");
    assert_eq!(read(&stage, "src/new.txt"), "wanted\n");
    assert!(!area.exists() && !folder.join("1-0-0.json").exists());
}

/// What remit believes lies in the home directory, which somebody may force to be a workspace.
#[test]
fn no_role_writes_to_the_users_own_folders() {
    let (stage, _) = stage();
    let home = stage.home();
    std::fs::write(home.join("roles.toml"), ROLES.replace("[\"src\"]", "[\".\"]")).unwrap();
    let own = home.display().to_string();
    let roles = home.join("roles.toml").display().to_string();
    for path in
        [".cache/remit/compiled/x.cwasm", "config/remit/trust.json", ".local/state/remit/unfinished/x.json"]
    {
        let arguments = serde_json::json!({ "path": path, "content": "x" }).to_string();
        let place = ["--force", "--workspace", &own, "--roles", &roles];
        let call = [&["call", "--role", "editor"], &place[..], &["edit.write_file", &arguments]].concat();
        let mut command = stage.remit(&call);
        let said = Said::from(command.env("XDG_CACHE_HOME", home.join(".cache")).output().unwrap());
        assert!(said.code == 1 && said.stderr.contains("it is protected"), "{path}: {said:?}");
        assert!(!home.join(path).exists());
    }
}
