//! What answers may take: N7.

use std::time::Duration;

use remit_sandbox::Entry;

use crate::server::{Probe, Server, Then};

const ENDLESS: &str = "HTTP/1.1 200 OK\r\n\r\n";

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_end_stops_at_the_limit() {
    let server = Server::start(|_| ENDLESS.to_owned(), Then::Flood).await;
    let mut probe = Probe::new(&[&server.origin()]);
    probe.stage.limits.response_bytes = 100_000;
    let error = probe.run(&format!("GET http {} /", server.authority())).await.unwrap_err();
    assert!(error.contains("more than 100000 bytes of body"), "{error}");
    let entries = probe.ledger.entries();
    let [Entry::Contacted { received, .. }] = &entries[..] else { panic!("{entries:?}") };
    assert!(*received <= 100_000, "{received}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_talking_is_waited_for_no_longer_than_allowed() {
    let server = Server::start(|_| format!("{ENDLESS}beginning"), Then::Stay).await;
    let mut probe = Probe::new(&[&server.origin()]);
    let argument = format!("GET http {} / between=50000000", server.authority());
    let error = probe.run(&argument).await.unwrap_err();
    assert!(error.contains("after 9 bytes") && error.contains("nothing more of the answer"), "{error}");
    probe.stage.limits.deadline = Duration::from_secs(3);
    let error = probe.run(&format!("GET http {} /", server.authority())).await.unwrap_err();
    assert!(error.contains("the call's time was over before the whole answer came"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_answers_ends_with_the_calls_time() {
    let server = Server::start(|_| String::new(), Then::Stay).await;
    let mut probe = Probe::new(&[&server.origin()]);
    probe.stage.limits.deadline = Duration::from_secs(3);
    let error = probe.run(&format!("GET http {} /", server.authority())).await.unwrap_err();
    assert!(error.contains("the call's time was over before an answer came"), "{error}");
    assert!(matches!(&probe.ledger.entries()[..], [Entry::Contacted { status: None, .. }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_time_at_all_is_an_error_and_nothing_is_sent() {
    let probe = Probe::recorded(&["http://good.com"]);
    for wait in ["connect=0", "between=0"] {
        let error = probe.run(&format!("GET http good.com / {wait}")).await.unwrap_err();
        assert!(error.contains("a time limit of zero"), "{error}");
    }
    assert_eq!(probe.recorder.log(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_sends_no_more_than_it_may() {
    let server = Server::hello().await;
    let mut probe = Probe::new(&[&server.origin()]);
    probe.stage.limits.request_bytes = 10_000;
    let error = probe.run(&format!("POST http {} / fill=20000", server.authority())).await.unwrap_err();
    assert!(error.contains("more than 10000 bytes of body"), "{error}");
    probe.stage.limits.requests = 0;
    probe.is_refused(&format!("GET http {} /", server.authority()), "a call sends at most 0 requests").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_http_is_an_error() {
    let server = Server::start(|_| "SSH-2.0-OpenSSH_9.6\r\n".to_owned(), Then::Close).await;
    let probe = Probe::new(&[&server.origin()]);
    let error = probe.run(&format!("GET http {} /", server.authority())).await.unwrap_err();
    assert!(error.contains("invalid HTTP version"), "{error}");
}
