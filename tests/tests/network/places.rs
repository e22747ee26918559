//! Where requests may go: N1 to N6.

use remit_sandbox::{Consent, Entry, Supervision};

use crate::server::{Probe, Server, Then, ok};

#[tokio::test(flavor = "multi_thread")]
async fn a_granted_host_is_reached_and_the_ledger_says_so() {
    let server = Server::hello().await;
    let probe = Probe::new(&[&server.origin()]);
    let argument = format!("POST http {} /a?b=c header:x-mine=1 body=question", server.authority());
    let answer = probe.run(&argument).await.unwrap();
    assert_eq!(answer, "200\ncontent-length: 5\n\nhello");
    let request = &server.requests()[0];
    assert!(request.starts_with("POST /a?b=c HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("host: {}\r\n", server.authority())), "{request}");
    assert!(request.contains("x-mine: 1\r\n") && request.contains("question"), "{request}");
    let url = format!("{}/a?b=c", server.origin());
    let contacted = Entry::Contacted { method: "POST".into(), url, status: Some(200), sent: 8, received: 5 };
    assert_eq!(probe.ledger.entries(), [contacted]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_without_a_body_says_that_it_has_none() {
    let server = Server::hello().await;
    let probe = Probe::new(&[&server.origin()]);
    probe.run(&format!("GET http {} /", server.authority())).await.unwrap();
    probe.run(&format!("POST http {} /", server.authority())).await.unwrap();
    let requests = server.requests();
    assert!(!requests[0].contains("transfer-encoding") && !requests[0].contains("content-length"));
    assert!(requests[1].contains("content-length: 0\r\n"), "{}", requests[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_not_granted_is_not_even_looked_up() {
    let none = Probe::recorded(&[]);
    none.is_refused("GET https docs.rs /", "no host is granted").await;
    let probe = Probe::recorded(&["https://good.com", "https://*.wikipedia.org"]);
    for authority in [
        "evil.com",
        "good.com.evil.com",
        "evilgood.com",
        "www.good.com",
        "wikipedia.org",
        "evilwikipedia.org",
        "good.com:8443",
    ] {
        let words = "is not among the hosts granted: `https://good.com`, `https://*.wikipedia.org`";
        probe.is_refused(&format!("GET https {authority} /"), words).await;
    }
    probe.is_refused("GET http good.com /", "is not among the hosts granted").await;
    probe.is_refused("GET https good.com. /", "without a dot at its end").await;
    probe.is_refused("GET https someone:word@good.com /", "no user and no password").await;
    probe.is_refused("DELETE https good.com /", "the method `DELETE` is not granted").await;
    probe.is_refused("CONNECT https good.com /", "the method `CONNECT` is not granted").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_host_goes_nowhere() {
    let probe = Probe::recorded(&["https://good.com"]);
    for argument in [
        r"GET https good.com\0.evil.com /",
        "GET https gооd.com /",
        "GET https good.com@evil.com /",
        "GET https evil.com#good.com /",
        "GET ftp good.com /",
        "GET https good.com http://evil.com/",
        r"GET https good.com /\s\nHost:evil.com",
    ] {
        probe.run(argument).await.unwrap_err();
        assert_eq!(probe.recorder.log(), [""; 0], "{argument}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_in_another_case_is_the_same_host() {
    let server = Server::hello().await;
    let probe = Probe::recorded(&["http://good.com"]);
    probe.recorder.knows("good.com", &["1.1.1.1"]);
    *probe.recorder.port.lock().unwrap() = Some(server.port);
    probe.run("GET http GOOD.com /").await.unwrap();
    assert_eq!(probe.recorder.log(), ["resolve good.com", "connect 1.1.1.1:80"]);
    assert!(server.requests()[0].contains("host: good.com\r\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_reached_only_where_the_grant_names_it() {
    let probe = Probe::recorded(&["http://good.com", "http://10.0.0.7"]);
    for authority in ["127.1", "0x7f000001", "2130706433"] {
        probe.is_refused(&format!("GET http {authority} /"), "the host is written `127.0.0.1`").await;
    }
    for authority in ["169.254.169.254", "[::ffff:a00:7]", "127.0.0.1", "localhost", "10.0.0.8"] {
        probe.is_refused(&format!("GET http {authority} /"), "is not among the hosts granted").await;
    }
    probe.run("GET http 10.0.0.7 /").await.unwrap_err();
    assert_eq!(probe.recorder.log(), ["connect 10.0.0.7:80"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_stands_for_a_private_address_is_not_connected_to() {
    let probe = Probe::recorded(&["http://good.com"]);
    probe.recorder.knows("good.com", &["169.254.169.254", "::1"]);
    let error = probe.run("GET http good.com /").await.unwrap_err();
    assert!(error.contains("stands for 169.254.169.254, which is no public address"), "{error}");
    assert_eq!(probe.recorder.log(), ["resolve good.com"]);
    assert!(matches!(&probe.ledger.entries()[..], [Entry::Refused { .. }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_was_checked_is_connected_to() {
    let server = Server::hello().await;
    let probe = Probe::recorded(&["http://good.com"]);
    *probe.recorder.port.lock().unwrap() = Some(server.port);
    probe.recorder.knows("good.com", &["10.0.0.1", "1.1.1.1"]);
    probe.recorder.knows("good.com", &["10.0.0.1"]);
    probe.run("GET http good.com /").await.unwrap();
    assert_eq!(probe.recorder.log(), ["resolve good.com", "connect 1.1.1.1:80"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_only_an_answer() {
    let server = Server::start(
        |_| "HTTP/1.1 302 Found\r\nlocation: http://evil.com/\r\ncontent-length: 0\r\n\r\n".to_owned(),
        Then::Close,
    )
    .await;
    let probe = Probe::new(&[&server.origin()]);
    let answer = probe.run(&format!("GET http {} /", server.authority())).await.unwrap();
    assert!(answer.starts_with("302\nlocation: http://evil.com/\n"), "{answer}");
    assert_eq!(probe.ledger.entries().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_that_frame_or_direct_a_request_are_the_hosts_own() {
    let probe = Probe::recorded(&["https://good.com"]);
    for header in [
        "host=evil.com",
        "Transfer-Encoding=chunked",
        "connection=close",
        "upgrade=websocket",
        "expect=100-continue",
        "proxy-authorization=x",
        r"x=a\nHost:evil.com",
        "content-length=5",
    ] {
        probe.run(&format!("GET https good.com / header:{header}")).await.unwrap_err();
        assert_eq!(probe.recorder.log(), [""; 0], "{header}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_no_keeps_a_request_from_being_sent() {
    let probe = Probe::recorded(&["https://good.com"]);
    let (consent, mut petitions) = Consent::asked();
    let supervision = Supervision { consent, ledger: probe.ledger.clone() };
    let grants = probe.stage.grants_of(&probe.spec);
    let arguments = r#"{"argument": "GET https good.com /a"}"#;
    let calling = probe.stage.sandbox.call(
        &probe.plugin,
        "guest.run",
        arguments,
        &grants,
        &probe.stage.limits,
        &supervision,
    );
    let answering = async {
        let petition = petitions.recv().await.unwrap();
        assert_eq!(petition.effect().to_string(), "GET https://good.com/a");
        petition.refuse("not today");
    };
    let (output, ()) = tokio::join!(calling, answering);
    let output = output.unwrap();
    assert!(output.is_error && output.text.contains("not today"), "{}", output.text);
    assert_eq!(probe.recorder.log(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_to_read_sends_no_body_and_takes_no_method_for_another() {
    let server = Server::hello().await;
    let probe = Probe::new(&[&server.origin()]);
    let authority = server.authority();
    for more in ["body=abc", "header:content-length=3 body=abc"] {
        let error = probe.run(&format!("GET http {authority} / {more}")).await.unwrap_err();
        assert!(error.contains("the method `GET` has no body"), "{more}: {error}");
    }
    let error =
        probe.run(&format!("GET http {authority} / header:x-http-method-override=DELETE")).await.unwrap_err();
    assert!(error.starts_with("header: "), "{error}");
    assert_eq!(server.requests(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_ends_early_is_an_error() {
    let server = Server::start(|_| ok("hello").replace("length: 5", "length: 50"), Then::Close).await;
    let probe = Probe::new(&[&server.origin()]);
    let error = probe.run(&format!("GET http {} /", server.authority())).await.unwrap_err();
    assert!(error.contains("closed the connection before its answer was whole"), "{error}");
}
