//! What is wrong before anything starts: said with its place, exit code 2, and nothing begun.

use crate::stage::Stage;

#[test]
fn an_error_in_roles_toml_is_told_with_file_line_and_column() {
    let stage = Stage::new();
    stage.write("other.toml", "[roles.root]\ndescription = \"Answers.\"\nmax_turn = 3\n");
    for command in [&["run", "x"][..], &["roles"], &["tools"], &["call", "files.list_files"]] {
        let mut arguments = command.to_vec();
        arguments.extend(["--roles", "other.toml"]);
        let error = stage.say(&arguments).refused();
        assert!(error.starts_with("other.toml:3:1: roles.root.max_turn: "), "{error}");
        assert!(error.contains("max_turns"), "{error}");
    }
}

#[test]
fn a_tool_that_no_plugin_has_is_told_with_the_nearest_and_its_place() {
    let stage = Stage::new();
    stage.write("other.toml", "[roles.root]\ndescription = \"Answers.\"\ntools = [\"files.read_fiel\"]\n");
    let error = stage.say(&["run", "--roles", "other.toml", "x"]).refused();
    let expected = "other.toml:3:10: roles.root.tools: ";
    assert!(error.lines().any(|line| line.starts_with(expected)), "{error}");
    assert!(error.contains("files.read_file"), "{error}");
    assert!(!stage.workspace().join(".remit").exists(), "nothing was begun");
}

#[test]
fn a_role_that_there_is_not_is_told_with_the_nearest() {
    let stage = Stage::new();
    for command in [&["run", "x"][..], &["tools"], &["call", "files.list_files"]] {
        let mut arguments = command.to_vec();
        arguments.extend(["--role", "explorre"]);
        let error = stage.say(&arguments).refused();
        assert_eq!(
            error,
            "error: built-in roles.toml has no role `explorre`\n  help: did you mean `explorer`?\n"
        );
    }
}

#[test]
fn a_model_that_there_is_not_is_told_with_the_nearest() {
    let stage = Stage::new();
    let error = stage.say(&["run", "--model", "ofline", "x"]).refused();
    assert!(error.contains("did you mean `offline`?"), "{error}");
    let error = stage.say(&["run", "--model", "openai:x", "x"]).refused();
    assert!(error.contains("OPENAI_API_KEY is not set"), "{error}");
    let error = stage.say(&["run", "--model", "script:no-such.toml", "x"]).refused();
    assert!(error.contains("no-such.toml"), "{error}");
}

#[test]
fn a_workspace_has_to_be_a_directory_of_its_own() {
    let stage = Stage::new();
    stage.write("file", "");
    let error = stage.say(&["run", "--workspace", "missing", "x"]).refused();
    assert!(error.starts_with("error: cannot use missing as the workspace: "), "{error}");
    let error = stage.say(&["run", "--workspace", "file", "x"]).refused();
    assert!(error.contains("it is not a directory"), "{error}");
    let home = stage.home();
    for command in [&["run", "x"][..], &["call", "files.list_files"]] {
        let wide = |workspace: &str| {
            let mut arguments = command.to_vec();
            arguments.extend(["--workspace", workspace]);
            stage.say(&arguments).refused()
        };
        let root = wide("/");
        assert!(root.contains("the whole file system") && root.contains("--force"), "{root}");
        let error = wide(&home.display().to_string());
        assert!(error.contains("your home directory") && error.contains("--force"), "{error}");
    }
    assert!(!home.join(".remit").exists(), "nothing was begun");
    let home = home.display().to_string();
    let said = stage.say(&["run", "--workspace", &home, "--force", "Which tests are there?"]);
    assert!(said.code == 0 && said.stderr.starts_with("! the workspace is your home directory"), "{said:#?}");
}

#[test]
fn a_command_that_there_is_not_is_told_with_the_nearest() {
    let error = Stage::new().say(&["inspct", "x"]).refused();
    assert!(error.contains("'inspect'"), "{error}");
}

#[test]
fn every_command_teaches_itself_by_example() {
    let stage = Stage::new();
    let help = stage.say(&["--help"]).fine();
    for command in ["run", "init", "trust", "roles", "tools", "inspect", "call", "trace"] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(command)), "{command}: {help}");
        let own = stage.say(&[command, "--help"]).fine();
        assert!(own.contains("Example") && own.contains(&format!("remit {command}")), "{own}");
        assert!(own.lines().all(|line| line.chars().count() <= 100), "{own}");
    }
    assert_eq!(stage.say(&["--version"]).fine(), format!("remit {}\n", env!("CARGO_PKG_VERSION")));
}
