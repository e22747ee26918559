//! The client against a server on this machine that a test leads step by step.

mod refusals;
mod server;
mod surroundings;

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::chat::{Message, Reply, StopReason, ToolChoice, ToolSet, ToolSpec, Transcript, collect};
use crate::{Account, Settings};
use server::{Connection, Server};

const KEY: &str = "sk-hunter2";

fn model(server: &Server, keys: &Keys) -> Provider {
    Provider::new("some-model", Endpoint::at(Protocol::ChatCompletions, &server.url()).unwrap(), keys)
        .unwrap()
}

async fn ask(model: &Provider, on_text: impl FnMut(&str) + Send) -> Result<Reply, ModelError> {
    ask_with(model, Settings::plain(), on_text).await
}

async fn ask_with(
    model: &Provider,
    settings: &Settings,
    on_text: impl FnMut(&str) + Send,
) -> Result<Reply, ModelError> {
    let mut transcript = Transcript::new();
    transcript.push(Message::user("hello"));
    let tools = ToolSet::new(vec![ToolSpec {
        name: "files__list_files".into(),
        description: "Lists files.".into(),
        input_schema: json!({ "type": "object" }),
    }]);
    let request = Request {
        agent: "root",
        role: "root",
        system: "",
        transcript: &transcript,
        tools: &tools,
        tool_choice: ToolChoice::Auto,
        max_output_tokens: None,
        settings,
        form: None,
    };
    collect(model.ask(request), on_text).await
}

/// Asks, while the server does what `serve` says with the first connection.
async fn exchange(keys: Keys, serve: impl AsyncFnOnce(Connection)) -> Result<Reply, ModelError> {
    let server = Server::start().await;
    let model = model(&server, &keys);
    let (reply, ()) = tokio::join!(ask(&model, |_| {}), async { serve(server.next().await).await });
    reply
}

fn words(text: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": text } }] }))
}

const FINISH: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

#[tokio::test]
async fn a_request_says_what_it_must_and_text_arrives_as_it_is_sent() {
    let server = Server::start().await;
    let model = model(&server, &Keys::none().with_key(Account::OpenAi, KEY));
    let (seen, mut seen_next) = tokio::sync::mpsc::unbounded_channel();
    let asked = ask(&model, move |text| seen.send(text.to_owned()).unwrap());
    let (reply, ()) = tokio::join!(asked, async {
        let mut connection = server.next().await;
        assert_eq!(connection.request_line, "POST /v1/chat/completions HTTP/1.1");
        assert_eq!(connection.header("authorization"), Some("Bearer sk-hunter2"));
        assert_eq!(connection.header("content-type"), Some("application/json"));
        assert_eq!(connection.body["model"], "some-model");
        assert_eq!(connection.body["stream"], true);
        assert_eq!(connection.body["messages"][0]["content"], "hello");
        connection.begin("200 OK", "text/event-stream").await;
        for text in ["one ", "two"] {
            connection.send(&words(text)).await;
            assert_eq!(seen_next.recv().await.as_deref(), Some(text));
        }
        connection.send(FINISH).await;
    });
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), reply.stop), ("one two", StopReason::End));
}

#[tokio::test]
async fn a_server_on_this_machine_needs_no_key() {
    let reply = exchange(Keys::none(), async |mut connection| {
        assert_eq!(connection.header("authorization"), None);
        connection.begin("200 OK", "text/event-stream").await;
        connection.send(&words("hi")).await;
        connection.send(FINISH).await;
    });
    assert_eq!(reply.await.unwrap().text, "hi");
}

#[tokio::test]
async fn a_reply_is_whole_once_its_reason_has_come_though_the_line_stays_open() {
    let server = Server::start().await;
    let model = model(&server, &Keys::none());
    let asked = ask(&model, |_| {});
    tokio::pin!(asked);
    let mut connection = tokio::select! {
        connection = server.next() => connection,
        _ = &mut asked => unreachable!("nothing was answered"),
    };
    let (reply, ()) = tokio::join!(asked, async {
        connection.begin("200 OK", "text/event-stream").await;
        connection.send(&words("hi")).await;
        connection.send(FINISH).await;
    });
    assert_eq!(reply.unwrap().text, "hi");
    drop(connection);
}

