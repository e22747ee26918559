use std::fmt::Display;

use remit_sandbox::{CommandPattern, CommandSandbox, HostGrant};

use super::load::Roles;
use super::narrowing::Narrowing;
use super::path::WorkspacePath;
use super::role::Role;
use super::shown::shown;

/// What one agent may touch: its role's grants, within the ceiling, within what every delegation on the way left.
///
/// What its components import limits it once more, where they are instantiated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    read: Vec<WorkspacePath>,
    write: Vec<WorkspacePath>,
    protected: Vec<WorkspacePath>,
    hidden: Vec<String>,
    reveal: Vec<String>,
    role_hidden: Vec<String>,
    hosts: Vec<HostGrant>,
    secrets: Vec<String>,
    commands: Vec<CommandPattern>,
    scratch: Vec<WorkspacePath>,
    command_sandbox: CommandSandbox,
    command_env: Vec<String>,
}

/// What a person grants one call beyond what its role has, on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// Hosts.
    pub hosts: Vec<HostGrant>,
    /// Commands.
    pub commands: Vec<CommandPattern>,
    /// Directories that commands may fill.
    pub scratch: Vec<WorkspacePath>,
}

impl Authority {
    /// What an agent of `role` may touch.
    #[must_use]
    pub fn of(roles: &Roles, role: &Role, narrowing: &Narrowing) -> Self {
        let ceiling = roles.ceiling();
        let narrowed = |granted: &[WorkspacePath], ceiling: &[WorkspacePath]| {
            let held = intersection(granted, ceiling);
            narrowing.paths().map_or(held.clone(), |left| intersection(&held, left))
        };
        // What may be written may be read.
        let readable = [ceiling.read(), ceiling.write()].concat();
        let hosts = role.hosts().iter().filter(|host| ceiling.holds_host(host));
        let commands = role.commands().iter().filter(|pattern| ceiling.holds_command(pattern));
        let mut authority = Self {
            read: narrowed(role.read(), &readable),
            write: narrowed(role.write(), ceiling.write()),
            protected: roles.protected().to_vec(),
            hidden: ceiling.hidden().to_vec(),
            reveal: ceiling.reveal().to_vec(),
            role_hidden: role.hidden().to_vec(),
            hosts: narrowing.hosts_of(hosts.cloned().collect()),
            secrets: role.secrets().to_vec(),
            commands: commands.cloned().collect(),
            scratch: Vec::new(),
            command_sandbox: role.command_sandbox(),
            command_env: role.command_env().map(str::to_owned).collect(),
        };
        let readable = authority.readable();
        if readable.is_empty() {
            // There is nowhere left to run one.
            authority.commands.clear();
        }
        let scratch =
            role.scratch().filter(|path| readable.iter().any(|directory| path.is_within(directory)));
        authority.scratch = scratch.cloned().collect();
        authority
    }

    /// The same, with what a person adds.
    #[must_use]
    pub fn with(mut self, extra: &Extra) -> Self {
        self.hosts.extend_from_slice(&extra.hosts);
        self.commands.extend_from_slice(&extra.commands);
        self.scratch.extend_from_slice(&extra.scratch);
        self
    }

    /// The directories that `read` grants, none inside of another.
    #[must_use]
    pub fn read(&self) -> &[WorkspacePath] {
        &self.read
    }

    /// The directories that `write` grants, none inside of another. They may be read too.
    #[must_use]
    pub fn write(&self) -> &[WorkspacePath] {
        &self.write
    }

    /// Every directory that may be read, none inside of another.
    #[must_use]
    pub fn readable(&self) -> Vec<WorkspacePath> {
        covering([&self.read[..], &self.write].concat())
    }

    /// What no grant lets anybody write: see [`Roles::protected`].
    #[must_use]
    pub fn protected(&self) -> &[WorkspacePath] {
        &self.protected
    }

