//! Ctrl-C, and readers that go away.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::components::SPIN;
use crate::stage::{Said, Stage};

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Reads events until one of an agent is of that kind.
fn wait_for(events: &mut BufReader<ChildStdout>, agent: &str, kind: &str) {
    let mut line = String::new();
    loop {
        line.clear();
        assert_ne!(events.read_line(&mut line).unwrap(), 0, "no {kind} of {agent}");
        let event: Value = serde_json::from_str(&line).unwrap();
        if event["agent"] == agent && event["kind"] == kind {
            return;
        }
    }
}

/// Starts a run, waits for an event, and interrupts it. Gives its last event.
fn interrupted(stage: &Stage, arguments: &[&str], agent: &str, kind: &str) -> (i32, Value) {
    let mut child = stage.remit(arguments).spawn().unwrap();
    let mut events = BufReader::new(child.stdout.take().unwrap());
    wait_for(&mut events, agent, kind);
    send(&child, Signal::INT);
    let mut rest = String::new();
    events.read_to_string(&mut rest).unwrap();
    let code = child.wait().unwrap().code().unwrap();
    (code, serde_json::from_str(rest.lines().last().unwrap()).unwrap())
}

#[test]
fn an_interrupted_model_leaves_a_record_of_what_was_done() {
    let stage = Stage::shop();
    let model = stage.script(
        r#"
        [[turn]]
        agent = "root"
        calls = [{ tool = "task", args = { role = "explorer", task = "look", expected_output = "it" } }]
        [[turn]]
        role = "explorer"
        calls = [{ tool = "search.grep", args = { pattern = "pytest" } }]
        [[turn]]
        role = "explorer"
        text = "I have found "
        fault = "hang"
        "#,
    );
    let arguments = ["run", "--json", "--model", &model, "x"];
    let (code, last) = interrupted(&stage, &arguments, "root/explorer#1", "text_delta");
    assert_eq!((code, &last["kind"], &last["status"]), (130, &"outcome".into(), &"cancelled".into()));

    let tree = stage.say(&["trace", "last"]).fine();
    assert!(tree.contains("root/explorer#1  cancelled"), "{tree}");
    let conversation = stage.say(&["trace", "last", "root/explorer#1"]).fine();
    assert!(conversation.contains("pyproject.toml") && conversation.contains("cancelled"), "{conversation}");
    assert!(stage.say(&["trace"]).fine().contains("cancelled"));
}

#[test]
fn an_interrupted_call_is_stopped_wherever_it_is() {
    let stage = Stage::new();
    stage.write("odd.wasm", wat::parse_str(SPIN).unwrap());
    let roles = "[plugins]\nodd = { path = \"odd.wasm\" }\n[roles.root]\ndescription = \"Answers.\"\ntools = [\"odd.*\"]\n";
    stage.write("other.toml", roles);
    let model = stage.script("[[turn]]\nagent = \"root\"\ncalls = [{ tool = \"odd.spin\" }]\n");
    let arguments = ["run", "--json", "--roles", "other.toml", "--model", &model, "x"];
    let (code, last) = interrupted(&stage, &arguments, "root", "tool_started");
    assert_eq!((code, &last["status"]), (130, &"cancelled".into()));
}

/// A workspace and a script whose events are more than a pipe holds: whoever writes them is stuck until somebody reads,
/// or nobody can any more. Then the model hangs.
fn flood() -> (Stage, String) {
    let stage = Stage::new();
    stage.write("large.txt", "word ".repeat(6000));
    let reads = "[[turn]]\nagent = \"root\"\n\
                 calls = [{ tool = \"files.read_file\", args = { path = \"large.txt\" } }]\n";
    let model = stage.script(&format!("{}[[turn]]\nagent = \"root\"\nfault = \"hang\"\n", reads.repeat(8)));
    (stage, model)
}

#[test]
fn a_second_interrupt_waits_for_nothing() {
    let (stage, model) = flood();
    let mut child = stage.remit(&["run", "--json", "--model", &model, "x"]).spawn().unwrap();
    let mut events = BufReader::new(child.stdout.take().unwrap());
    wait_for(&mut events, "root", "run_started");
    // Two different ones: two of a kind may arrive as one.
    send(&child, Signal::INT);
    send(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(events);
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let stage = Stage::shop();
    for arguments in
        [&["tools"][..], &["roles", "--json"], &["trace"], &["run", "--model", "offline", "tests?"]]
    {
        let mut command = stage.remit(arguments);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let said = Said::from(command.stdout(writer).output().unwrap());
        assert_eq!(said.code, 0, "{said:#?}");
        assert!(!said.stderr.contains("panicked") && !said.stderr.contains("error"), "{said:#?}");
    }
}

#[test]
fn events_that_nobody_reads_any_more_end_the_run() {
    let (stage, model) = flood();
    let mut child = stage.remit(&["run", "--json", "--model", &model, "x"]).spawn().unwrap();
    let mut events = BufReader::new(child.stdout.take().unwrap());
    wait_for(&mut events, "root", "run_started");
    drop(events);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!((said.code, said.stderr.as_str()), (130, ""));
}

#[test]
fn events_that_can_not_be_written_end_the_run_and_say_why() {
    let (stage, model) = flood();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = stage.remit(&["run", "--json", "--model", &model, "x"]);
    let said = Said::from(command.stdout(full).output().unwrap());
    assert_eq!(said.code, 4, "{said:?}");
    assert!(said.stderr.contains("cannot write to standard output: No space left"), "{said:?}");
}
