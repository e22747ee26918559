//! What the environment says about proxies and certificates. It is read from the environment of the process, so each test
//! runs the one that asks in a process of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::*;

/// Names the base URL to ask, in the process that does.
const URL: &str = "REMIT_TEST_ASK_URL";

/// Run by the tests below; by itself it does nothing.
#[tokio::test]
#[ignore = "run by other tests, in surroundings of their own"]
async fn whoever_asks() {
    let Ok(url) = std::env::var(URL) else { return };
    let endpoint = Endpoint::at(Protocol::ChatCompletions, &url).unwrap();
    let model = Provider::new("some-model", endpoint, &Keys::none()).unwrap();
    match ask(&model, |_| {}).await {
        Ok(reply) => println!("replied: {}", reply.text),
        Err(error) => println!("failed: {error}"),
    }
}

fn asking(url: &str, surroundings: &[(&str, &str)]) -> std::thread::JoinHandle<Output> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "provider::tests::surroundings::whoever_asks", "--ignored", "--nocapture"]);
    for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "CURL_CA_BUNDLE"]
    {
        command.env_remove(variable).env_remove(variable.to_lowercase());
    }
    command.env(URL, url).envs(surroundings.iter().copied());
    std::thread::spawn(move || command.output().unwrap())
}

fn said(asking: std::thread::JoinHandle<Output>) -> String {
    String::from_utf8(asking.join().unwrap().stdout).unwrap()
}

async fn answer(connection: &mut Connection) {
    connection.begin("200 OK", "text/event-stream").await;
    connection.send(&words("hi")).await;
    connection.send(FINISH).await;
}

#[tokio::test]
async fn a_request_goes_through_the_proxy_that_the_environment_names() {
    for variable in ["http_proxy", "HTTP_PROXY", "ALL_PROXY"] {
        let proxy = Server::start().await;
        let address = proxy.url().trim_end_matches("/v1").to_owned();
        let asking = asking("http://models.example/v1", &[(variable, &address)]);
        let mut connection = proxy.next().await;
        let line = "POST http://models.example/v1/chat/completions HTTP/1.1";
        assert_eq!(connection.request_line, line, "{variable}");
        answer(&mut connection).await;
        drop(connection);
        assert!(said(asking).contains("replied: hi"), "{variable}");
    }
}

#[tokio::test]
async fn a_server_on_this_machine_is_asked_without_a_proxy() {
    let (proxy, server) = (Server::start().await, Server::start().await);
    let asking = asking(&server.url(), &[("http_proxy", proxy.url().trim_end_matches("/v1"))]);
    answer(&mut server.next().await).await;
    assert!(said(asking).contains("replied: hi"));
    assert!(!proxy.was_asked());
}

/// Answers connections over TLS, with a certificate of an authority that nobody knows, until the test ends.
fn serve_tls() -> String {
    let part = |name: &str| format!("{}/src/provider/tests/tls/{name}", env!("CARGO_MANIFEST_DIR"));
    let certificate = CertificateDer::from_pem_file(part("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(part("server.key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}/v1", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            // A client that does not trust the certificate goes away.
            let _ = serve(StreamOwned::new(connection, stream.unwrap()));
        }
    });
    url
}

fn serve(stream: impl Read + Write) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length])?;
    let body = words("hi") + FINISH;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
    let stream = reader.get_mut();
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len())?;
    stream.flush()
}

#[test]
fn an_authority_is_trusted_where_the_environment_names_its_certificate() {
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/src/provider/tests/tls/authority.pem");
    let url = serve_tls();
    for variable in ["SSL_CERT_FILE", "CURL_CA_BUNDLE"] {
        let words = said(asking(&url, &[(variable, authority)]));
        assert!(words.contains("replied: hi"), "{variable}: {words}");
    }
    let stranger = said(asking(&url, &[]));
    assert!(stranger.contains("failed: no connection to https://localhost"), "{stranger}");
    let missing = said(asking(&url, &[("SSL_CERT_FILE", "no/such.pem")]));
    assert!(missing.contains("failed: SSL_CERT_FILE: no/such.pem can't be used"), "{missing}");
}
