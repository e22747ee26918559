//! What a role may do beyond the workspace's files: send requests, and run commands.

use std::path::Path;

use remit_sandbox::{CommandPattern, CommandSandbox, GrantSpec, Grants, HostGrant, Workspace};

use super::ceiling::Ceiling;
use super::path::WorkspacePath;
use super::problem::Problem;
use super::reader::{Reader, Section};
use super::secret::Secret;
use super::section::Placed;
use super::shown::{shown, shown_words};
use super::suggest::nearest;

/// `hosts`, `secrets`, `commands` and what holds for these, of one role. The default reaches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) hosts: Vec<HostGrant>,
    pub(super) secrets: Vec<String>,
    pub(super) commands: Vec<CommandPattern>,
    pub(super) scratch: Vec<Placed<WorkspacePath>>,
    pub(super) sandbox: CommandSandbox,
    pub(super) env: Vec<Placed<String>>,
}

impl Reach {
    /// Reads it, as far as the ceiling holds it; `readable` is what the role reads and writes.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        section: &Section<'_>,
        ceiling: Option<&Ceiling>,
        all_secrets: &[Secret],
        readable: &[WorkspacePath],
    ) -> Self {
        let mut hosts = Vec::new();
        for host in reader.hosts(section, "hosts") {
            let is_held = ceiling.is_none_or(|ceiling| ceiling.holds_host(&host.value));
            within(reader, section, "hosts", ceiling.filter(|_| !is_held), host, &mut hosts);
        }
        let mut commands = Vec::new();
        for pattern in reader.commands(section, "commands") {
            let is_held = ceiling.is_none_or(|ceiling| ceiling.holds_command(&pattern.value));
            within(reader, section, "commands", ceiling.filter(|_| !is_held), pattern, &mut commands);
        }
        let secrets = secrets(reader, section, all_secrets, &hosts);
        let scratch = reader.paths(section, "scratch");
        for path in &scratch {
            if !readable.iter().any(|directory| path.value.is_within(directory)) {
                let problem = Problem::ScratchUnread(shown(path.value.as_str()));
                reader.report(path.at, section.key("scratch"), problem);
            }
        }
        let sandbox = sandbox(reader, section);
        let env = reader.strings(section, "command_env");
        if !section.has("commands") {
            for key in ["scratch", "command_sandbox", "command_env"] {
                if section.has(key) {
                    reader.report(section.marks.at(key), section.key(key), Problem::NoCommands);
                }
            }
        } else if !commands.is_empty() && readable.is_empty() {
            reader.report(section.marks.at("commands"), section.key("commands"), Problem::NowhereToRun);
        }
        Self { hosts, secrets, commands, scratch, sandbox, env }
    }

    /// Has the sandbox judge what it will be given, as it will when an agent is started. `spec` says what is hidden and
    /// protected; `key` gives a key's full name.
    pub(super) fn check(
        &self,
        reader: &mut Reader<'_>,
        workspace: &Path,
        spec: &GrantSpec,
        key: impl Fn(&str) -> String,
    ) {
        if self.scratch.is_empty() && self.env.is_empty() {
            return;
        }
        let mut judge = |at, name: &str, problem: fn(String) -> Problem, spec: GrantSpec| {
            let judged = Workspace::open(workspace).map_err(|error| error.to_string());
            let judged = judged.and_then(|workspace| {
                Grants::new(&workspace, &spec).map(drop).map_err(|error| error.to_string())
            });
            if let Err(words) = judged {
                reader.report(at, key(name), problem(shown_words(&words)));
            }
        };
        for path in &self.scratch {
            let spec = GrantSpec { scratch: vec![path.value.to_string()], ..spec.clone() };
            judge(path.at, "scratch", Problem::Scratch, spec);
        }
        for name in &self.env {
            let spec = GrantSpec { command_env: vec![name.value.clone()], ..GrantSpec::default() };
            judge(name.at, "command_env", Problem::Variable, spec);
        }
    }
}

/// Keeps a grant, or reports that it is over the ceiling, which then is given.
fn within<T: ToString>(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    key: &'static str,
    exceeded: Option<&Ceiling>,
    asked: Placed<T>,
    kept: &mut Vec<T>,
) {
    match exceeded {
        Some(ceiling) => {
            let asked_words = shown(&asked.value.to_string());
            let problem = Problem::OverCeiling { key, asked: asked_words, ceiling: ceiling.in_words(key) };
            reader.report(asked.at, section.key(key), problem);
        }
        None => kept.push(asked.value),
    }
}

/// Names of secrets, each of a host that the role reaches: elsewhere it would never be sent.
fn secrets(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    all: &[Secret],
    hosts: &[HostGrant],
) -> Vec<String> {
    let mut names = Vec::new();
    for name in reader.strings(section, "secrets") {
        let problem = match all.iter().find(|secret| secret.name() == name.value) {
            None => {
                let nearest = nearest(&name.value, all.iter().map(Secret::name)).map(|name| shown(&name));
                Problem::UnknownSecret { name: shown(&name.value), nearest }
            }
            Some(secret) if !hosts.iter().any(|host| host.covers(secret.host())) => {
                Problem::SecretElsewhere { name: shown(&name.value), host: shown(&secret.host().to_string()) }
            }
            Some(_) => {
                names.push(name.value);
                continue;
            }
        };
        reader.report(name.at, section.key("secrets"), problem);
    }
    names
}

fn sandbox(reader: &mut Reader<'_>, section: &Section<'_>) -> CommandSandbox {
    let Some(word) = reader.string(section, "command_sandbox") else { return CommandSandbox::default() };
    match word.value.as_str() {
        "required" => CommandSandbox::Required,
        "best-effort" => CommandSandbox::BestEffort,
        other => {
            reader.report(word.at, section.key("command_sandbox"), Problem::UnknownSandbox(shown(other)));
            CommandSandbox::default()
        }
    }
}
