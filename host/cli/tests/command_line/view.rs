//! What is shown while a run goes on.

use crate::stage::{Said, Stage};

const QUESTION: &str = "Which test framework does this project use?";

#[test]
fn a_delegation_can_be_followed_line_by_line_in_eighty_columns() {
    let stage = Stage::shop();
    for question in
        [QUESTION, "这个项目使用什么测试框架？这个项目使用什么测试框架？这个项目使用什么测试框架？"]
    {
        let said = stage.say(&["run", question]);
        let view = said.stderr;
        for expected in [
            "model: offline (a keyword planner, not a language model)",
            "root  → explorer#1  ",
            "\n  root/explorer#1  search.grep \"",
            " · 1 match in 1 file · ",
            "\n  root/explorer#1  completed · ",
            "\ncompleted · ",
            "main context ",
            "stayed with 1 subagent",
            "remit trace 2",
        ] {
            let unwrapped = view.replace("\n  with", " with");
            assert!(unwrapped.contains(expected), "{expected}: {view}");
        }
        let wide = |c: char| usize::from(c > '\u{2fff}') + 1;
        let longest = view.lines().map(|line| line.chars().map(wide).sum::<usize>()).max().unwrap();
        assert!(longest <= 80, "{longest}: {view}");
    }
}

#[test]
fn the_model_is_named_with_the_reason_for_it() {
    let stage = Stage::shop();
    let model = stage.script("[[turn]]\nagent = \"root\"\ntext = \"Yes.\"\n");
    let said = stage.say(&["run", "--model", &model, "x"]);
    assert!(said.stderr.replace('\n', " ").contains("as chosen"), "{}", said.stderr);
    let said = stage.say(&["run", QUESTION]);
    let why = "because neither OPENAI_API_KEY nor ANTHROPIC_API_KEY is set";
    assert!(said.stderr.replace('\n', " ").contains(why), "{}", said.stderr);
}

#[test]
fn a_role_that_has_its_own_model_is_answered_by_that() {
    let stage = Stage::shop();
    let model = stage.script("[[turn]]\nrole = \"root\"\ntext = \"Yes.\"\n");
    let roles = format!("[roles.root]\ndescription = \"Answers.\"\nmodel = \"{model}\"\n");
    stage.write("other.toml", roles);
    let said = stage.say(&["run", "--roles", "other.toml", QUESTION]);
    assert_eq!((said.code, said.stdout.as_str()), (0, "Yes.\n"));
    let view = said.stderr.replace('\n', " ");
    assert!(view.contains("model: script:") && view.contains("as the workspace's roles say"), "{view}");

    stage.write("other.toml", "[roles.root]\ndescription = \"Answers.\"\nmodel = \"openai:x\"\n");
    let error = stage.say(&["run", "--roles", "other.toml", QUESTION]).refused();
    assert!(error.contains("OPENAI_API_KEY is not set"), "{error}");
}

#[test]
fn a_refused_call_and_a_call_to_nothing_are_shown_as_errors() {
    let stage = Stage::shop();
    stage.write(".env", "SECRET\n");
    let model = stage.script(
        r#"
        [[turn]]
        agent = "root"
        calls = [{ tool = "files.read_file", args = { path = ".env" } }, { tool = "edit.write_file" }]
        [[turn]]
        agent = "root"
        text = "No."
        "#,
    );
    let view = stage.say(&["run", "--model", &model, "x"]).stderr;
    assert!(view.contains("root  files.read_file .env · "), "{view}");
    assert!(view.contains("root  ! refused: read `.env`"), "{view}");
    assert!(view.contains("root  edit__write_file") && view.contains("not run: "), "{view}");
}

#[test]
fn colours_are_for_terminals_and_for_whoever_forces_them() {
    let stage = Stage::shop();
    let coloured = |variables: &[(&str, &str)]| {
        let mut command = stage.remit(&["run", QUESTION]);
        let said = Said::from(command.envs(variables.iter().copied()).output().unwrap());
        assert!(!said.stdout.contains('\u{1b}'), "never in the answer: {}", said.stdout);
        said.stderr.contains("\u{1b}[")
    };
    assert!(!coloured(&[("TERM", "xterm-256color")]), "a pipe is no terminal");
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}
