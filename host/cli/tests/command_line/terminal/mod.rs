//! Sessions at a terminal, typed as a person would type them.

mod model;
mod pty;

use std::fs;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use self::model::Model;
use self::pty::Terminal;
use crate::components::SPIN;
use crate::stage::{Said, Stage, json_lines};

/// A root that reads and writes, and asks before it writes.
const ROLES: &str = r#"
[ceiling]
read = ["."]
write = ["."]

[roles.root]
description = "Answers."
tools = ["files.*", "edit.*"]
read = ["."]
write = ["."]
approve = ["write"]
"#;

fn stage() -> Stage {
    let stage = Stage::shop();
    stage.write("own.toml", ROLES);
    stage
}

/// remit with these arguments before all others, asking `model`.
fn start(stage: &Stage, model: &Model, arguments: &[&str]) -> Terminal {
    let choice = model.choice();
    let all = [arguments, &["--roles", "own.toml", "--model", &choice]].concat();
    Terminal::start(stage, &all, &[("OPENAI_API_KEY", "none")])
}

fn converse(stage: &Stage, model: &Model) -> Terminal {
    let mut terminal = start(stage, model, &[]);
    terminal.sees("/help shows");
    terminal.sees("> ");
    terminal
}

fn write_call() -> Value {
    json!({ "path": "docs/notes.md", "content": "# Notes\nmore\n" })
}

/// The kinds of the root's events.
fn events(stage: &Stage) -> Vec<Value> {
    json_lines(&fs::read_to_string(stage.session().join("events.jsonl")).unwrap())
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["kind"] == kind).collect()
}

fn notes(stage: &Stage) -> String {
    fs::read_to_string(stage.workspace().join("docs/notes.md")).unwrap()
}

