//! Requests and commands: who is asked before them, and what is told of them.

use std::sync::Arc;
use std::time::Duration;

use remit_agent::{
    Answer, AnswerScope, Asked, Decider, Entry, EventKind, Observed, Outward, Policy, Status, ToolOutcome,
};
use serde_json::json;

use crate::stage::{Person, Played, Stage, call, calls, says, task};

/// A root that may delegate to one who gets pages and one who runs commands.
const ROLES: &str = r#"
[ceiling]
hosts = ["https://docs.rs", "https://*.example.org"]
commands = ["cargo test **"]

[roles.root]
description = "Plans."
tools = ["task"]
delegates = ["researcher", "verifier"]

[roles.researcher]
description = "Reads pages."
tools = ["fetch.*"]
hosts = ["https://docs.rs", "https://*.example.org"]

[roles.verifier]
description = "Runs tests."
tools = ["command.run"]
read = ["."]
commands = ["cargo test **"]
"#;

fn get(id: &str, url: &str) -> remit_model::ToolCall {
    call(id, "fetch__get", json!({ "url": url }))
}

fn run(id: &str, argv: &[&str]) -> remit_model::ToolCall {
    call(id, "command__run", json!({ "argv": argv }))
}

/// `fetch.get` sends a GET, and `command.run` runs what it is told to.
fn reaching(stage: Stage) -> Stage {
    stage
        .roles(ROLES)
        .outward("fetch.get", |arguments| {
            let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
            let url = arguments["url"].as_str().unwrap().to_owned();
            vec![Outward::Request { method: "GET".into(), url }]
        })
        .outward("command.run", |arguments| {
            let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
            let argv = arguments["argv"].as_array().unwrap().iter();
            let argv = argv.map(|word| word.as_str().unwrap().to_owned()).collect();
            vec![Outward::Command { argv, directory: ".".into() }]
        })
}

/// A researcher who makes these requests in one turn.
fn asking(urls: &[&str]) -> Stage {
    let gets = urls.iter().enumerate().map(|(n, url)| get(&format!("c{n}"), url)).collect();
    reaching(Stage::new(vec![("root", calls(gets)), ("root", says("done"))])).role("researcher")
}

fn answers(played: &Played) -> Vec<(bool, Decider, Option<AnswerScope>)> {
    let answer = |kind: &EventKind| match kind {
        EventKind::Answer { granted, by, scope, .. } => Some((*granted, *by, *scope)),
        _ => None,
    };
    played.events.iter().filter_map(|event| answer(&event.kind)).collect()
}

fn hosts(played: &Played) -> Vec<(&str, u64)> {
    played.outcome.hosts.iter().map(|host| (host.host.as_str(), host.requests)).collect()
}

#[tokio::test]
async fn what_is_granted_and_not_asked_about_is_done_without_a_question() {
    let played = asking(&["https://docs.rs/a", "https://docs.rs/b"]).play().await;
    assert_eq!(answers(&played), []);
    assert_eq!(hosts(&played), [("https://docs.rs", 2)]);
}

