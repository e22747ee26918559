//! A workspace's own roles.toml counts for nothing until the user trusts it.

use crate::components::SAY;
use crate::stage::Stage;

const ROLES: &str = "[plugins]\nodd = { path = \"odd.wasm\" }\n\n[roles.root]\ndescription = \"Somebody's own.\"\n\
                     tools = [\"files.*\", \"odd.*\"]\nread = [\".\"]\n";

fn stage() -> Stage {
    let stage = Stage::shop();
    stage.write("odd.wasm", wat::parse_str(SAY).unwrap());
    stage.write("roles.toml", ROLES);
    stage
}

#[test]
fn nothing_of_an_untrusted_file_is_used_and_what_it_grants_is_said() {
    let stage = stage();
    for command in [&["run", "x"][..], &["tools"], &["call", "odd.say"]] {
        let error = stage.say(command).refused();
        assert!(error.contains("is not trusted yet") && error.contains("`remit trust`"), "{error}");
        for granted in ["reads     the whole workspace", "odd.wasm, sha256", "`files.*`, `odd.*`"] {
            assert!(error.contains(granted), "{granted}: {error}");
        }
        assert!(error.lines().all(|line| line.chars().count() <= 100), "{error}");
    }
    assert!(!stage.workspace().join(".remit").exists(), "nothing was begun");
    assert!(stage.say(&["roles"]).fine().contains("not trusted"), "it may be looked at");
}

#[test]
fn trust_is_asked_for_given_lost_with_a_change_and_taken_back() {
    let stage = stage();
    let error = stage.say(&["trust"]);
    assert!(
        error.code == 2 && error.stderr.contains("--yes") && error.stdout.contains("`odd.*`"),
        "{error:?}"
    );
    assert_eq!(stage.say(&["run", "x"]).code, 2, "asking alone changes nothing");

    let given = stage.say(&["trust", "--yes"]).fine();
    assert!(given.contains("Somebody's own.") && given.contains("is trusted as it is"), "{given}");
    assert_eq!(stage.say(&["call", "odd.say"]).code, 0);
    assert!(stage.say(&["trust"]).fine().contains("is trusted as it is"));

    stage.write("odd.wasm", wat::parse_str(SAY.replace("gone", "lost")).unwrap());
    let error = stage.say(&["call", "odd.say"]).refused();
    assert!(error.contains("has changed since you trusted it: odd.wasm changed"), "{error}");
    let given = stage.say(&["trust", "--yes"]).fine();
    assert!(given.contains("Since you trusted it:\n  odd.wasm changed"), "{given}");
    assert_eq!(stage.say(&["call", "odd.say"]).code, 0);

    assert!(stage.say(&["trust", "--revoke"]).fine().contains("nothing of this workspace is trusted"));
    assert_eq!(stage.say(&["call", "odd.say"]).code, 2);
    assert!(stage.say(&["trust", "--revoke"]).fine().contains("nothing of it was trusted"));
}

#[test]
fn a_file_that_is_named_is_trusted_by_that_and_the_built_in_text_needs_no_trust() {
    let stage = stage();
    assert_eq!(stage.say(&["call", "--roles", "roles.toml", "odd.say"]).code, 0);
    let error = stage.say(&["trust", "--yes", "--roles", "roles.toml"]).refused();
    assert!(error.contains("is trusted by that"), "{error}");
    stage.write("roles.toml", include_str!("../../../../roles.toml"));
    assert_eq!(stage.say(&["call", "files.list_files"]).code, 0);
    assert!(stage.say(&["trust"]).fine().contains("need no trust"));
}

#[test]
fn init_writes_a_commented_file_once_and_trusts_it() {
    let stage = Stage::shop();
    assert!(stage.say(&["init"]).fine().starts_with("wrote "));
    let written = std::fs::read_to_string(stage.workspace().join("roles.toml")).unwrap();
    assert!(written.starts_with('#') && written.contains("[roles.explorer]"), "{written}");
    assert_eq!(stage.say(&["run", "Which test framework is used?"]).code, 0);

    stage.write("roles.toml", "# mine\n");
    let error = stage.say(&["init"]).refused();
    assert!(error.contains("roles.toml is there already, and stays as it is"), "{error}");
    assert_eq!(std::fs::read_to_string(stage.workspace().join("roles.toml")).unwrap(), "# mine\n");
}

#[test]
fn without_a_place_to_keep_it_nothing_is_trusted() {
    let stage = stage();
    let homeless = |arguments: &[&str]| {
        let mut command = stage.remit(arguments);
        command.env_remove("HOME").env("XDG_CONFIG_HOME", "relative");
        crate::stage::Said::from(command.output().unwrap()).refused()
    };
    assert!(homeless(&["run", "x"]).contains("is not trusted yet"));
    assert!(homeless(&["trust", "--yes"]).contains("set HOME or XDG_CONFIG_HOME"));
}