#[test]
fn ask_steer_pin_approve_stop_and_quit() {
    let (stage, model) = (stage(), Model::new());
    stage.write("AGENTS.md", "Run `make test`.\n");
    let mut terminal = converse(&stage, &model);

    // Ask, and steer while it works.
    terminal.line("Which framework is used?");
    let asked = model.is_asked();
    assert!(asked.messages[0]["content"].as_str().unwrap().contains("Run `make test`."));
    terminal.sees("root  notes: AGENTS.md (16 B)");
    terminal.line("Look in src too.");
    terminal.sees("root  queued: Look in src too.");
    asked.calls("files__read_file", &json!({ "path": "pyproject.toml" }));
    let asked = model.is_asked();
    terminal.sees("files.read_file pyproject.toml");
    terminal.sees("root  taken in: Look in src too.");
    let [(reader, result), (user, steering)] = &asked.last(2)[..] else { panic!() };
    assert_eq!((reader.as_str(), user.as_str(), steering.as_str()), ("tool", "user", "Look in src too."));
    assert!(result.contains("pytest>=8"), "{result}");
    asked.says("It is pytest, by pyproject.toml.\nAnd src agrees.");
    terminal.sees("It is pytest, by pyproject.toml.\nAnd src agrees.\n");
    terminal.sees("completed · 2 turns");

    // Pin, and ask again: the transcript goes on.
    terminal.sees("> ");
    terminal.line("/pin Name no file.");
    terminal.sees("pinned: Name no file.");
    terminal.line("Add a line to the notes.");
    let asked = model.is_asked();
    let [_, (_, prompt)] = &asked.last(2)[..] else { panic!() };
    assert_eq!(prompt, "Add a line to the notes.\n\nThese hold throughout:\n- Name no file.");
    assert_eq!(asked.messages.len(), 7);

    // A `y` that was typed ahead, and one that is half typed, approve nothing.
    terminal.line("y");
    terminal.sees("root  queued: y");
    terminal.sees("> ");
    terminal.types("ye");
    terminal.sees("ye");
    asked.calls("edit__write_file", &write_call());
    let question =
        terminal.sees("y yes · a always for root · s always for role root in this run · n no, and why:");
    for part in ["root wants to write with edit.write_file", "change docs/notes.md +1 −0", "@@", "+more"] {
        assert!(question.contains(part), "{part}: {question}");
    }
    terminal.types("s\r");
    terminal.sees("root  queued: yes");
    assert_eq!(notes(&stage), "# Notes\n", "nobody has answered");
    terminal.line("y");
    let asked = model.is_asked();
    assert_eq!(notes(&stage), "# Notes\nmore\n");
    assert_eq!(asked.last(1)[0].1, "y\n\nyes");

    // Stop: the prompt, not the program. What is queued is not sent.
    terminal.line("wait");
    terminal.sees("root  queued: wait");
    terminal.sees("> ");
    terminal.types("\x03");
    terminal.sees("cancelled · ");
    terminal.sees("not sent: wait");
    terminal.sees("> ");
    terminal.line("//again");
    let asked = model.is_asked();
    assert_eq!(asked.last(1)[0], ("user".to_owned(), "/again".to_owned()));
    asked.says("Yes.");
    terminal.sees("Yes.");
    terminal.sees("completed · ");

    // Quit.
    terminal.sees("> ");
    terminal.line("/quit");
    let (status, shown) = terminal.ends();
    assert!(status.success(), "{shown}");
    assert!(shown.contains("all of it: remit trace 2"), "{shown}");

    let tree = stage.say(&["trace", "last"]).fine();
    assert!(tree.contains("root  completed · 5 turns · 2 tool calls"), "{tree}");
    assert!(tree.contains("  Which framework is used?"), "{tree}");
    let conversation = stage.say(&["trace", "last", "root"]).fine();
    for words in ["user\n  Look in src too.", "user, to openai:model\n  /again", "end\n  cancelled"] {
        assert!(conversation.contains(words), "{words}: {conversation}");
    }
    assert!(stage.say(&["trace"]).fine().contains("completed         Which framework is used?"));

    let events = events(&stage);
    let texts = |kind| of_kind(&events, kind).iter().map(|event| event["text"].clone()).collect::<Vec<_>>();
    assert_eq!(texts("input_queued"), ["Look in src too.", "y", "yes", "wait"]);
    assert_eq!(texts("input_taken"), ["Look in src too.", "y\n\nyes"]);
    let statuses: Vec<&Value> = of_kind(&events, "outcome").iter().map(|event| &event["status"]).collect();
    assert_eq!(statuses, ["completed", "cancelled", "completed"]);
    let answer = of_kind(&events, "answer")[0];
    assert_eq!((&answer["granted"], &answer["by"]), (&json!(true), &json!("person")));
}

#[test]
fn a_no_says_why_and_what_is_queued_when_a_prompt_ends_is_the_next_one() {
    let (stage, model) = (stage(), Model::new());
    let mut terminal = converse(&stage, &model);
    terminal.line("Add a line to the notes.");
    model.is_asked().calls("edit__write_file", &write_call());
    terminal.sees("n no, and why:");
    terminal.sees("> ");
    terminal.line("no, use tabs");
    let asked = model.is_asked();
    assert!(asked.last(1)[0].1.contains("a person was asked, and said no: use tabs"), "{:?}", asked.last(1));
    assert_eq!(notes(&stage), "# Notes\n");
    terminal.line("And the tests?");
    terminal.sees("root  queued: And the tests?");
    asked.says("I will not.");
    terminal.sees("sent now: And the tests?");
    let asked = model.is_asked();
    assert_eq!(asked.last(1)[0].1, "And the tests?");
    asked.says("There are some.");
    terminal.sees("There are some.");
    terminal.sees("> ");
    terminal.types("\x04");
    assert!(terminal.ends().0.success());
}

#[test]
fn a_question_that_waits_when_the_turn_is_stopped_is_a_no() {
    let (stage, model) = (stage(), Model::new());
    let mut terminal = converse(&stage, &model);
    terminal.line("Add a line to the notes.");
    model.is_asked().calls("edit__write_file", &write_call());
    terminal.sees("n no, and why:");
    terminal.sees("> ");
    terminal.types("\x03");
    terminal.sees("cancelled · ");
    terminal.sees("> ");
    // A later yes is words like any other.
    terminal.line("y");
    let asked = model.is_asked();
    assert_eq!(asked.last(1)[0].1, "y");
    assert_eq!(notes(&stage), "# Notes\n");
    asked.says("What do you mean?");
    terminal.sees("What do you mean?");
    terminal.sees("> ");
    terminal.types("\x04");
    assert!(terminal.ends().0.success());
}