#[tokio::test]
async fn a_request_is_asked_about_before_it_is_sent_and_a_no_reaches_the_model() {
    let person = Person::who_says(vec![Answer::Once, Answer::No { reason: "not that page\u{1b}[2J".into() }]);
    let played = asking(&["https://docs.rs/a\u{202e}", "https://docs.rs/b"])
        .with("researcher", "approve = [\"network\"]")
        .person(&person)
        .play()
        .await;
    let asked: Vec<Asked> = person.asked().into_iter().map(|question| question.effect).collect();
    let request = |url: &str| Asked::Request { method: "GET".into(), url: url.into() };
    assert_eq!(asked, [request("https://docs.rs/a\\u{202e}"), request("https://docs.rs/b")]);
    let results = played.shown("root", 1).results();
    assert!(!results[0].2);
    let said_no = "a person was asked, and said no: not that page\\u{1b}[2J";
    assert_eq!((results[1].1.as_str(), results[1].2), (said_no, true), "no line of the file is to blame");
    assert_eq!(hosts(&played), [("https://docs.rs", 1)]);
    let order: Vec<&str> = played
        .kinds("root")
        .into_iter()
        .filter_map(|kind| match kind {
            EventKind::ToolStarted { .. } => Some("started"),
            EventKind::Question { .. } => Some("question"),
            EventKind::Answer { .. } => Some("answer"),
            EventKind::Effects { .. } => Some("effects"),
            EventKind::ToolFinished { .. } => Some("finished"),
            _ => None,
        })
        .collect();
    assert_eq!(order[..5], ["started", "question", "answer", "effects", "finished"]);
    assert_eq!(
        played.outcome.warnings,
        [format!("tried, and was refused: request `GET https://docs.rs/b`: {said_no}")]
    );
}

#[tokio::test]
async fn a_yes_that_lasts_is_about_the_method_and_the_host() {
    for (answer, questions) in [(Answer::Once, 4), (Answer::Agent, 2), (Answer::Session, 2)] {
        let person = Person::who_says(vec![answer; questions]);
        let urls = ["https://docs.rs/a", "https://docs.rs/b?c", "https://a.example.org/", "https://docs.rs/"];
        let played = asking(&urls).with("researcher", "approve = [\"network\"]").person(&person).play().await;
        assert_eq!(person.asked().len(), questions);
        assert_eq!(hosts(&played), [("https://docs.rs", 3), ("https://a.example.org", 1)]);
    }
}

#[tokio::test]
async fn a_yes_that_lasts_for_a_command_is_about_every_word_of_it() {
    let person = Person::who_says(vec![Answer::Session; 3]);
    let commands = [
        run("c0", &["cargo", "test"]),
        run("c1", &["cargo", "test"]),
        run("c2", &["cargo", "test", "--lib x"]),
        run("c3", &["cargo", "test", "--lib", "x"]),
    ];
    let stage = Stage::new(vec![("root", calls(commands.into())), ("root", says("done"))]);
    let played =
        reaching(stage).role("verifier").with("verifier", "approve = \"all\"").person(&person).play().await;
    let asked: Vec<Asked> = person.asked().into_iter().map(|question| question.effect).collect();
    let command = |argv: &[&str]| Asked::Command {
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        directory: ".".into(),
    };
    assert_eq!(
        asked,
        [
            command(&["cargo", "test"]),
            command(&["cargo", "test", "--lib x"]),
            command(&["cargo", "test", "--lib", "x"])
        ]
    );
    assert_eq!(played.outcome.verification.len(), 4);
    assert_eq!(played.outcome.verification[2].command, "cargo test '--lib x'");
}

#[tokio::test]
async fn with_nobody_to_ask_nothing_is_sent_and_the_report_says_so() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "researcher")])),
        ("root/researcher#1", calls(vec![get("c1", "https://docs.rs/a")])),
        ("root/researcher#1", says(r#"{"summary": "could not"}"#)),
        ("root", says("done")),
    ]);
    let played = reaching(stage).with("researcher", "approve = [\"network\"]").play().await;
    let why = "role `researcher` asks before it sends a request (built-in roles.toml:12), and there is nobody to ask";
    assert_eq!(played.shown("root/researcher#1", 1).results()[0].1, why);
    assert_eq!(answers(&played), [(false, Decider::Nobody, None)]);
    let report = played.report();
    assert_eq!(report.warnings, [format!("tried, and was refused: request `GET https://docs.rs/a`: {why}")]);
    assert!(report.hosts.is_empty() && played.outcome.hosts.is_empty());
}

