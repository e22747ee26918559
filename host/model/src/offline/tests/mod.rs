//! The planner at work on small repositories.

mod repositories;
mod workspace;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::Settings;
use crate::chat::{ToolSet, Transcript, collect};
use repositories::{JAVASCRIPT, PYTHON, PYTHON_UNITTEST, RUST};
use workspace::{Workspace, assignment, explorer_tools, root_tools};

/// What a child reports on a question about a repository, and how many turns it took.
async fn explore(files: &[(&str, &str)], question: &str) -> (Value, usize) {
    let workspace = Workspace::new(files);
    let (text, turns) = workspace.converse(&assignment(question), &explorer_tools(), ToolChoice::Auto).await;
    (serde_json::from_str(&text).unwrap(), turns)
}

fn places(report: &Value) -> Vec<String> {
    let evidence = report["evidence"].as_array().unwrap();
    evidence.iter().map(|place| format!("{}:{}", place["path"].as_str().unwrap(), place["line"])).collect()
}

/// Asks, and expects the first place and words of the summary.
async fn expect(files: &[(&str, &str)], question: &str, first: &str, summary: &str) {
    let (report, turns) = explore(files, question).await;
    let shown = serde_json::to_string_pretty(&report).unwrap();
    assert_eq!(places(&report).first().map(String::as_str), Some(first), "{question}\n{shown}");
    assert!(report["summary"].as_str().unwrap().contains(summary), "{question}\n{shown}");
    assert_eq!(report["open_questions"], Value::Array(Vec::new()), "{question}\n{shown}");
    assert!(turns <= 4, "{question}: {turns} turns");
}

const FRAMEWORK: [&str; 4] = [
    "Which test framework does this project use?",
    "What testing library is used here?",
    "这个项目使用什么测试框架？",
    "请问项目里的单元测试是用什么写的？",
];

const TURN_LIMIT: [&str; 4] = [
    "Where is the turn limit enforced?",
    "Where does the code check the maximum number of turns?",
    "轮次限制在哪里强制执行？",
    "哪里检查了最大轮数？",
];

#[tokio::test]
async fn the_test_framework_is_found_in_every_language() {
    for question in FRAMEWORK {
        expect(RUST, question, "src/budget.rs:27", "Rust's built-in harness (cargo test)").await;
        expect(PYTHON, question, "pyproject.toml:7", "pytest").await;
        expect(PYTHON_UNITTEST, question, "tests/test_shop.py:1", "unittest").await;
        expect(JAVASCRIPT, question, "package.json:9", "Vitest").await;
    }
}

#[tokio::test]
async fn further_frameworks_are_named_too() {
    let (report, _) = explore(RUST, FRAMEWORK[0]).await;
    assert!(report["summary"].as_str().unwrap().contains("proptest (Cargo.toml:10)"), "{report}");
    assert!(places(&report).contains(&"Cargo.toml:9".to_owned()), "{report}");
}

#[tokio::test]
async fn the_turn_limit_is_found_where_it_is_enforced() {
    for question in TURN_LIMIT {
        expect(RUST, question, "src/budget.rs:14", "src/budget.rs:14").await;
        expect(PYTHON, question, "agent/loop.py:14", "agent/loop.py:14").await;
        expect(JAVASCRIPT, question, "src/loop.ts:8", "src/loop.ts:8").await;
    }
}

#[tokio::test]
async fn other_questions_about_a_project_are_answered_in_their_language() {
    expect(RUST, "Under which license is it published?", "Cargo.toml:5", "`MIT License` (LICENSE:1)").await;
    expect(RUST, "许可证是什么？", "Cargo.toml:5", "许可证：`license = \"MIT\"`（Cargo.toml:5）、").await;
    expect(RUST, "Where is the entry point?", "src/main.rs:3", "fn main()").await;
    expect(PYTHON, "程序的入口在哪里？", "agent/__main__.py:5", "入口：").await;
    expect(JAVASCRIPT, "Which version is this?", "package.json:3", "\"version\": \"2.1.0\"").await;
    expect(PYTHON, "Which Python version does it need?", "pyproject.toml:4", "requires-python").await;
    expect(RUST, "Which version of serde does it use?", "Cargo.toml:8", "serde").await;
    expect(JAVASCRIPT, "What does this project do?", "package.json:4", "An agent").await;
    expect(RUST, "Where is `Limits` defined?", "src/budget.rs:3", "pub struct Limits").await;
    expect(RUST, "Where is run_loop called?", "src/main.rs:4", "run_loop").await;
    expect(PYTHON, "Where are requests retried?", "agent/client.py:5", "retries").await;
}

