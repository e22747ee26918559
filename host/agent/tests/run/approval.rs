//! What a person is asked before, and what comes of the answer.

use std::sync::Arc;

use remit_agent::{Answer, AnswerScope, Asked, Decider, EventKind, Policy, Status};
use serde_json::json;

use crate::ledger::{editing, write};
use crate::stage::{Person, Played, Stage, call, calls, says, task};

fn no(reason: &str) -> Answer {
    Answer::No { reason: reason.into() }
}

/// Answers of an agent's events: whether granted, and by whom.
fn answers(played: &Played) -> Vec<(bool, Decider, Option<AnswerScope>)> {
    let answer = |kind: &EventKind| match kind {
        EventKind::Answer { granted, by, scope, .. } => Some((*granted, *by, *scope)),
        _ => None,
    };
    played.events.iter().filter_map(|event| answer(&event.kind)).collect()
}

/// An editor that asks before it writes, and writes these files in as many calls of one turn.
fn asking(paths: &[&str]) -> Stage {
    let writes = paths.iter().enumerate().map(|(n, path)| write(&format!("c{n}"), path)).collect();
    editing(Stage::new(vec![("root", calls(writes)), ("root", says("done"))]))
        .with("editor", "approve = [\"write\"]")
        .role("editor")
}

#[tokio::test]
async fn with_nobody_to_ask_the_answer_is_no_and_the_report_says_so() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "editor")])),
        ("root/editor#1", calls(vec![write("c1", "src/a.rs")])),
        ("root/editor#1", says(r#"{"summary": "could not"}"#)),
        ("root", says("done")),
    ]);
    let used = stage.props.used.clone();
    let played = editing(stage).with("editor", "approve = \"all\"").play().await;
    assert_eq!(*used.written.lock().unwrap(), [] as [&str; 0]);
    let (_, text, is_error) = played.shown("root/editor#1", 1).results().remove(0);
    let why = "not written: role `editor` asks before it writes (built-in roles.toml:19), and there is nobody to ask";
    assert_eq!((text.as_str(), is_error), (why, true));
    assert_eq!(answers(&played), [(false, Decider::Nobody, None)]);
    let report = played.report();
    assert_eq!(report.warnings, [format!("tried, and was refused: write `src/a.rs`: {why}")]);
    assert_eq!(report.changes, []);
}

