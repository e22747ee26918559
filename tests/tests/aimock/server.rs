use std::path::Path;
use std::process::Command;

use remit_tests::PeerServer;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server that answers from fixtures and keeps a journal of what it was asked. It ends with this value.
pub(crate) struct Server {
    server: PeerServer,
    _folder: TempDir,
}

impl Server {
    /// Starts `program` on a free port of the loopback interface. Of the fixtures the first that matches answers; a
    /// request that none matches is answered with an error.
    pub(crate) fn start(program: &Path, fixtures: &[Value]) -> Server {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("fixtures.json");
        std::fs::write(&file, json!({ "fixtures": fixtures }).to_string()).unwrap();
        let mut command = Command::new(program);
        command.args(["-p", "0", "--strict", "-f"]).arg(&file);
        let server = PeerServer::start(&mut command, "listening on http://");
        Server { server: server.unwrap_or_else(|error| panic!("{error}")), _folder: folder }
    }

    /// What a client is told: the base URL, the same for every protocol.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.server.address())
    }

    /// The bodies of all requests, in the order in which they came.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.journal().into_iter().map(|mut entry| entry["body"].take()).collect()
    }

    /// All requests with what is known of them: `headers`, in which a key is not shown, `body`, `response`.
    pub(crate) fn journal(&self) -> Vec<Value> {
        let journal = self.server.ask("GET", "/__aimock/journal", "");
        serde_json::from_str(&journal.unwrap_or_else(|error| panic!("{error}"))).unwrap()
    }
}
