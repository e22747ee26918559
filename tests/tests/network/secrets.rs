//! Secrets: sent to their own host by the host itself, and seen by nobody else. N8.

use remit_sandbox::Entry;

use crate::server::{Probe, Server, Then, ok};

const VALUE: &str = "hunter2-hunter2";

const HEADER: &str = "Authorization: Bearer {}";

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_goes_to_its_own_host_and_comes_back_from_nowhere() {
    let server = Server::start(
        |request| {
            let body = format!("plain {VALUE}\nbase64 aHVudGVyMi1odW50ZXIy\n{request}");
            format!("HTTP/1.1 200 OK\r\nx-echo: {VALUE}\r\nx-{VALUE}: 1\r\n\r\n{body}")
        },
        Then::Close,
    )
    .await;
    let probe = Probe::new(&[&server.origin()]).with_secret(VALUE, &server.origin(), HEADER);
    let argument =
        format!("GET http {} / header:authorization=mine header:range=bytes=0-5", server.authority());
    let answer = probe.run(&argument).await.unwrap();
    let request = &server.requests()[0];
    assert!(request.contains("authorization: Bearer hunter2-hunter2\r\n"), "{request}");
    assert!(request.contains("accept-encoding: identity\r\n"), "{request}");
    assert!(!request.contains("mine") && !request.contains("range"), "{request}");
    assert!(
        answer.starts_with("200\nx-echo: [secret key]\n\nplain [secret key]\nbase64 [secret key]\n"),
        "{answer}"
    );
    assert!(answer.contains("authorization: Bearer [secret key]"), "{answer}");
    assert!(!answer.contains("hunter"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_host_never_gets_it() {
    let (own, other) = (Server::hello().await, Server::hello().await);
    let probe = Probe::new(&[&own.origin(), &other.origin()]).with_secret(VALUE, &own.origin(), HEADER);
    let authority = other.authority();
    probe.run(&format!("GET http {authority} /")).await.unwrap();
    assert!(!other.requests()[0].contains("authorization"));
    for argument in [
        format!("GET http {authority} /?q={VALUE}"),
        format!("GET http {authority} /?q=hunter2%2dhunter2"),
        format!("GET http {authority} / header:x={VALUE}"),
        format!("GET http {authority} / header:x=aHVudGVyMi1odW50ZXIy"),
        format!("GET http {authority} / header:{VALUE}=x"),
    ] {
        let error = probe.run(&argument).await.unwrap_err();
        assert!(error.contains("has a secret in it: [secret key]"), "{error}");
    }
    for argument in [
        format!("GET http {VALUE}.example /"),
        "GET http HUNTER2-hunter2.example /".to_owned(),
        format!("GET {VALUE} {authority} /"),
        format!("{VALUE} http {authority} /"),
    ] {
        probe.run(&argument).await.unwrap_err();
    }
    assert_eq!(other.requests().len(), 1);
    let noted = format!("{:?}", probe.ledger.entries());
    assert!(!noted.to_lowercase().contains("hunter2"), "{noted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_with_a_secret_is_not_sent_to_its_end() {
    let other = Server::hello().await;
    let probe = Probe::new(&[&other.origin()]).with_secret(VALUE, "https://api.example.org", HEADER);
    let error = probe.run(&format!("POST http {} / body=abc{VALUE}", other.authority())).await.unwrap_err();
    assert!(error.contains("its body has a secret in it: [secret key]"), "{error}");
    assert!(!other.requests().concat().contains("hunter2"), "{:?}", other.requests());
    let entries = probe.ledger.entries();
    assert!(entries.iter().any(|entry| matches!(entry, Entry::Refused { .. })), "{entries:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_of_another_agent_is_not_sent_and_not_shown_either() {
    let server = Server::start(|request| ok(&format!("{VALUE} {request}")), Then::Close).await;
    let mut probe = Probe::new(&[&server.origin()]).with_secret(VALUE, &server.origin(), HEADER);
    probe.spec.others_secrets = std::mem::take(&mut probe.spec.secrets);
    let answer = probe.run(&format!("GET http {} /", server.authority())).await.unwrap();
    assert!(answer.contains("\n\n[secret key] GET") && !answer.contains("hunter"), "{answer}");
    assert!(!server.requests()[0].contains("authorization"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_an_answer_is_not_given() {
    let part = || ok("hunter2-hu").replace("200 OK", "206 Partial Content");
    let server = Server::start(move |_| part(), Then::Close).await;
    let probe = Probe::new(&[&server.origin()]).with_secret(VALUE, &server.origin(), HEADER);
    let error = probe.run(&format!("GET http {} /", server.authority())).await.unwrap_err();
    assert!(error.contains("a part of one"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_searched_is_not_given() {
    let packed = || ok("x").replace("\r\n\r\n", "\r\ncontent-encoding: gzip\r\n\r\n");
    let server = Server::start(move |_| packed(), Then::Close).await;
    let argument = format!("GET http {} /", server.authority());
    let plain = Probe::new(&[&server.origin()]);
    plain.run(&argument).await.unwrap();
    let probe = Probe::new(&[&server.origin()]).with_secret(VALUE, &server.origin(), HEADER);
    let error = probe.run(&argument).await.unwrap_err();
    assert!(error.contains("packed as `gzip`"), "{error}");
}