#[tokio::test]
async fn a_yes_holds_once_for_the_agent_or_for_the_role_in_the_run() {
    for (answer, scope, questions) in [
        (Answer::Once, AnswerScope::Once, 4),
        (Answer::Agent, AnswerScope::Agent, 2),
        (Answer::Session, AnswerScope::Session, 1),
    ] {
        let edits = || calls(vec![write("c1", "src/a.rs"), write("c2", "src/b.rs")]);
        let stage = Stage::new(vec![
            ("root", calls(vec![task("t1", "editor"), task("t2", "editor")])),
            ("root/editor#1", edits()),
            ("root/editor#1", says(r#"{"summary": "a"}"#)),
            ("root/editor#2", edits()),
            ("root/editor#2", says(r#"{"summary": "b"}"#)),
            ("root", says("done")),
        ]);
        let person = Person::who_says(vec![answer; questions]);
        let used = stage.props.used.clone();
        let played = editing(stage).with("editor", "approve = [\"write\"]").person(&person).play().await;
        assert_eq!(person.asked().len(), questions, "{scope:?}");
        assert_eq!(used.written.lock().unwrap().len(), 4);
        let answers = answers(&played);
        assert_eq!(answers.iter().filter(|(granted, ..)| *granted).count(), 4);
        assert_eq!(answers[0], (true, Decider::Person, Some(scope)));
        let earlier = answers.iter().filter(|(_, by, _)| *by == Decider::Earlier).count();
        assert_eq!(earlier, 4 - questions);
    }
}

#[tokio::test]
async fn a_no_writes_nothing_and_its_reason_reaches_the_model() {
    let stage = asking(&["src/a.rs", "src/b.rs", "src/c.rs"]);
    let used = stage.props.used.clone();
    let person = Person::who_says(vec![no("use the other module\u{1b}[2J"), no(""), Answer::Once]);
    let played = stage.person(&person).play().await;
    let results: Vec<(String, bool)> =
        played.shown("root", 1).results().into_iter().map(|(_, text, is_error)| (text, is_error)).collect();
    let said_no = "not written: a person was asked, and said no: use the other module\\u{1b}[2J";
    assert_eq!(results[0], (said_no.to_owned(), true));
    assert_eq!(results[1], ("not written: a person was asked, and said no".to_owned(), true));
    assert!(!results[2].1);
    assert_eq!(*used.written.lock().unwrap(), ["src/c.rs"]);
    assert_eq!(played.outcome.changes.len(), 1);
}

#[tokio::test]
async fn the_question_is_the_effect_itself_and_does_nothing_on_a_screen() {
    let person = Person::who_says(vec![Answer::Once]);
    let played = asking(&["src/a\u{1b}\n.rs"]).person(&person).play().await;
    let question = person.asked().remove(0);
    assert_eq!((question.agent.as_str(), question.role.as_str()), ("root", "editor"));
    assert_eq!(question.tool, "edit.write_file");
    let Asked::Write { files, more: 0, diff } = &question.effect else { panic!("{question:?}") };
    assert_eq!(files[0].path, "src/a\\u{1b}\\n.rs");
    assert!(diff.contains("+\\u{1b}[2J\n") && !diff.contains('\u{1b}'), "{diff}");
    let order: Vec<&str> = played
        .kinds("root")
        .into_iter()
        .filter_map(|kind| match kind {
            EventKind::Staged { .. } => Some("staged"),
            EventKind::Question { .. } => Some("question"),
            EventKind::Answer { .. } => Some("answer"),
            EventKind::Effects { .. } => Some("effects"),
            _ => None,
        })
        .collect();
    assert_eq!(order, ["staged", "question", "answer", "effects"]);
}

#[tokio::test]
async fn agents_at_every_depth_ask_one_person_in_the_order_of_their_calls() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "lead")])),
        ("root/lead#1", calls(vec![write("c1", "src/a.rs"), task("t1", "editor"), write("c2", "src/c.rs")])),
        ("root/lead#1/editor#1", calls(vec![write("c1", "src/b.rs")])),
        ("root/lead#1/editor#1", says(r#"{"summary": "a"}"#)),
        ("root/lead#1", says(r#"{"summary": "b"}"#)),
        ("root", says("done")),
    ]);
    let person = Person::who_says(vec![Answer::Once; 4]);
    let played = editing(stage)
        .with("editor", "approve = [\"write\"]")
        .with("lead", "approve = \"all\"")
        .person(&person)
        .play()
        .await;
    let asked: Vec<(String, &str)> = person
        .asked()
        .into_iter()
        .map(|question| {
            let kind = question.effect.kind().as_str();
            (question.agent, kind)
        })
        .collect();
    let lead = || "root/lead#1".to_owned();
    assert_eq!(
        asked,
        [
            (lead(), "write"),
            (lead(), "delegate"),
            ("root/lead#1/editor#1".to_owned(), "write"),
            (lead(), "write")
        ]
    );
    assert_eq!(played.outcome.changes.len(), 3);
}

#[tokio::test]
async fn a_child_is_asked_about_with_its_task_and_its_grants_before_anything_of_it_is_there() {
    let paths =
        json!({ "role": "editor", "task": "Fix it.", "expected_output": "o", "paths": ["src/inner"] });
    let stage = Stage::new(vec![("root", calls(vec![call("t1", "task", paths)])), ("root", says("done"))]);
    let person = Person::who_says(vec![no("not now")]);
    let played = editing(stage).with("root", "approve = [\"delegate\"]").person(&person).play().await;
    let expected = Asked::Delegate {
        role: "editor".into(),
        task: "Fix it.".into(),
        grants: "Edits. Tools: edit.*, files.*. Reads `src/inner`. Writes `src/inner`.".into(),
    };
    assert_eq!(person.asked()[0].effect, expected);
    let (_, text, is_error) = played.shown("root", 1).results().remove(0);
    assert_eq!((text.as_str(), is_error), ("not delegated: a person was asked, and said no: not now", true));
    assert_eq!((played.made.len(), played.outcome.figures.delegations), (1, 0));
}

#[tokio::test]
async fn rules_come_before_questions_and_a_deny_before_a_person_who_would_allow() {
    let person = Person::who_says(vec![Answer::Session]);
    let stage = asking(&["src/free.md", "src/never.lock", "src/ask.rs", "src/also.lock"])
        .with("editor", "allow = [\"write *.md\", \"write *.lock\"]\ndeny = [\"write *.lock\"]");
    let used = stage.props.used.clone();
    let played = stage.person(&person).play().await;
    assert_eq!(person.asked().len(), 1);
    assert_eq!(*used.written.lock().unwrap(), ["src/free.md", "src/ask.rs"]);
    let by: Vec<Decider> = answers(&played).into_iter().map(|(_, by, _)| by).collect();
    assert_eq!(by, [Decider::Rule, Decider::Person, Decider::Rule]);
}

#[tokio::test]
async fn a_run_can_be_told_to_answer_every_question_and_a_deny_holds_all_the_same() {
    for (policy, written) in [(Policy::Allow, vec!["src/a.rs"]), (Policy::Deny, vec![])] {
        let stage = asking(&["src/a.rs", "src/a.lock"]).with("editor", "deny = [\"write *.lock\"]");
        let used = stage.props.used.clone();
        let played = stage.policy(policy).play().await;
        assert_eq!(*used.written.lock().unwrap(), written, "{policy:?}");
        assert!(played.shown("root", 1).results()[1].1.contains("is denied to role `editor`"));
        assert_eq!(answers(&played)[0].1, Decider::Policy);
    }
}

#[tokio::test]
async fn who_cancels_while_a_question_is_open_has_said_no() {
    let stage = asking(&["src/a.rs", "src/b.rs"]);
    let (used, cancel) = (stage.props.used.clone(), stage.cancel.clone());
    let person = Person::who_says(vec![]);
    let stage = stage.person(&person);
    let interrupt = async {
        person.silent.notified().await;
        cancel.cancel();
    };
    let (played, ()) = tokio::join!(stage.play_partly(), interrupt);
    assert_eq!(played.outcome.status, Status::Cancelled);
    assert_eq!(*used.written.lock().unwrap(), [] as [&str; 0]);
    assert_eq!(answers(&played), [(false, Decider::End, None)]);
    assert_eq!(person.asked().len(), 1, "the second is not asked about any more");
    assert_eq!(Arc::strong_count(&person), 1, "nobody is left who could hear a later yes");
}

#[tokio::test]
async fn what_is_not_asked_about_is_written_without_a_question() {
    let stage = asking(&["src/a.rs"]).replaced("approve = [\"write\"]", "approve = [\"delegate\"]");
    let used = stage.props.used.clone();
    let played = stage.play().await;
    assert_eq!(*used.written.lock().unwrap(), ["src/a.rs"]);
    assert_eq!(answers(&played), []);
}