#[tokio::test]
async fn what_is_nowhere_is_an_open_question() {
    let (report, turns) = explore(RUST, "Where is the billing address validated?").await;
    assert_eq!(places(&report), Vec::<String>::new());
    assert_eq!(report["open_questions"][0], "nothing was found for billing, address");
    assert!(turns <= 4);
    let (report, _) = explore(RUST, "退款流程在哪里？").await;
    assert_eq!(report["open_questions"][0], "没有找到与 退款流程 相关的内容");
}

#[tokio::test]
async fn out_of_turns_it_reports_what_it_has_found_so_far() {
    let workspace = Workspace::new(PYTHON);
    let mut transcript = Transcript::new();
    transcript.push(Message::user(assignment(FRAMEWORK[0])));
    workspace.turn(&mut transcript, &explorer_tools(), ToolChoice::Auto).await;
    transcript.push(Message::user("The limit `max_turns` is reached. Say now what you have found."));
    let reply = workspace.turn(&mut transcript, &explorer_tools(), ToolChoice::None).await;
    let report: Value = serde_json::from_str(&reply.text).unwrap();
    assert_eq!(places(&report)[0], "pyproject.toml:7");
    assert!(report["warnings"][0].as_str().unwrap().contains("no turn left"), "{report}");
}

#[tokio::test]
async fn without_tools_it_says_that_it_looked_at_nothing() {
    let workspace = Workspace::new(RUST);
    let (text, turns) =
        workspace.converse(&assignment(FRAMEWORK[0]), &ToolSet::default(), ToolChoice::Auto).await;
    let report: Value = serde_json::from_str(&text).unwrap();
    assert!(report["warnings"][0].as_str().unwrap().starts_with("no tool to search or read"), "{report}");
    assert_eq!((places(&report).len(), turns), (0, 1));
}

#[tokio::test]
async fn with_only_some_tools_it_does_what_it_can() {
    let workspace = Workspace::new(PYTHON);
    for (names, warning) in [
        (&["search__grep"][..], "were not read in context"),
        (&["files__read_file", "files__list_files"], "by their names alone"),
        (&["files__read_file", "files__find_files"], "by their names alone"),
    ] {
        let mut specs = explorer_tools().specs().to_vec();
        specs.retain(|spec| names.contains(&spec.name.as_str()));
        let tools = ToolSet::new(specs);
        let (text, _) = workspace.converse(&assignment(FRAMEWORK[0]), &tools, ToolChoice::Auto).await;
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(places(&report)[0], "pyproject.toml:7", "{names:?} {report}");
        assert!(report["warnings"].to_string().contains(warning), "{names:?} {report}");
    }
}

#[tokio::test]
async fn a_failing_tool_is_reported_and_not_called_for_ever() {
    let workspace = Workspace::new(&[]).failing();
    let (text, turns) =
        workspace.converse(&assignment(TURN_LIMIT[0]), &explorer_tools(), ToolChoice::Auto).await;
    let report: Value = serde_json::from_str(&text).unwrap();
    assert!(report["warnings"][0].as_str().unwrap().contains("search__grep: denied"), "{report}");
    assert!(turns <= 4);
}

#[tokio::test]
async fn a_root_delegates_the_question_and_answers_with_the_places() {
    let workspace = Workspace::new(PYTHON);
    let prompt = "Which test framework does this project use?\n\nThese hold throughout:\n- be kind";
    let (text, turns) = workspace.converse(prompt, &root_tools(), ToolChoice::Auto).await;
    assert_eq!(turns, 2);
    assert_eq!(workspace.tasks()[0]["role"], "explorer");
    assert_eq!(workspace.tasks()[0]["task"], "Which test framework does this project use?");
    assert!(workspace.tasks()[0]["expected_output"].is_string());
    assert!(text.starts_with("Test framework: pytest (pyproject.toml:7)"), "{text}");
    assert!(text.contains("\n- pyproject.toml:7 — shows pytest: `"), "{text}");

    let (text, _) = workspace.converse(FRAMEWORK[2], &root_tools(), ToolChoice::Auto).await;
    assert!(text.starts_with("测试框架：pytest（pyproject.toml:7）"), "{text}");
}

