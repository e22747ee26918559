//! Toolboxes whose tools are components in the sandbox.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, try_join_all};
use remit_sandbox::{
    CallOutput, Change, Changes, Entry, GrantError, GrantSpec, Grants, Ledger, Limits, LoadError, Origin,
    Plugin, PluginSource, Sandbox, SecretGrant, Supervision, Workspace,
};
use thiserror::Error;
use tokio::sync::OnceCell;

use crate::agent::RoleRef;
use crate::ledger::{EffectSource, Staged};
use crate::roles::{Authority, KnownTools, PluginFiles, Roles, WorkspacePath};
use crate::toolbox::{CallLimits, CallTerms, ToolInfo, ToolOutcome, Toolbox, ToolboxError, ToolboxFactory};

/// Makes toolboxes of components. A component is loaded when the first role that names one of its tools is started, and
/// never if none is.
pub struct SandboxToolboxes {
    sandbox: Sandbox,
    workspace: Workspace,
    /// What is the user's own, beside what the roles file protects.
    protected: Vec<WorkspacePath>,
    plugins: BTreeMap<String, Slot>,
    secrets: Vec<SecretGrant>,
}

/// A plugin that may be loaded.
struct Slot {
    source: PluginSource,
    loaded: OnceCell<Arc<Plugin>>,
}

/// Why a plugin can't be had.
#[derive(Debug, Error)]
pub enum PluginError {
    /// It can't be loaded.
    #[error(transparent)]
    Load(Box<LoadError>),
    /// Loading it was broken off.
    #[error("plugin `{name}`: loading it was broken off: {reason}")]
    BrokenOff {
        /// The plugin.
        name: String,
        /// Why.
        reason: String,
    },
    /// There is none of that name.
    #[error("there is no plugin `{name}`; there are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// All there are.
        known: String,
    },
}

impl SandboxToolboxes {
    /// Toolboxes of these plugins, in this workspace. Nothing is loaded yet.
    pub fn new(sandbox: Sandbox, workspace: Workspace, plugins: Vec<PluginSource>) -> SandboxToolboxes {
        let slot = |source: PluginSource| (source.name.clone(), Slot { source, loaded: OnceCell::new() });
        SandboxToolboxes {
            sandbox,
            workspace,
            protected: Vec::new(),
            plugins: plugins.into_iter().map(slot).collect(),
            secrets: Vec::new(),
        }
    }

    /// The same toolboxes, with the values of the secrets that roles name: see [`Roles::resolve_secrets`].
    #[must_use]
    pub fn with_secrets(self, secrets: Vec<SecretGrant>) -> SandboxToolboxes {
        SandboxToolboxes { secrets, ..self }
    }

    /// The same toolboxes, in which nobody may write to these files and directories either.
    #[must_use]
    pub fn protecting(self, protected: impl IntoIterator<Item = WorkspacePath>) -> SandboxToolboxes {
        SandboxToolboxes { protected: protected.into_iter().collect(), ..self }
    }