#[tokio::test]
async fn a_deny_beats_a_run_that_says_yes_to_everything() {
    let played = asking(&["https://docs.rs/a", "https://docs.rs/%61dmin/x"])
        .with("researcher", "approve = \"all\"\ndeny = [\"network https://docs.rs/admin*\"]")
        .policy(Policy::Allow)
        .play()
        .await;
    let by: Vec<(bool, Decider)> = answers(&played).into_iter().map(|(yes, by, _)| (yes, by)).collect();
    assert_eq!(by, [(true, Decider::Policy), (false, Decider::Rule)]);
    let denied = &played.shown("root", 1).results()[1].1;
    let rule = "`network https://docs.rs/admin*` is denied to role `researcher` (built-in roles.toml:13)";
    assert_eq!(denied, rule);
    assert_eq!(hosts(&played), [("https://docs.rs", 1)]);
}

#[tokio::test]
async fn a_rule_denies_also_where_nobody_is_asked() {
    let stage = Stage::new(vec![
        ("root", calls(vec![run("c1", &["cargo", "test", "--doc"]), run("c2", &["cargo", "test"])])),
        ("root", says("done")),
    ]);
    let played = reaching(stage)
        .role("verifier")
        .with("verifier", "deny = [\"command cargo test --doc **\"]")
        .play()
        .await;
    let commands: Vec<&str> = played.outcome.verification.iter().map(|run| run.command.as_str()).collect();
    assert_eq!(commands, ["cargo test"]);
    assert_eq!(answers(&played), [(false, Decider::Rule, None)]);
}

#[tokio::test]
async fn whoever_cancels_while_a_request_is_asked_about_has_said_no() {
    let stage = asking(&["https://docs.rs/a", "https://docs.rs/b"]).with("researcher", "approve = \"all\"");
    let cancel = stage.cancel.clone();
    let person = Person::who_says(vec![]);
    let stage = stage.person(&person);
    let interrupt = async {
        person.silent.notified().await;
        cancel.cancel();
    };
    let (played, ()) = tokio::join!(stage.play_partly(), interrupt);
    assert_eq!(played.outcome.status, Status::Cancelled);
    assert_eq!(answers(&played), [(false, Decider::End, None)]);
    assert_eq!(hosts(&played), []);
    assert_eq!(Arc::strong_count(&person), 1, "nobody is left who could hear a later yes");
}

#[tokio::test(start_paused = true)]
async fn a_person_may_think_longer_than_the_call_and_the_agent_have() {
    let person = Person::who_thinks_for(Duration::from_secs(3600));
    let played = asking(&["https://docs.rs/a"])
        .with("researcher", "approve = \"all\"\ncall_time = \"2s\"\nwall_clock = \"5s\"")
        .person(&person)
        .play()
        .await;
    assert_eq!(played.outcome.status, Status::Completed);
    assert_eq!(hosts(&played), [("https://docs.rs", 1)]);
}

#[tokio::test]
async fn a_report_tells_what_was_really_run_and_of_claims_that_are_otherwise() {
    let reply = r#"{"summary": "All pass.", "verification": [{"command": "cargo test 'a b'", "exit_code": 1},
        {"command": "cargo test", "exit_code": 0}, "pytest -q"]}"#;
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "verifier")])),
        ("root/verifier#1", calls(vec![run("c1", &["cargo", "test"]), run("c2", &["cargo", "test", "a b"])])),
        ("root/verifier#1", says(reply)),
        ("root", says("done")),
    ]);
    let played = reaching(stage).play().await;
    let report = played.report();
    let runs: Vec<_> = report.verification.iter().map(|run| (run.command.as_str(), run.exit_code)).collect();
    assert_eq!(runs, [("cargo test", Some(1)), ("cargo test 'a b'", Some(1))]);
    assert_eq!(
        report.warnings,
        [
            "dropped from the report, as not the child's to say: `verification`",
            "claimed as run, though it was not: `pytest -q`",
            "claimed to have ended with another exit code than it did: `cargo test`",
        ]
    );
    assert!(
        played.shown("root", 1).results()[0]
            .1
            .contains(r#""verification":[{"command":"cargo test","exit_code":1"#)
    );
    let agents: Vec<_> = played.outcome.verification.iter().map(|run| run.agent.as_deref()).collect();
    assert_eq!(agents, [Some("root/verifier#1"); 2]);
}

