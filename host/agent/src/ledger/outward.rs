//! What was done outside of the workspace: commands that were run, and hosts that were reached.

use serde::{Deserialize, Serialize};

use super::net::Deed;
use super::place::origin;
use crate::agent_path::AgentPath;
use crate::report::bounded;
use remit_sandbox::{Entry, command_line};

/// The longest command, and directory, that a report repeats, in bytes.
const MAX_COMMAND_BYTES: usize = 1024;

/// A command that an agent, or an agent below it, really ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// The program and its arguments, quoted where they have to be; a cut is marked.
    pub command: String,
    /// Where it ran, relative to the workspace; nothing if that is the workspace itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Its exit code; nothing if it was ended from outside, or by a signal.
    pub exit_code: Option<i32>,
    /// From its start to its end, in milliseconds.
    pub duration_ms: u64,
    /// What ended it, if it did not end by itself: `time`, `output`, `signal 9`, `cancelled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    /// What it ran without, where it could not be contained and the role allows that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncontained: Option<String>,
    /// The agent below that ran it; nothing if it was the agent itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// A host that an agent, or an agent below it, really sent requests to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostUse {
    /// Scheme, host and port: `https://docs.rs`.
    pub host: String,
    /// How many requests were sent.
    pub requests: u64,
    /// How many bytes of bodies were sent.
    pub sent: u64,
    /// How many bytes of the answers' bodies were handed over.
    pub received: u64,
}

/// The commands among `deeds`, in the order in which they ended, as the agent `of` has to answer for them.
pub(super) fn verification(deeds: &[Deed], of: &AgentPath) -> Vec<Verification> {
    let ran = deeds.iter().filter_map(|deed| match &deed.entry {
        Entry::Ran { argv, directory, exit_code, ended_by, duration_ms, uncontained, .. } => {
            Some(Verification {
                command: bounded(&command_line(argv), MAX_COMMAND_BYTES),
                directory: (directory != ".").then(|| bounded(directory, MAX_COMMAND_BYTES)),
                exit_code: *exit_code,
                duration_ms: *duration_ms,
                ended_by: ended_by.clone(),
                uncontained: uncontained.as_deref().map(|lost| bounded(lost, MAX_COMMAND_BYTES)),
                agent: (deed.agent != *of).then(|| deed.agent.to_string()),
            })
        }
        _ => None,
    });
    ran.collect()
}

/// The hosts among `deeds`, in the order in which they were first reached.
pub(super) fn hosts(deeds: &[Deed]) -> Vec<HostUse> {
    let mut hosts: Vec<HostUse> = Vec::new();
    for deed in deeds {
        let Entry::Contacted { url, sent, received, .. } = &deed.entry else { continue };
        let name = bounded(origin(url), MAX_COMMAND_BYTES);
        let at = hosts.iter().position(|host| host.host == name).unwrap_or_else(|| {
            hosts.push(HostUse { host: name, requests: 0, sent: 0, received: 0 });
            hosts.len() - 1
        });
        if let Some(host) = hosts.get_mut(at) {
            host.requests += 1;
            host.sent = host.sent.saturating_add(*sent);
            host.received = host.received.saturating_add(*received);
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deed(agent: &AgentPath, entry: Entry) -> Deed {
        Deed { agent: agent.clone(), entry }
    }

    fn contacted(url: &str, received: u64) -> Entry {
        Entry::Contacted { method: "GET".into(), url: url.into(), status: Some(200), sent: 1, received }
    }

    #[test]
    fn commands_stand_in_their_order_with_whose_they_are() {
        let (root, child) = (AgentPath::root(), AgentPath::root().child("verifier", 1));
        let ran = |argv: &[&str], exit_code: Option<i32>| Entry::Ran {
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            directory: if exit_code.is_some() { ".".into() } else { "sub".into() },
            exit_code,
            ended_by: exit_code.is_none().then(|| "time".to_owned()),
            duration_ms: 7,
            output_bytes: 3,
            uncontained: None,
        };
        let deeds = [
            deed(&child, ran(&["cargo", "test", "a b"], Some(101))),
            deed(&root, contacted("https://docs.rs/", 1)),
            deed(&root, ran(&["pytest"], None)),
        ];
        let told: Vec<_> = verification(&deeds, &root)
            .into_iter()
            .map(|run| (run.command, run.directory, run.exit_code, run.ended_by, run.agent))
            .collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            told,
            [
                ("cargo test 'a b'".to_owned(), None, Some(101), None, text("root/verifier#1")),
                ("pytest".to_owned(), text("sub"), None, text("time"), None),
            ]
        );
    }

    #[test]
    fn requests_are_added_up_for_each_host() {
        let root = AgentPath::root();
        let deeds = ["https://docs.rs/a", "https://docs.rs:8443/b", "https://docs.rs/c?d"]
            .map(|url| deed(&root, contacted(url, 10)));
        let told: Vec<_> =
            hosts(&deeds).into_iter().map(|host| (host.host, host.requests, host.received)).collect();
        assert_eq!(told, [("https://docs.rs".to_owned(), 2, 20), ("https://docs.rs:8443".to_owned(), 1, 10)]);
    }
}