#[test]
fn an_unfinished_report_is_called_that() {
    let question = Question::read("Where is x?");
    let result = |text: &str, is_error| [Message::tool_result("a", "task", text, is_error)];
    let text = "Report, fenced {as} data:\n```json\n{\"status\":\"budget_exhausted\",\"limit\":\"max_turns\",\
                \"summary\":\"half\",\"evidence\":[\"a.rs:3\"],\"warnings\":[\"w\"],\"open_questions\":[\"q\"]}\n```";
    assert_eq!(
        lead::answer(&question, &result(text, false)).unwrap(),
        "The exploration did not complete (budget_exhausted, max_turns); this is an unfinished lead.\n\nHalf.\n\n\
         - a.rs:3\n\nNote: w.\n\nOpen: q."
    );
    let failed = lead::answer(&question, &result("unknown role", true)).unwrap();
    assert_eq!(failed, "The question could not be delegated: unknown role");
    assert_eq!(lead::answer(&question, &result("prose", false)).unwrap(), "prose");
    assert_eq!(lead::answer(&question, &[]), None);
}

#[tokio::test]
async fn asked_by_a_person_without_task_it_answers_in_prose() {
    let workspace = Workspace::new(PYTHON);
    let (text, _) = workspace.converse(TURN_LIMIT[0], &explorer_tools(), ToolChoice::Auto).await;
    assert!(text.starts_with("The best match for turn, limit is agent/loop.py:14: `"), "{text}");
}

#[tokio::test]
async fn a_second_question_is_a_new_one() {
    let workspace = Workspace::new(PYTHON);
    let mut transcript = Transcript::new();
    transcript.push(Message::user(FRAMEWORK[0]));
    let first = workspace.run(&mut transcript, &explorer_tools()).await;
    transcript.push(Message::user("Where is the entry point?"));
    let second = workspace.run(&mut transcript, &explorer_tools()).await;
    assert!(
        first.contains("pyproject.toml:7") && second.contains("agent/__main__.py:5"),
        "{first}\n{second}"
    );
}

#[tokio::test]
async fn the_same_transcript_brings_the_same_reply_and_tokens_are_characters_over_four() {
    let mut transcript = Transcript::new();
    transcript.push(Message::user("12345678"));
    let tools = ToolSet::default();
    let request = Request {
        agent: "root",
        role: "root",
        system: "1234",
        transcript: &transcript,
        tools: &tools,
        tool_choice: ToolChoice::Auto,
        max_output_tokens: None,
        settings: Settings::plain(),
        form: None,
    };
    let model = Offline::new();
    let reply = collect(model.ask(request), |_| {}).await.unwrap();
    assert_eq!(collect(model.ask(request), |_| {}).await.unwrap(), reply);
    assert_eq!(reply.usage.input_tokens, 3);
    assert_eq!(reply.usage.output_tokens, reply.text.chars().count().div_ceil(4) as u64);
}

proptest! {
    #[test]
    fn no_question_and_no_result_is_too_odd(question in "\\PC{0,80}", result in "(\\PC|\n){0,200}") {
        let mut transcript = Transcript::new();
        transcript.push(Message::user(&question));
        let tools = explorer_tools();
        for _ in 0..4 {
            let request = Request {
                agent: "root",
                role: "root",
                system: "",
                transcript: &transcript,
                tools: &tools,
                tool_choice: ToolChoice::Auto,
                max_output_tokens: None,
                settings: Settings::plain(),
                form: None,
            };
            let calls: Vec<ToolCall> = events(&request)
                .into_iter()
                .filter_map(|event| if let ModelEvent::ToolCall(call) = event { Some(call) } else { None })
                .collect();
            transcript.push(Message::assistant("", calls.clone()));
            for call in calls {
                // A search with a pattern that is none would fail.
                let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
                if call.name == "search__grep" {
                    prop_assert!(regex::Regex::new(arguments["pattern"].as_str().unwrap()).is_ok());
                }
                transcript.push(Message::tool_result(&call.id, &call.name, &result, false));
            }
        }
    }
}
