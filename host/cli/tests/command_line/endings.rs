//! How runs end: the answer, and the exit code.

use crate::stage::{Stage, json_lines};

const FRAMEWORK: &str = "Which test framework does this project use?";

#[test]
fn a_question_in_english_or_chinese_cites_the_right_place_without_a_model() {
    for question in [FRAMEWORK, "这个项目使用什么测试框架？"] {
        let answer = Stage::shop().say(&["run", question]).fine();
        assert!(answer.contains("pyproject.toml:5") && answer.contains("pytest"), "{answer}");
    }
}

#[test]
fn standard_output_holds_the_answer_alone() {
    let stage = Stage::shop();
    let model = stage.script("[[turn]]\nagent = \"root\"\ntext = \"It is pytest.\"\n");
    let said = stage.say(&["run", "--model", &model, FRAMEWORK]);
    assert_eq!((said.code, said.stdout.as_str()), (0, "It is pytest.\n"));
    assert!(said.stderr.contains("completed · 1 turn · 1 model call"), "{}", said.stderr);
}

#[test]
fn each_ending_has_its_exit_code_and_says_why() {
    let stage = Stage::shop();
    stage.write(
        "few.toml",
        "[roles.root]\ndescription = \"Answers.\"\ntools = [\"files.*\"]\nread = [\".\"]\nmax_turns = 1\n",
    );
    let reads = "[[turn]]\nagent = \"root\"\ncalls = [{ tool = \"files.list_files\" }]\n";
    for (turns, roles, code, words) in [
        ("[[turn]]\nagent = \"root\"\ntext = \"Done.\"\n".to_owned(), None, 0, "completed"),
        (
            format!("{reads}[[turn]]\nagent = \"root\"\ntext = \"So far nothing.\"\n"),
            Some("few.toml"),
            3,
            "budget_exhausted (max_turns)",
        ),
        ("[[turn]]\nagent = \"root\"\nfault = \"http-400\"\n".to_owned(), None, 4, "failed"),
        ("[[turn]]\nagent = \"root\"\nstop = \"refusal\"\n".to_owned(), None, 5, "refused"),
    ] {
        let model = stage.script(&turns);
        let mut arguments = vec!["run", "--model", &model, "x"];
        arguments.extend(roles.iter().flat_map(|file| ["--roles", file]));
        let said = stage.say(&arguments);
        assert_eq!(said.code, code, "{said:#?}");
        assert!(said.stderr.contains(words), "{said:#?}");
        assert!(!said.stdout.contains(words), "{said:#?}");
    }
}

#[test]
fn a_child_that_did_not_complete_is_named_in_the_answer() {
    let stage = Stage::shop();
    let model = stage.script(
        r#"
        [[turn]]
        agent = "root"
        calls = [{ tool = "task", args = { role = "explorer", task = "look", expected_output = "it" } }]
        [[turn]]
        role = "explorer"
        fault = "http-400"
        [[turn]]
        agent = "root"
        text = "I do not know."
        "#,
    );
    let answer = stage.say(&["run", "--model", &model, "x"]).fine();
    assert!(answer.starts_with("I do not know.\n\n! root/explorer#1 did not complete: failed"), "{answer}");
}

#[test]
fn json_is_every_event_as_it_is_recorded_the_answer_in_the_last() {
    let stage = Stage::shop();
    let said = stage.say(&["run", "--json", FRAMEWORK]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let events = json_lines(&said.stdout);
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    let last = events.last().unwrap();
    assert_eq!((&last["kind"], &last["status"]), (&"outcome".into(), &"completed".into()));
    assert!(last["answer"].as_str().unwrap().contains("pyproject.toml:5"), "{last}");

    let kept = |agent: &str| -> Vec<_> {
        events
            .iter()
            .filter(|event| event["agent"] == agent && event["kind"] != "text_delta")
            .cloned()
            .collect()
    };
    let recorded = |file: &str| json_lines(&std::fs::read_to_string(stage.session().join(file)).unwrap());
    assert_eq!(recorded("events.jsonl"), kept("root"));
    assert_eq!(recorded("traces/root.explorer#1.jsonl"), kept("root/explorer#1"));
}

#[test]
fn the_prompt_may_come_on_standard_input() {
    let stage = Stage::shop();
    for arguments in [&["run"][..], &["run", "-"]] {
        let answer = stage.say_with(arguments, FRAMEWORK).fine();
        assert!(answer.contains("pyproject.toml:5"), "{answer}");
    }
}

#[test]
fn a_prompt_that_says_nothing_is_an_error() {
    let stage = Stage::new();
    for said in [
        stage.say(&["run", ""]),
        stage.say(&["run", " \n"]),
        stage.say(&["run"]),
        stage.say_with(&["run", "-"], "\n"),
    ] {
        assert!(said.refused().starts_with("error: the prompt is empty\n  help: "));
    }
    assert_eq!(stage.say_with(&["run"], b"\xff").refused(), "error: the prompt is not UTF-8 text\n");
    let long = "word ".repeat(300_000);
    assert!(stage.say_with(&["run"], long).refused().contains("larger than 1048576 bytes"));
    assert!(!stage.workspace().join(".remit").exists(), "nothing was begun");
}

#[test]
fn pins_reach_every_agent() {
    let stage = Stage::shop();
    let said =
        stage.say(&["run", "--json", "--pin", "Never name a person.", "--pin", "Be short.", FRAMEWORK]);
    let events = json_lines(&said.fine());
    let started: Vec<_> = events.iter().filter(|event| event["kind"] == "agent_started").collect();
    assert_eq!(started.len(), 2);
    for event in started {
        let message = event["first_message"].as_str().unwrap();
        assert!(message.contains("Never name a person.") && message.contains("Be short."), "{message}");
    }
}

#[test]
fn a_projects_notes_are_named_and_reach_the_root_unless_they_are_left_out() {
    let stage = Stage::shop();
    stage.write("AGENTS.md", "Tests are run with `make check`.\n");
    let model = stage.script("[[turn]]\nagent = \"root\"\ntext = \"Yes.\"\n");
    let system = |more: &[&str]| {
        let said = stage.say(&[&["run", "--json", "--model", &model], more, &["x"]].concat());
        let events = json_lines(&said.fine());
        let notes = events.iter().filter(|event| event["kind"] == "notes").count();
        let started = events.iter().find(|event| event["kind"] == "agent_started").unwrap().clone();
        (notes, started["system"].as_str().unwrap().contains("make check"))
    };
    assert_eq!(system(&[]), (1, true));
    assert_eq!(system(&["--no-notes"]), (0, false));
    let said = stage.say(&["run", "--model", &model, "x"]);
    assert!(said.stderr.contains("root  notes: AGENTS.md (32 B)\n"), "{}", said.stderr);
    std::fs::remove_file(stage.workspace().join("AGENTS.md")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", stage.workspace().join("AGENTS.md")).unwrap();
    let said = stage.say(&["run", "--model", &model, "x"]);
    assert!(said.stderr.contains("! cannot read `AGENTS.md`: the path leads out"), "{}", said.stderr);
}