#[tokio::test]
async fn a_page_is_evidence_only_if_it_was_got() {
    let reply = r#"{"summary": "s", "evidence": ["https://docs.rs/a", {"url": "https://docs.rs/b"}]}"#;
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "researcher")])),
        ("root/researcher#1", calls(vec![get("c1", "https://docs.rs/a")])),
        ("root/researcher#1", says(reply)),
        ("root", says("done")),
    ]);
    let played = reaching(stage).play().await;
    let report = played.report();
    let observed: Vec<_> = report.evidence.iter().map(|place| place.observed.unwrap()).collect();
    assert_eq!(observed, [Observed::Shown, Observed::No]);
    assert_eq!(
        report.warnings,
        ["named as evidence, though no tool of this agent opened it: `https://docs.rs/b`"]
    );
    assert_eq!((report.hosts[0].requests, report.hosts[0].received), (1, 5));
}

#[tokio::test]
async fn a_task_can_leave_a_child_fewer_hosts_and_never_more() {
    let narrowed = |id: &str, hosts: serde_json::Value| {
        let arguments = json!({ "role": "researcher", "task": "t", "expected_output": "o", "hosts": hosts });
        call(id, "task", arguments)
    };
    let stage = Stage::new(vec![
        (
            "root",
            calls(vec![
                narrowed("t1", json!(["https://a.example.org"])),
                narrowed("t2", json!(["https://evil.example"])),
                narrowed("t3", json!(["https://docs.rs/serde"])),
                narrowed("t4", json!([])),
            ]),
        ),
        ("root/researcher#1", says(r#"{"summary": "s"}"#)),
        ("root", says("done")),
    ]);
    let played = reaching(stage).play().await;
    assert_eq!(played.made[1], "researcher reads nothing reaches `https://a.example.org`");
    let results = played.shown("root", 1).results();
    let may = "it may reach `https://docs.rs`, `https://*.example.org` and nothing else here (built-in roles.toml:14)";
    assert_eq!(
        results[1].1,
        format!("not delegated: cannot narrow researcher to `https://evil.example`: {may}")
    );
    assert!(results[2].1.contains("without path"), "{}", results[2].1);
    assert!(results[3].1.contains("`hosts` is empty"), "{}", results[3].1);
    let schema = &played.shown("root", 0).schemas["task"];
    let roles = schema["properties"]["role"]["description"].as_str().unwrap();
    assert!(roles.contains("Reaches `https://docs.rs`, `https://*.example.org`."), "{roles}");
    assert!(roles.contains("Runs `cargo test **`."), "{roles}");
}

#[tokio::test]
async fn a_refusal_by_the_sandbox_names_the_line_that_would_grant_it() {
    let refused = |action: &str, path: &str| Entry::Refused {
        action: action.into(),
        path: path.into(),
        reason: "it is not granted".into(),
    };
    for (role, tool, wire, action, line) in [
        ("researcher", "fetch.get", "fetch__get", "request", 14),
        ("verifier", "command.run", "command__run", "run", 20),
    ] {
        let stage =
            Stage::new(vec![("root", calls(vec![call("c1", wire, json!({}))])), ("root", says("done"))]);
        let entry = refused(action, "x");
        let played = stage
            .roles(ROLES)
            .role(role)
            .tool(tool, |_| ToolOutcome::error("refused"))
            .effects(tool, move |_| vec![entry.clone()])
            .play()
            .await;
        let text = played.shown("root", 1).results().remove(0).1;
        assert!(text.ends_with(&format!("(grants of role `{role}`: built-in roles.toml:{line})]")), "{text}");
    }
}