    /// The names of the plugins that there are.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.plugins.keys().map(String::as_str)
    }

    /// The plugin of that name, which is loaded if it has not been.
    ///
    /// # Errors
    ///
    /// When there is none, or it can't be loaded.
    pub async fn plugin(&self, name: &str) -> Result<Arc<Plugin>, PluginError> {
        let slot = self.plugins.get(name).ok_or_else(|| PluginError::Unknown {
            name: name.to_owned(),
            known: self.names().collect::<Vec<_>>().join(", "),
        })?;
        let load = || async {
            let (sandbox, source) = (self.sandbox.clone(), slot.source.clone());
            // Compiling takes seconds where nothing is cached.
            match tokio::task::spawn_blocking(move || sandbox.load(source).map_err(Box::new)).await {
                Ok(loaded) => loaded.map_err(PluginError::Load),
                Err(stopped) => {
                    Err(PluginError::BrokenOff { name: name.to_owned(), reason: stopped.to_string() })
                }
            }
        };
        Ok(slot.loaded.get_or_try_init(load).await?.clone())
    }

    /// The tools of these plugins, for [`Roles::check_tools`].
    ///
    /// # Errors
    ///
    /// When one of them can't be loaded.
    pub async fn known_tools(
        &self,
        plugins: impl IntoIterator<Item = &str>,
    ) -> Result<KnownTools, PluginError> {
        let mut known = KnownTools::new();
        for plugin in try_join_all(plugins.into_iter().map(|name| self.plugin(name))).await? {
            let tools = plugin.tools().iter().map(|tool| tool.name.as_str());
            let skipped =
                plugin.skipped().iter().map(|skipped| (skipped.name.as_str(), skipped.reason.as_str()));
            known.add(plugin.name(), tools, skipped);
        }
        Ok(known)
    }

    fn grants(&self, role: &RoleRef, authority: &Authority) -> Result<Arc<Grants>, ToolboxError> {
        let paths = |paths: &[WorkspacePath]| paths.iter().map(ToString::to_string).collect();
        let is_own = |secret: &SecretGrant| authority.secrets().iter().any(|name| name == secret.name());
        let (secrets, others_secrets) = self.secrets.iter().cloned().partition(is_own);
        let spec = GrantSpec {
            read: paths(authority.read()),
            write: paths(authority.write()),
            protected: paths(&[authority.protected(), &self.protected].concat()),
            hidden: authority.hidden().to_vec(),
            reveal: authority.reveal().to_vec(),
            role_hidden: authority.role_hidden().to_vec(),
            hosts: authority.hosts().to_vec(),
            secrets,
            others_secrets,
            commands: authority.commands().to_vec(),
            scratch: paths(authority.scratch()),
            command_sandbox: authority.command_sandbox(),
            command_env: authority.command_env().to_vec(),
        };
        Grants::new(&self.workspace, &spec).map_err(|error| {
            let key = match &error {
                GrantError::Scratch { .. } => "scratch",
                GrantError::Variable { .. } => "command_env",
                _ => "read",
            };
            ToolboxError(format!("{error} ({})", role.place(key)))
        })
    }

    async fn toolbox(&self, role: &RoleRef, authority: &Authority) -> Result<Arc<dyn Toolbox>, ToolboxError> {
        let names = role.get().plugins();
        let plugins = try_join_all(names.into_iter().map(|name| self.plugin(name))).await;
        let plugins = plugins.map_err(|error| ToolboxError(format!("{error} ({})", role.place("tools"))))?;
        let mut tools = Vec::new();
        let mut by_name = HashMap::new();
        for plugin in plugins {
            for tool in plugin.tools().iter().filter(|tool| role.get().permits(&tool.name)) {
                by_name.insert(tool.name.clone(), plugin.clone());
                tools.push(ToolInfo {
                    name: tool.name.clone(),
                    wire_name: tool.wire_name.clone(),
                    description: tool.description.clone(),
                    input_schema: tool.input_schema.clone(),
                });
            }
        }
        let words = in_words(authority);
        let grants = self.grants(role, authority)?;
        Ok(Arc::new(SandboxToolbox { sandbox: self.sandbox.clone(), grants, words, tools, plugins: by_name }))
    }
}

impl ToolboxFactory for SandboxToolboxes {
    fn make<'a>(
        &'a self,
        role: &'a RoleRef,
        authority: &'a Authority,
    ) -> BoxFuture<'a, Result<Arc<dyn Toolbox>, ToolboxError>> {
        self.toolbox(role, authority).boxed()
    }
}

/// One agent's tools, and the grants that every call of them is given.
struct SandboxToolbox {
    sandbox: Sandbox,
    grants: Arc<Grants>,
    words: String,
    tools: Vec<ToolInfo>,
    plugins: HashMap<String, Arc<Plugin>>,
}

impl Toolbox for SandboxToolbox {
    fn tools(&self) -> &[ToolInfo] {
        &self.tools
    }