#[tokio::test]
async fn a_line_that_breaks_is_an_early_end() {
    let reply = exchange(Keys::none(), async |mut connection| {
        connection.begin("200 OK", "text/event-stream").await;
        connection.send(&words("half")).await;
    });
    assert_eq!(reply.await, Err(ModelError::EndedEarly));
    let reply = exchange(Keys::none(), async |mut connection| {
        connection.begin("200 OK", "text/event-stream").await;
    });
    assert_eq!(reply.await, Err(ModelError::EndedEarly));
    let error = exchange(Keys::none(), async |connection| drop(connection)).await.unwrap_err();
    assert!(matches!(error, ModelError::Connect { .. }) && error.is_retryable(), "{error}");
}

#[tokio::test]
async fn an_error_status_carries_the_servers_words_but_not_the_key() {
    let error = exchange(Keys::none().with_key(Account::OpenAi, KEY), async |mut connection| {
        connection.begin("401 Unauthorized", "application/json").await;
        connection.send(r#"{"error":{"message":"Incorrect API key provided: sk-hunter2."}}"#).await;
    });
    let error = error.await.unwrap_err();
    assert!(matches!(error, ModelError::Http { status: 401, .. }) && !error.is_retryable());
    assert!(error.to_string().ends_with("answered 401: Incorrect API key provided: [key]."), "{error}");

    let error = exchange(Keys::none(), async |mut connection| {
        connection.begin("503 Service Unavailable", "text/html").await;
        connection.send("<html><body>Try\nlater</body></html>").await;
    });
    let error = error.await.unwrap_err();
    assert!(error.is_retryable());
    assert!(error.to_string().ends_with("answered 503: a page and no reply: Try later"), "{error}");
}

#[tokio::test]
async fn a_page_or_a_document_with_status_200_is_an_error_whatever_its_type() {
    for (content_type, body, words) in [
        ("text/html", "\n <!doctype html><title>Sign in</title>", "Sign in"),
        ("text/event-stream", "{\"error\":\"no such model\"}", "no such model"),
        ("application/json", "{\"object\":\"chat.completion\"}", "chat.completion"),
    ] {
        let error = exchange(Keys::none(), async |mut connection| {
            connection.begin("200 OK", content_type).await;
            connection.send(body).await;
        });
        let error = error.await.unwrap_err();
        assert!(matches!(error, ModelError::Http { status: 200, .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::start().await;
    let target = elsewhere.url();
    let error = exchange(Keys::none().with_key(Account::OpenAi, KEY), async |mut connection| {
        connection.send("HTTP/1.1 307 Temporary Redirect\r\n").await;
        connection.send(&format!("location: {target}\r\ncontent-length: 0\r\n\r\n")).await;
    });
    let error = error.await.unwrap_err();
    assert!(matches!(error, ModelError::Http { status: 307, .. }), "{error}");
    assert!(error.to_string().contains(&target), "{error}");
    assert!(!elsewhere.was_asked());
}

#[tokio::test]
async fn a_silent_server_is_given_up() {
    let server = Server::start().await;
    let timeouts = Timeouts { idle: Duration::from_millis(50), ..Timeouts::default() };
    let endpoint = Endpoint::at(Protocol::ChatCompletions, &server.url()).unwrap();
    let model = Provider::with_timeouts("some-model", endpoint, &Keys::none(), timeouts).unwrap();
    for begins in [false, true] {
        let served = async {
            let mut connection = server.next().await;
            if begins {
                connection.begin("200 OK", "text/event-stream").await;
                connection.send(&words("well")).await;
            }
            connection.stay_silent().await
        };
        let error = tokio::select! {
            reply = ask(&model, |_| {}) => reply.unwrap_err(),
            never = served => never,
        };
        assert_eq!(error, ModelError::Idle { after: Duration::from_millis(50) });
        assert!(error.is_retryable());
    }
}

#[tokio::test]
async fn a_dropped_request_closes_its_connection() {
    let server = Server::start().await;
    let model = model(&server, &Keys::none());
    let mut connection = {
        let asked = ask(&model, |_| {});
        tokio::select! {
            connection = server.next() => connection,
            _ = asked => unreachable!("nothing was answered"),
        }
    };
    connection.closed().await;
}

#[tokio::test]
async fn nobody_listening_is_a_connection_error_without_a_key() {
    let server = Server::start().await;
    let model = model(&server, &Keys::none().with_key(Account::OpenAi, KEY));
    let url = server.url();
    drop(server);
    let error = ask(&model, |_| {}).await.unwrap_err();
    assert!(matches!(error, ModelError::Connect { .. }) && error.is_retryable(), "{error}");
    assert!(error.to_string().contains(&url), "{error}");
    assert!(!format!("{error:?} {model:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_reply_that_never_ends_is_given_up_though_the_line_is_kept_open() {
    let server = Server::start().await;
    let timeouts = Timeouts { total: Duration::from_millis(80), ..Timeouts::default() };
    let endpoint = Endpoint::at(Protocol::ChatCompletions, &server.url()).unwrap();
    let model = Provider::with_timeouts("some-model", endpoint, &Keys::none(), timeouts).unwrap();
    let served = async {
        let mut connection = server.next().await;
        connection.begin("200 OK", "text/event-stream").await;
        connection.send(": still there\n\n").await;
        connection.stay_silent().await
    };
    let error = tokio::select! {
        reply = ask(&model, |_| {}) => reply.unwrap_err(),
        never = served => never,
    };
    assert_eq!(error, ModelError::Slow { after: Duration::from_millis(80) });
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn a_rate_limit_says_when_to_come_back_and_an_empty_account_that_it_is_no_use() {
    for (header, wait) in [("retry-after: 7", Some(7)), ("x: y", None)] {
        let error = exchange(Keys::none(), async |mut connection| {
            let head = format!("HTTP/1.1 429 Too Many Requests\r\n{header}\r\nconnection: close\r\n\r\n");
            connection.send(&head).await;
            connection.send(r#"{"error":{"type":"rate_limit_error","message":"slow down"}}"#).await;
        });
        let error = error.await.unwrap_err();
        assert!(error.is_retryable());
        assert_eq!(error.retry_after(), wait.map(Duration::from_secs));
    }
    let error = exchange(Keys::none(), async |mut connection| {
        connection.begin("429 Too Many Requests", "application/json").await;
        connection.send(r#"{"error":{"code":"insufficient_quota","message":"pay"}}"#).await;
    });
    assert!(!error.await.unwrap_err().is_retryable());
}

#[tokio::test]
async fn each_protocol_shows_its_key_as_its_provider_wants_it() {
    for (protocol, header, value) in [
        (Protocol::ChatCompletions, "authorization", "Bearer sk-hunter2"),
        (Protocol::Responses, "authorization", "Bearer sk-hunter2"),
        (Protocol::Messages, "x-api-key", "sk-hunter2"),
    ] {
        let server = Server::start().await;
        let keys = Keys::none().with_key(protocol.account(), KEY);
        let endpoint = Endpoint::at(protocol, &server.url()).unwrap();
        let model = Provider::new("some-model", endpoint, &keys).unwrap();
        let (reply, ()) = tokio::join!(ask(&model, |_| {}), async {
            let mut connection = server.next().await;
            assert_eq!(connection.header(header), Some(value));
            let version = (protocol == Protocol::Messages).then_some("2023-06-01");
            assert_eq!(connection.header("anthropic-version"), version);
            connection.begin("401 Unauthorized", "application/json").await;
            connection.send(r#"{"error":{"message":"not sk-hunter2"}}"#).await;
        });
        assert!(reply.unwrap_err().to_string().ends_with("answered 401: not [key]"));
    }
}
