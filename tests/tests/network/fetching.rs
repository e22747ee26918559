//! The plugin that comes with remit, against servers that behave and servers that do not: N5, N7, N8.

use remit_sandbox::Entry;
use serde_json::{Value, json};

use crate::server::{Probe, Server, Then, ok};

/// `fetch.get` with these arguments.
async fn fetch(probe: &Probe, arguments: Value) -> Result<String, String> {
    let fetch = remit_builtin::PLUGINS.iter().find(|plugin| plugin.name == "fetch").unwrap();
    let plugin = probe.stage.load_bytes(fetch.bytes.to_vec());
    let grants = probe.stage.grants_of(&probe.spec);
    let supervision = probe.ledger.clone().into();
    let sandbox = &probe.stage.sandbox;
    let output = sandbox
        .call(&plugin, "guest.get", &arguments.to_string(), &grants, &probe.stage.limits, &supervision)
        .await
        .unwrap();
    if output.is_error { Err(output.text) } else { Ok(output.text) }
}

fn html(body: &str) -> String {
    ok(body).replacen("\r\n\r\n", "\r\ncontent-type: text/html; charset=utf-8\r\n\r\n", 1)
}

fn moved(to: &str) -> String {
    format!("HTTP/1.1 301 Moved Permanently\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_read_and_the_request_says_what_it_wants() {
    let server = Server::start(
        |_| html("<title>Guide</title><h1>Start</h1><p>See <a href=next>the next</a>.<script>no()</script>"),
        Then::Close,
    )
    .await;
    let url = format!("{}/guide/?q=a%20b#start", server.origin());
    let text = fetch(&Probe::new(&[&server.origin()]), json!({ "url": url })).await.unwrap();
    let origin = server.origin();
    assert_eq!(
        text,
        format!(
            "{origin}/guide/?q=a%20b · text/html as text · {} B\ntitle: Guide\n\n# Start\n\nSee [the next]({origin}/guide/next).",
            37 + origin.len()
        )
    );
    let request = &server.requests()[0];
    assert!(request.starts_with("GET /guide/?q=a%20b HTTP/1.1\r\n"), "{request}");
    for field in ["accept: text/markdown, text/html", "accept-encoding: identity", "user-agent: remit-fetch/"]
    {
        assert!(request.contains(field), "{field}: {request}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_hop_of_a_redirect_is_a_request_that_has_to_be_granted() {
    let target = Server::start(|_| html("<p>there"), Then::Close).await;
    let to = format!("{}/there", target.origin());
    let server = Server::start(move |_| moved(&to), Then::Close).await;
    let both = Probe::new(&[&server.origin(), &target.origin()]);
    let text = fetch(&both, json!({ "url": server.origin() })).await.unwrap();
    assert!(text.contains(&format!("redirected from {}/", server.origin())), "{text}");
    assert!(text.ends_with("\n\nthere"), "{text}");
    let contacted =
        both.ledger.entries().into_iter().filter(|entry| matches!(entry, Entry::Contacted { .. }));
    assert_eq!(contacted.count(), 2);

    let one = Probe::new(&[&server.origin()]);
    let error = fetch(&one, json!({ "url": server.origin() })).await.unwrap_err();
    assert!(error.contains("is not among the hosts granted") && error.contains("redirected from"), "{error}");
    assert_eq!(target.requests().len(), 1);
    for to in ["http://169.254.169.254/latest/meta-data/", "file:///etc/passwd", "http://localhost:1/"] {
        let server = Server::start(move |_| moved(to), Then::Close).await;
        let probe = Probe::new(&[&server.origin()]);
        fetch(&probe, json!({ "url": server.origin() })).await.unwrap_err();
        assert_eq!(server.requests().len(), 1, "{to}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_circle_of_redirects_ends() {
    let server = Server::start(|_| moved("/again"), Then::Close).await;
    let error = fetch(&Probe::new(&[&server.origin()]), json!({ "url": server.origin() })).await.unwrap_err();
    assert!(error.contains("more than 10 redirects"), "{error}");
    assert_eq!(server.requests().len(), 11);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_without_end_is_cut_and_says_so() {
    let server = Server::start(
        |_| "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nbegin\n".to_owned(),
        Then::Flood,
    )
    .await;
    let probe = Probe::new(&[&server.origin()]);
    let text = fetch(&probe, json!({ "url": server.origin() })).await.unwrap();
    assert!(text.contains("only the first 8.0 MB of the answer were read\n\nbegin\nxxx"), "{}", &text[..200]);
    assert!(text.len() < 32 << 10 && text.contains("call again with start="), "{}", text.len());
    let [Entry::Contacted { received, .. }] = &probe.ledger.entries()[..] else {
        panic!("{:?}", probe.ledger.entries())
    };
    assert!(*received < 10 << 20, "{received}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_packed_answer_is_not_unpacked() {
    let bomb = || html(&"\u{1f}".repeat(1000)).replace("\r\n\r\n", "\r\ncontent-encoding: gzip\r\n\r\n");
    let server = Server::start(move |_| bomb(), Then::Close).await;
    let error = fetch(&Probe::new(&[&server.origin()]), json!({ "url": server.origin() })).await.unwrap_err();
    assert!(error.contains("packs its answer as `gzip`"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_host_says_of_a_failure_reaches_whoever_asked() {
    let server = Server::start(|_| html("cut").replace("length: 3", "length: 30"), Then::Close).await;
    let probe = Probe::new(&[&server.origin()]);
    let error = fetch(&probe, json!({ "url": server.origin() })).await.unwrap_err();
    assert!(
        error.contains("broke off after 3 bytes") && error.contains("before its answer was whole"),
        "{error}"
    );
    let recorded = Probe::recorded(&["https://docs.example.org"]);
    let error = fetch(&recorded, json!({ "url": "https://docs.example.org/a" })).await.unwrap_err();
    assert!(error.contains("`GET https://docs.example.org/a`: its name could not be looked up"), "{error}");
    let error = fetch(&recorded, json!({ "url": "https://other.example.org/" })).await.unwrap_err();
    assert!(error.contains("is not among the hosts granted: `https://docs.example.org`"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_a_page_echoes_is_not_shown_in_any_form() {
    let value = "s3cr3t-s3cr3t<&>";
    let server = Server::start(
        |request| {
            let escaped = request.replace('&', "&amp;").replace('<', "&lt;");
            html(&format!("<pre>{escaped}</pre><a href='/?k=s3cr3t-s3cr3t%3C%26%3E'>link</a>s3cr3t<b></b>-s3&#99;r3t&lt;&amp;>"))
        },
        Then::Close,
    )
    .await;
    let probe = Probe::new(&[&server.origin()]).with_secret(value, &server.origin(), "X-Key: {}");
    for form in ["text", "raw"] {
        let text = fetch(&probe, json!({ "url": server.origin(), "as": form })).await.unwrap();
        assert!(text.contains("[secret key]") && !text.contains("s3cr3t-s3cr3t"), "{text}");
        // What only its reader puts together is not there either.
        let shown = text.matches("[secret").count();
        assert_eq!(shown, if form == "text" { 3 } else { 2 }, "{text}");
    }
    assert!(server.requests()[0].contains("x-key: s3cr3t-s3cr3t<&>\r\n"));
}
