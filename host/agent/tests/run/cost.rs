//! What models cost is counted by the user's prices, and ends what may cost no more.

use std::sync::Arc;

use remit_agent::roles::Role;
use remit_agent::{EventKind, Models, Patience, Prices, RunError, RunRequest, StartError, Status, run};
use remit_model::{EventStream, Model, ModelError, Request};
use serde_json::json;

use crate::stage::{Actor, Line, Stage, call, calls, says, task};

/// Actors whose pay is listed, or is not.
struct Paid {
    root: Arc<dyn Model>,
    child: Arc<dyn Model>,
    prices: Prices,
    _folder: tempfile::TempDir,
}

struct Named(Arc<Actor>, &'static str);

impl Model for Named {
    fn id(&self) -> &str {
        self.1
    }

    fn ask<'a>(&'a self, request: Request<'a>) -> EventStream<'a> {
        self.0.ask(request)
    }
}

impl Models for Paid {
    fn of(&self, role: &Role) -> Result<Arc<dyn Model>, ModelError> {
        Ok(if role.name() == "root" { self.root.clone() } else { self.child.clone() })
    }

    fn patience(&self) -> Patience {
        Patience::none()
    }

    fn prices(&self) -> Prices {
        self.prices.clone()
    }
}

/// A run whose root asks `openai:dear`, at 10 dollars for a million tokens in and 100 out, and whose others ask `child`.
fn paid(lines: Vec<(&'static str, Line)>, child: &'static str) -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("models.toml");
    let text = "[prices.\"openai:dear\"]\ninput = 10\ncached_input = 1.0\noutput = 100\n\
                [prices.\"openai:cheap\"]\ninput = 1\noutput = 2\n";
    std::fs::write(&path, text).unwrap();
    let stage = Stage::new(lines);
    let actor = stage.actor.clone();
    stage.models(Paid {
        root: Arc::new(Named(actor.clone(), "openai:dear")),
        child: Arc::new(Named(actor, child)),
        prices: Prices::read(&path).unwrap(),
        _folder: folder,
    })
}

fn reads() -> Line {
    calls(vec![call("c", "files__read_file", json!({}))])
}

#[tokio::test]
async fn each_agents_tokens_cost_what_its_model_does() {
    let lines = || {
        vec![
            ("root", calls(vec![task("t1", "explorer")]).tokens(1000, 10)),
            ("root/explorer#1", says(r#"{"summary": "pytest"}"#).tokens(2000, 5)),
            ("root", says("pytest").tokens(2000, 20)),
        ]
    };
    let played = paid(lines(), "openai:cheap").play().await;
    // 3000 × 10 + 30 × 100, and 2000 × 1 + 5 × 2, in millionths.
    let cost = |cost: Option<remit_agent::Cost>| cost.map(|cost| cost.to_string());
    assert_eq!(cost(played.report().cost).as_deref(), Some("0.002010"));
    assert_eq!(cost(played.outcome.figures.cost).as_deref(), Some("0.035010"));
    assert!(!played.outcome.figures.cost_partial);
    let told = |kind: &&EventKind| matches!(kind, EventKind::AgentFinished { cost: Some(c), .. } if c.to_string() == "0.033000");
    assert!(played.kinds("root").iter().any(told));
    assert!(serde_json::to_string(&played.outcome).unwrap().contains(r#""cost":"0.035010""#));

    let played = paid(lines(), "openai:unlisted").play().await;
    assert_eq!(played.report().cost, None);
    assert_eq!(cost(played.outcome.figures.cost).as_deref(), Some("0.033000"));
    assert!(played.outcome.figures.cost_partial, "what is not known is not passed off as nothing");
}

#[tokio::test]
async fn a_limit_on_cost_ends_an_agent_and_leaves_room_for_last_words() {
    for (place, keys, name) in
        [("root", "max_cost = \"0.01\"", "max_cost"), ("budget", "max_cost = \"0.02\"", "budget.max_cost")]
    {
        let lines = vec![("root", reads().tokens(900, 10)), ("root", says("so far").tokens(900, 10))];
        let stage = paid(lines, "openai:cheap").with(place, keys);
        let played = stage.play().await;
        assert_eq!(played.outcome.status, Status::BudgetExhausted);
        assert_eq!(played.outcome.limit.as_deref(), Some(name));
        assert_eq!(played.outcome.answer, "so far");
    }
}

#[tokio::test]
async fn a_reply_is_asked_to_be_no_longer_than_what_it_may_cost() {
    let stage =
        paid(vec![("root", says("done").tokens(0, 10))], "openai:cheap").with("root", "max_cost = \"0.05\"");
    let played = stage.play().await;
    let most = played.shown("root", 0).max_output_tokens.unwrap();
    assert!((490..=500).contains(&most), "{most}");
}

#[tokio::test]
async fn a_limit_on_cost_without_a_price_starts_nobody() {
    for (place, role, line) in
        [("explorer", "explorer", "built-in roles.toml:"), ("budget", "explorer", "built-in roles.toml:2")]
    {
        let mut stage = paid(vec![], "openai:unlisted").with(place, "max_cost = \"1\"");
        let (setup, cancel) = (stage.setup(), stage.cancel.clone());
        let error = run(RunRequest { prompt: "go".into(), setup, cancel }).await.unwrap_err();
        let RunError::Start(StartError::Price { .. }) = &error else { panic!("{error}") };
        let words = error.to_string();
        assert!(words.contains(&format!("role `{role}` can't be started")) || place == "budget", "{words}");
        assert!(
            words.contains("`openai:unlisted`") && words.contains("models.toml") && words.contains(line),
            "{words}"
        );
    }
}

#[tokio::test]
async fn a_request_that_is_sure_to_go_over_a_budget_is_not_sent() {
    // The second request begins with the first, whose 600 tokens are no longer there.
    let stage = Stage::new(vec![("root", reads().tokens(600, 10)), ("root", says("so far"))])
        .with("root", "max_tokens = 1000");
    let played = stage.play().await;
    assert_eq!(played.outcome.limit.as_deref(), Some("max_tokens"));
    assert_eq!(played.outcome.figures.model_calls, 2, "the first, and the last words");
    // One that may fit is sent.
    let stage = Stage::new(vec![("root", reads().tokens(600, 10)), ("root", says("done").tokens(610, 5))])
        .with("root", "max_tokens = 1300");
    assert_eq!(stage.play().await.outcome.status, Status::Completed);
}

#[tokio::test]
async fn not_even_the_first_request_is_sent_where_it_cannot_fit() {
    let played = Stage::new(vec![]).with("root", "max_tokens = 5").play().await;
    assert_eq!(played.outcome.limit.as_deref(), Some("max_tokens"));
    assert_eq!((played.outcome.figures.model_calls, played.seen.len()), (0, 0));
}