#[test]
fn commands_answer_at_once_and_unknown_ones_name_the_nearest() {
    let (stage, model) = (stage(), Model::new());
    let mut terminal = converse(&stage, &model);
    for (line, words) in [
        ("/help", "stops what is worked on"),
        ("/roles", "whole run"),
        ("/tools", "edit.write_file  edit__write_file"),
        ("/budget", "max_turns"),
        ("/pin", "nothing is pinned"),
        ("/model", "as chosen"),
        ("/trace", "nothing has been said yet"),
        ("/modle x", "there is no /modle: did you mean /model?"),
        ("/model nonsense", "! "),
    ] {
        terminal.line(line);
        terminal.sees(words);
        terminal.sees("> ");
    }
    // Completed by Tab.
    terminal.types("/bud\t");
    terminal.sees("/budget");
    terminal.types("\r");
    terminal.sees("each prompt");
    terminal.sees("> ");
    // Several lines, pasted as one.
    terminal.types("\x1b[200~one\ntwo\x1b[201~");
    terminal.sees("two");
    terminal.types("\r");
    let asked = model.is_asked();
    assert_eq!(asked.last(1)[0].1, "one\ntwo");
    asked.says("Three.");
    terminal.sees("Three.");
    terminal.sees("completed · ");
    terminal.line("/trace root");
    terminal.sees("one\n  two");
    // Another model goes on with the same transcript.
    let other = Model::new();
    terminal.line(&format!("/model {}", other.choice()));
    terminal.sees("from the next prompt on: ");
    terminal.line("And now?");
    let asked = other.is_asked();
    let said: Vec<String> = asked.last(3).into_iter().map(|(_, text)| text).collect();
    assert_eq!(said, ["one\ntwo", "Three.", "And now?"]);
    asked.says("Four.");
    terminal.sees("Four.");
    terminal.sees("completed · ");
    terminal.sees("> ");
    // Remembered, for the user alone.
    let history = stage.home().join(".local/state/remit/history");
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&history).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    assert!(fs::read_to_string(&history).unwrap().contains("And now?"));
    terminal.types("\x03");
    terminal.sees("nothing to stop");
    terminal.sees("> ");
    terminal.types("\x03");
    assert!(terminal.ends().0.success());
}

#[test]
fn a_signal_ends_a_conversation_with_what_was_done_recorded() {
    for signal in [Signal::TERM, Signal::HUP] {
        let (stage, model) = (stage(), Model::new());
        let mut terminal = converse(&stage, &model);
        terminal.line("Which framework is used?");
        let _asked = model.is_asked();
        kill_process(Pid::from_child(&terminal.child), signal).unwrap();
        terminal.sees("cancelled · ");
        let (status, _) = terminal.ends();
        assert_eq!(status.code(), Some(130));
        let events = events(&stage);
        assert_eq!(
            (&events.last().unwrap()["kind"], &events.last().unwrap()["status"]),
            (&json!("outcome"), &json!("cancelled"))
        );
    }
}

#[test]
fn leaving_while_it_works_stops_it_and_records_that() {
    for keys in ["/quit\r", "\x04"] {
        let (stage, model) = (stage(), Model::new());
        let mut terminal = converse(&stage, &model);
        terminal.line("Which framework is used?");
        let _asked = model.is_asked();
        terminal.sees("> ");
        terminal.types(keys);
        terminal.sees("cancelled · ");
        terminal.sees("all of it: remit trace 2");
        assert!(terminal.ends().0.success());
        assert_eq!(events(&stage).last().unwrap()["status"], "cancelled");
    }
}

#[test]
fn leaving_in_the_middle_of_much_output_is_possible() {
    let (stage, model) = (stage(), Model::new());
    let mut terminal = converse(&stage, &model);
    terminal.line("Say much.");
    let asked = model.is_asked();
    terminal.sees("> ");
    asked.says(&"a row of words\n".repeat(3000));
    terminal.sees("a row of words");
    terminal.types("/quit\r");
    assert!(terminal.ends().0.success());
}