    /// The patterns that the ceiling adds to the built-in list of hidden ones.
    #[must_use]
    pub fn hidden(&self) -> &[String] {
        &self.hidden
    }

    /// The patterns that the ceiling takes from it.
    #[must_use]
    pub fn reveal(&self) -> &[String] {
        &self.reveal
    }

    /// The patterns that the role hides from itself, whatever is revealed.
    #[must_use]
    pub fn role_hidden(&self) -> &[String] {
        &self.role_hidden
    }

    /// The hosts that requests may be sent to.
    #[must_use]
    pub fn hosts(&self) -> &[HostGrant] {
        &self.hosts
    }

    /// The names of the secrets that go with requests to their hosts.
    #[must_use]
    pub fn secrets(&self) -> &[String] {
        &self.secrets
    }

    /// The commands that may be run. They see the directories that may be read, and nothing else of the workspace.
    #[must_use]
    pub fn commands(&self) -> &[CommandPattern] {
        &self.commands
    }

    /// The directories that commands may fill, whatever may be written otherwise.
    #[must_use]
    pub fn scratch(&self) -> &[WorkspacePath] {
        &self.scratch
    }

    /// What holds where commands can't be contained.
    #[must_use]
    pub fn command_sandbox(&self) -> CommandSandbox {
        self.command_sandbox
    }

    /// The environment variables that commands get.
    #[must_use]
    pub fn command_env(&self) -> &[String] {
        &self.command_env
    }

    /// What it may read, for a person or a model: `` `src`, `docs` ``.
    #[must_use]
    pub fn in_words(&self) -> String {
        in_words(&self.readable())
    }

    /// What it may write, for a person or a model; nothing if that is nothing.
    #[must_use]
    pub fn writes_in_words(&self) -> Option<String> {
        (!self.write.is_empty()).then(|| in_words(&self.write))
    }

    /// The hosts that it may send requests to, each with the methods beside GET and HEAD; nothing if there is none.
    #[must_use]
    pub fn hosts_in_words(&self) -> Option<String> {
        let words = |host: &HostGrant| {
            let more: Vec<&str> = host.methods().filter(|method| !["GET", "HEAD"].contains(method)).collect();
            let more = if more.is_empty() { String::new() } else { format!(" (also {})", more.join(", ")) };
            format!("`{}`{more}", shown(&host.url()))
        };
        let hosts: Vec<String> = self.hosts.iter().map(words).collect();
        (!hosts.is_empty()).then(|| hosts.join(", "))
    }

    /// The commands that it may run; nothing if there is none.
    #[must_use]
    pub fn commands_in_words(&self) -> Option<String> {
        (!self.commands.is_empty()).then(|| in_words(&self.commands))
    }
}

/// Items in quotes, for a person or a model.
pub(super) fn in_words(items: &[impl Display]) -> String {
    match items {
        [] => "nothing".to_owned(),
        some => {
            some.iter().map(|item| format!("`{}`", shown(&item.to_string()))).collect::<Vec<_>>().join(", ")
        }
    }
}

/// The directories that lie within both lists.
fn intersection(one: &[WorkspacePath], other: &[WorkspacePath]) -> Vec<WorkspacePath> {
    let mut both = Vec::new();
    for a in one {
        for b in other {
            if a.is_within(b) {
                both.push(a.clone());
            } else if b.is_within(a) {
                both.push(b.clone());
            }
        }
    }
    covering(both)
}

/// The same directories without those that lie within another one, each once, in their order.
pub(super) fn covering(directories: Vec<WorkspacePath>) -> Vec<WorkspacePath> {
    let mut covering: Vec<WorkspacePath> = Vec::new();
    for directory in directories {
        if !covering.iter().any(|kept| directory.is_within(kept)) {
            covering.retain(|kept| !kept.is_within(&directory));
            covering.push(directory);
        }
    }
    covering
}

#[cfg(test)]
mod tests;