    fn grants(&self) -> String {
        self.words.clone()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: &'a str,
        terms: CallTerms<'a>,
    ) -> BoxFuture<'a, ToolOutcome> {
        async move {
            let Some(plugin) = self.plugins.get(tool) else {
                return ToolOutcome::error(format!("there is no tool `{tool}`"));
            };
            // It is the call's before the call begins, so that what was done is known however it ends.
            let (kept, limits) = (Arc::new(Ledger::default()), call_limits(terms.limits));
            terms.ledger.keep(kept.clone());
            let supervision = Supervision { ledger: kept.clone(), consent: terms.consent };
            let called = self.sandbox.call(plugin, tool, arguments, &self.grants, &limits, &supervision);
            match called.await {
                Ok(output) => outcome(output, kept),
                Err(error) => ToolOutcome::error(error.to_string()),
            }
        }
        .boxed()
    }
}

/// What an agent may touch, as it is told; empty if that is nothing.
fn in_words(authority: &Authority) -> String {
    let files = match authority.writes_in_words() {
        _ if authority.readable().is_empty() => None,
        None => Some(format!("You may read {}.", authority.in_words())),
        Some(writes) => Some(format!("You may read {} and write {writes}.", authority.in_words())),
    };
    let hosts = authority.hosts_in_words().map(|hosts| format!("You may send requests to {hosts}."));
    let commands = authority.commands_in_words().map(|commands| format!("You may run {commands}."));
    let no_files = (files.is_none() && hosts.is_some()).then(|| "You can touch no file.".to_owned());
    [no_files, files, hosts, commands].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The sandbox refuses a result that is too large, and the loop cuts one and says how to go on: the sandbox's own limit is
/// left above the agent's.
fn call_limits(limits: CallLimits) -> Limits {
    let default = Limits::default();
    Limits { deadline: limits.time, result_bytes: default.result_bytes.max(limits.result_bytes), ..default }
}

fn outcome(output: CallOutput, ledger: Arc<Ledger>) -> ToolOutcome {
    let printed: Vec<&str> = [&output.stdout, &output.stderr]
        .into_iter()
        .map(|text| text.trim())
        .filter(|text| !text.is_empty())
        .collect();
    let (is_changed, changes) = (!output.changes.is_empty(), output.changes);
    ToolOutcome {
        printed: printed.join("\n"),
        text: output.text,
        is_error: output.is_error,
        changes: is_changed.then(|| Box::new(StagedChanges { changes, ledger }) as Box<dyn Staged>),
    }
}

impl EffectSource for Ledger {
    fn entries(&self) -> Vec<Entry> {
        Ledger::entries(self)
    }

    fn dropped(&self) -> u64 {
        Ledger::dropped(self)
    }
}

/// What a component would change, and the ledger of its call.
struct StagedChanges {
    changes: Changes,
    ledger: Arc<Ledger>,
}

impl Staged for StagedChanges {
    fn files(&self) -> &[Change] {
        self.changes.files()
    }

    fn unified_diff(&self, max_bytes: usize) -> String {
        self.changes.unified_diff(max_bytes)
    }

    fn commit(self: Box<Self>) -> Result<(), String> {
        self.changes.commit(&self.ledger).map_err(|error| error.to_string())
    }
}

/// The components of a `roles.toml`, as they were read and checked, to be loaded.
pub fn plugin_sources(roles: &Roles, mut files: PluginFiles, workspace: &Path) -> Vec<PluginSource> {
    let entries = roles.plugins().iter();
    let sources = entries.filter_map(|entry| {
        let file = files.remove(entry.name())?;
        Some(PluginSource {
            name: entry.name().to_owned(),
            origin: Origin::File(workspace.join(entry.path().as_str())),
            bytes: Cow::Owned(file.bytes),
            wit: entry.wit().map(|folder| workspace.join(folder.as_str())),
        })
    });
    sources.collect()
}
