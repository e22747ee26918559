//! What a server refuses, and how it is asked from then on.

use super::*;
use crate::{Effort, ExtraHeaders, Temperature};

const COMPLETED: &str = "data: {\"type\":\"response.completed\",\"response\":{\"output\":[]}}\n\n";

fn settings() -> Settings {
    Settings {
        temperature: Some(Temperature::new(0.5).unwrap()),
        effort: Some(Effort::High),
        ..Settings::default()
    }
}

async fn refuse(mut connection: Connection, status: &str, words: &str) {
    connection.begin(status, "application/json").await;
    connection.send(&json!({ "error": { "message": words } }).to_string()).await;
}

async fn answer(mut connection: Connection) {
    connection.begin("200 OK", "text/event-stream").await;
    connection.send(&words("hi")).await;
    connection.send(FINISH).await;
}

#[tokio::test]
async fn a_setting_that_a_server_refuses_is_left_out_from_then_on_and_told_of_once() {
    let server = Server::start().await;
    let model = model(&server, &Keys::none());
    let settings = settings();
    let replies =
        async { (ask_with(&model, &settings, |_| {}).await, ask_with(&model, &settings, |_| {}).await) };
    let (replies, ()) = tokio::join!(replies, async {
        let connection = server.next().await;
        assert_eq!(connection.body["temperature"], json!(0.5));
        assert_eq!(connection.body["reasoning_effort"], "high");
        let words = "Unsupported value: 'temperature' does not support 0.5 with this model.";
        refuse(connection, "400 Bad Request", words).await;
        let connection = server.next().await;
        assert_eq!(connection.body.get("temperature"), None);
        assert_eq!(connection.body["reasoning_effort"], "high", "what was not refused stays");
        answer(connection).await;
        let connection = server.next().await;
        assert_eq!(connection.body.get("temperature"), None);
        answer(connection).await;
    });
    let words = "openai:some-model takes no such `temperature`, and is asked without it";
    assert_eq!(replies.0.unwrap().warnings, [words]);
    assert_eq!(replies.1.unwrap().warnings, Vec::<String>::new());
}

#[tokio::test]
async fn two_requests_that_are_refused_side_by_side_are_both_sent_again() {
    let server = Server::start().await;
    let model = model(&server, &Keys::none());
    let settings = settings();
    let asked =
        async { tokio::join!(ask_with(&model, &settings, |_| {}), ask_with(&model, &settings, |_| {})) };
    let (replies, ()) = tokio::join!(asked, async {
        let both = [server.next().await, server.next().await];
        for connection in both {
            refuse(connection, "400 Bad Request", "temperature is not supported").await;
        }
        for _ in 0..2 {
            answer(server.next().await).await;
        }
    });
    let warnings = [replies.0.unwrap().warnings, replies.1.unwrap().warnings].concat();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[tokio::test]
async fn a_refusal_of_something_else_is_an_error_and_is_not_tried_again() {
    let server = Server::start().await;
    let model = model(&server, &Keys::none());
    let mut settings = settings();
    settings.body.add("top_k", json!(-1)).unwrap();
    let (reply, ()) = tokio::join!(ask_with(&model, &settings, |_| {}), async {
        let connection = server.next().await;
        assert_eq!(connection.body["top_k"], json!(-1));
        refuse(connection, "400 Bad Request", "top_k must be positive").await;
    });
    assert!(reply.unwrap_err().to_string().ends_with("answered 400: top_k must be positive"));
}

#[tokio::test]
async fn a_server_that_wants_a_length_under_its_new_name_gets_it_so() {
    let server = Server::start().await;
    let model = model(&server, &Keys::none());
    let settings = Settings { max_output_tokens: Some(300), ..Settings::default() };
    let (reply, ()) = tokio::join!(ask_with(&model, &settings, |_| {}), async {
        let connection = server.next().await;
        assert_eq!(connection.body["max_tokens"], json!(300));
        let words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        refuse(connection, "400 Bad Request", words).await;
        let connection = server.next().await;
        assert_eq!(connection.body.get("max_tokens"), None);
        assert_eq!(connection.body["max_completion_tokens"], json!(300));
        answer(connection).await;
    });
    assert_eq!(reply.unwrap().warnings, Vec::<String>::new());
}

#[tokio::test]
async fn a_field_of_a_role_is_sent_and_a_key_stays_what_it_is() {
    let server = Server::start().await;
    let model = model(&server, &Keys::none().with_key(Account::OpenAi, KEY));
    let mut headers = ExtraHeaders::default();
    headers.add("X-Title", "remit").unwrap();
    let settings = Settings { headers, ..Settings::default() };
    let (reply, ()) = tokio::join!(ask_with(&model, &settings, |_| {}), async {
        let connection = server.next().await;
        assert_eq!(connection.header("x-title"), Some("remit"));
        assert_eq!(connection.header("authorization"), Some("Bearer sk-hunter2"));
        answer(connection).await;
    });
    reply.unwrap();
}

#[tokio::test]
async fn a_model_without_sealed_thinking_is_asked_for_none_from_then_on() {
    let server = Server::start().await;
    let endpoint = Endpoint::at(Protocol::Responses, &server.url()).unwrap();
    let model = Provider::new("some-model", endpoint, &Keys::none()).unwrap();
    let (replies, ()) =
        tokio::join!(async { (ask(&model, |_| {}).await, ask(&model, |_| {}).await) }, async {
            let mut connection = server.next().await;
            assert_eq!(connection.body["include"], json!(["reasoning.encrypted_content"]));
            connection.begin("400 Bad Request", "application/json").await;
            let words = "Encrypted content is not supported with this model.";
            connection.send(&json!({ "error": { "message": words } }).to_string()).await;
            drop(connection);
            for _ in 0..2 {
                let mut connection = server.next().await;
                assert_eq!(connection.body.get("include"), None);
                connection.begin("200 OK", "text/event-stream").await;
                connection.send(COMPLETED).await;
            }
        });
    assert!(replies.0.is_ok() && replies.1.is_ok(), "{replies:?}");
}
