//! A server on loopback, a network that writes down what is asked of it, and a stage for the probe.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use remit_sandbox::{
    Entry, GrantSpec, HostGrant, Later, Ledger, Network, Plugin, SandboxConfig, SecretGrant, SecretValue,
};
use remit_tests::{Stage, guest};
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// What a server does once it has answered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    Close,
    /// Says nothing more, and leaves the connection open.
    Stay,
    /// Sends the letter `x` without end.
    Flood,
}

/// Answers every request, and keeps what it got.
pub(crate) struct Server {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// `answer` makes what is sent, from the status line on, of a request's head and what came with it.
    pub(crate) async fn start(answer: impl Fn(&str) -> String + Send + Sync + 'static, then: Then) -> Self {
        Self::listen(answer, then, None).await
    }

    pub(crate) async fn listen(
        answer: impl Fn(&str) -> String + Send + Sync + 'static,
        then: Then,
        tls: Option<TlsAcceptor>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let (kept, answer) = (requests.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (kept, answer, tls) = (kept.clone(), answer.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(stream, &kept, &*answer, then).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => serve(stream, &kept, &*answer, then).await,
                            Err(_) => None,
                        },
                    }
                });
            }
        });
        Self { port, requests }
    }

    /// One that says `200` and `hello`.
    pub(crate) async fn hello() -> Self {
        Self::start(|_| ok("hello"), Then::Close).await
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Its host and port, as a URL has them.
    pub(crate) fn authority(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.authority())
    }
}

async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    kept: &Mutex<Vec<String>>,
    answer: &(dyn Fn(&str) -> String + Send + Sync),
    then: Then,
) -> Option<()> {
    let (mut bytes, mut part) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        let count = stream.read(&mut part).await.ok()?;
        bytes.extend(&part[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            !head.contains("transfer-encoding: chunked") || body.ends_with("0\r\n\r\n")
        });
        if whole || count == 0 {
            break;
        }
    }
    let request = String::from_utf8_lossy(&bytes).into_owned();
    kept.lock().unwrap().push(request.clone());
    stream.write_all(answer(&request).as_bytes()).await.ok()?;
    stream.flush().await.ok()?;
    match then {
        Then::Close => stream.shutdown().await.ok()?,
        // Until the other side goes.
        Then::Stay => while stream.read(&mut part).await.is_ok_and(|count| count > 0) {},
        Then::Flood => while stream.write_all(&[b'x'; 4096]).await.is_ok() {},
    }
    Some(())
}

/// An answer with a body.
pub(crate) fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// Names stand for what a test says, and every connection ends at one server of the test's, or nowhere.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) names: Mutex<Vec<(String, Vec<IpAddr>)>>,
    pub(crate) port: Mutex<Option<u16>>,
    pub(crate) roots: Mutex<Vec<CertificateDer<'static>>>,
    pub(crate) log: Mutex<Vec<String>>,
    /// How often the certificates were asked for.
    pub(crate) roots_asked: AtomicUsize,
}

impl Recorder {
    pub(crate) fn knows(&self, name: &str, addresses: &[&str]) {
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        self.names.lock().unwrap().push((name.to_owned(), addresses));
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

impl Network for Recorder {
    /// A name that was given several times stands for something else each time that it is looked up.
    fn resolve(&self, name: &str) -> Later<Vec<IpAddr>> {
        self.log.lock().unwrap().push(format!("resolve {name}"));
        let mut names = self.names.lock().unwrap();
        let at = names.iter().position(|(known, _)| known == name);
        let found = at.map(|at| names.remove(at).1);
        Box::pin(async move { found.ok_or_else(|| std::io::Error::other("no such name")) })
    }

    fn connect(&self, address: SocketAddr) -> Later<TcpStream> {
        self.log.lock().unwrap().push(format!("connect {address}"));
        let port = *self.port.lock().unwrap();
        Box::pin(async move {
            match port {
                Some(port) => TcpStream::connect(("127.0.0.1", port)).await,
                None => Err(std::io::Error::other("this network leads nowhere")),
            }
        })
    }

    fn further_roots(&self) -> Vec<CertificateDer<'static>> {
        self.roots_asked.fetch_add(1, Ordering::Relaxed);
        self.roots.lock().unwrap().clone()
    }
}

/// A stage with the probe, and what it may do.
pub(crate) struct Probe {
    pub(crate) stage: Stage,
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) spec: GrantSpec,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) plugin: Arc<Plugin>,
}

impl Probe {
    /// With requests to these hosts, over the network that the system has.
    pub(crate) fn new(hosts: &[&str]) -> Self {
        Self::on(SandboxConfig::default(), Arc::default(), hosts)
    }

    /// The same over a network that is written down.
    pub(crate) fn recorded(hosts: &[&str]) -> Self {
        let recorder = Arc::new(Recorder::default());
        let config = SandboxConfig { network: Some(recorder.clone()), ..SandboxConfig::default() };
        Self::on(config, recorder, hosts)
    }

    fn on(config: SandboxConfig, recorder: Arc<Recorder>, hosts: &[&str]) -> Self {
        let stage = Stage::new(&config);
        let plugin = stage.load(guest("http_probe"));
        let hosts = hosts.iter().map(|url| HostGrant::new(url, &["POST"]).unwrap()).collect();
        let spec = GrantSpec { hosts, ..GrantSpec::default() };
        Self { stage, recorder, spec, ledger: Arc::default(), plugin }
    }

    #[must_use]
    pub(crate) fn with_secret(mut self, value: &str, host: &str, header: &str) -> Self {
        let value = SecretValue::new(value.to_owned());
        self.spec.secrets.push(SecretGrant::new("key", value, host, header).unwrap());
        self
    }

    /// What the probe said.
    pub(crate) async fn run(&self, argument: &str) -> Result<String, String> {
        let grants = self.stage.grants_of(&self.spec);
        let output = self.stage.run_recorded(&self.plugin, argument, &grants, &self.ledger).await.unwrap();
        if output.is_error { Err(output.text) } else { Ok(output.text) }
    }

    /// That it is refused with these words, that this is noted, and that nothing was sent, not even a question for a name.
    pub(crate) async fn is_refused(&self, argument: &str, words: &str) {
        let error = self.run(argument).await.unwrap_err();
        assert!(error.contains(words), "{argument}: {error}");
        assert_eq!(self.recorder.log(), [""; 0], "{argument}");
        let entries = self.ledger.entries();
        let last = entries.last().and_then(Entry::refusal);
        assert!(last.is_some_and(|refusal| refusal.contains(words)), "{argument}: {entries:?}");
    }
}
