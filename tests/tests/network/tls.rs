//! Encrypted connections, by certificates that are made for the test.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use remit_sandbox::HostGrant;
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::TlsAcceptor;

use crate::server::{Probe, Server, Then, ok};

/// A server for `good.com`, and a probe of which the network leads to it; whether the probe trusts it.
async fn encrypted(is_trusted: bool) -> (Server, Probe) {
    let made = rcgen::generate_simple_self_signed(["good.com".to_owned()]).unwrap();
    let certificate = made.cert.der().clone();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key.into())
        .unwrap();
    let server =
        Server::listen(|_| ok("hello"), Then::Close, Some(TlsAcceptor::from(Arc::new(config)))).await;
    let probe = Probe::recorded(&["https://good.com", "https://other.com"]);
    probe.recorder.knows("good.com", &["1.1.1.1"]);
    probe.recorder.knows("other.com", &["1.1.1.1"]);
    *probe.recorder.port.lock().unwrap() = Some(server.port);
    if is_trusted {
        probe.recorder.roots.lock().unwrap().push(certificate);
    }
    (server, probe)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_shows_its_certificate_is_talked_to() {
    let (server, probe) = encrypted(true).await;
    let answer = probe.run("GET https good.com /").await.unwrap();
    assert!(answer.ends_with("\n\nhello"), "{answer}");
    assert!(server.requests()[0].contains("host: good.com\r\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_are_read_for_the_first_connection_that_needs_them_and_then_kept() {
    let (server, mut probe) = encrypted(true).await;
    let plain = Server::hello().await;
    probe.spec.hosts.push(HostGrant::new(&plain.origin(), &[]).unwrap());
    let asked = |probe: &Probe| probe.recorder.roots_asked.load(Ordering::Relaxed);
    probe.recorder.knows("good.com", &["1.1.1.1"]);
    *probe.recorder.port.lock().unwrap() = Some(plain.port);
    probe.run(&format!("GET http {} /", plain.authority())).await.unwrap();
    assert_eq!(asked(&probe), 0);
    *probe.recorder.port.lock().unwrap() = Some(server.port);
    for _ in 0..2 {
        probe.run("GET https good.com /").await.unwrap();
        assert_eq!(asked(&probe), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_hosts_certificate_or_a_stranger_is_told_nothing() {
    let (server, probe) = encrypted(true).await;
    let error = probe.run("GET https other.com /").await.unwrap_err();
    assert!(error.contains("no TLS with it") && error.contains("certificate"), "{error}");
    let (stranger, probe) = encrypted(false).await;
    let error = probe.run("GET https good.com /").await.unwrap_err();
    assert!(error.contains("no TLS with it") && error.contains("certificate"), "{error}");
    assert_eq!((server.requests().len(), stranger.requests().len()), (0, 0));
}