#[test]
fn what_was_typed_before_a_question_of_a_run_is_no_answer_to_it() {
    let (stage, model) = (stage(), Model::new());
    let mut terminal = start(&stage, &model, &["run", "Add a line to the notes."]);
    let asked = model.is_asked();
    terminal.types("y\ny\nye");
    asked.calls("edit__write_file", &write_call());
    terminal.sees("n no, and why:");
    terminal.types("n not this one\ny\n");
    let asked = model.is_asked();
    assert!(asked.last(1)[0].1.contains("said no: not this one"), "{:?}", asked.last(1));
    // The `y` behind the answer is none to the next question either.
    asked.calls("edit__write_file", &write_call());
    terminal.sees("n no, and why:");
    terminal.types("y\n");
    let asked = model.is_asked();
    assert_eq!(notes(&stage), "# Notes\nmore\n");
    asked.says("Done.");
    let (status, shown) = terminal.ends();
    assert!(status.success() && shown.contains("Done."), "{shown}");
}

#[test]
fn a_terminal_that_hangs_up_ends_a_run_in_good_order() {
    let (stage, model) = (stage(), Model::new());
    let terminal = start(&stage, &model, &["run", "Which framework is used?"]);
    let _asked = model.is_asked();
    kill_process(Pid::from_child(&terminal.child), Signal::HUP).unwrap();
    let (status, shown) = terminal.ends();
    assert_eq!(status.code(), Some(130), "{shown}");
    assert_eq!(events(&stage).last().unwrap()["status"], "cancelled");
}

#[test]
fn a_run_that_was_started_to_outlive_its_terminal_does() {
    let (stage, model) = (stage(), Model::new());
    let run =
        stage.remit(&["run", "--roles", "own.toml", "--model", &model.choice(), "Which framework is used?"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(run.get_program()).args(run.get_args());
    shell.current_dir(run.get_current_dir().unwrap()).env_clear();
    shell.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("OPENAI_API_KEY", "none");
    let child = shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let asked = model.is_asked();
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    asked.says("It is pytest.");
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!((said.code, said.stdout.as_str()), (0, "It is pytest.\n"), "{said:?}");
}

#[test]
fn an_interrupted_call_is_stopped_and_says_that_nothing_was_changed() {
    let stage = Stage::new();
    stage.write("odd.wasm", wat::parse_str(SPIN).unwrap());
    stage.write(
        "odd.toml",
        "[plugins]\nodd = { path = \"odd.wasm\" }\n[roles.root]\ndescription = \"Answers.\"\ntools = [\"odd.*\"]\n",
    );
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut terminal = Terminal::start(&stage, &["call", "--roles", "odd.toml", "odd.spin"], &[]);
        terminal.sees("odd.spin · 1 s");
        kill_process(Pid::from_child(&terminal.child), signal).unwrap();
        terminal.sees("cancelled; nothing was changed");
        assert_eq!(terminal.ends().0.code(), Some(130));
    }
}

#[test]
fn a_terminal_that_can_not_edit_lines_is_told_what_to_do_instead() {
    let (stage, model) = (stage(), Model::new());
    let choice = model.choice();
    let arguments = ["--roles", "own.toml", "--model", &choice];
    let mut terminal = Terminal::start(&stage, &arguments, &[("OPENAI_API_KEY", "none"), ("TERM", "dumb")]);
    terminal.sees("this terminal can't edit lines");
    terminal.sees("remit run");
    assert_eq!(terminal.ends().0.code(), Some(2));
}

#[test]
fn without_a_terminal_there_is_no_conversation() {
    let said = stage().say(&[]);
    assert_eq!((said.code, said.stdout.as_str()), (2, ""));
    assert!(said.stderr.contains("Usage: remit"), "{}", said.stderr);
    let refused = stage().say(&["--model", "offline", "tools"]).refused();
    assert!(refused.contains("behind the command"), "{refused}");
}
