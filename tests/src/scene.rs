//! A whole run: roles, their components in a sandbox, a model, and the record that is left.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "only tests call this, and a test without a scene cannot go on"
)]

use std::path::Path;
use std::sync::Arc;

use remit_agent::roles::{BuiltIn, Roles, RolesSource};
use remit_agent::trace::{self, Session};
use remit_agent::{
    ChosenModels, EventKind, Events, Models, Notes, Outcome, Patience, Recorder, RunError, RunRequest,
    SandboxToolboxes, Setup, run,
};
use remit_model::{Keys, ModelChoice};
use remit_sandbox::{Origin, PluginSource, Sandbox, SandboxConfig, Workspace};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A workspace, and agents to work in it.
pub struct Scene {
    /// What runs the agents' components.
    pub sandbox: Sandbox,
    /// What the user's environment holds.
    pub keys: Keys,
    /// Stops the runs.
    pub cancel: CancellationToken,
    roles: String,
    toolboxes: Arc<SandboxToolboxes>,
    workspace: TempDir,
}

/// A run that has ended.
pub struct Run {
    /// How.
    pub outcome: Outcome,
    session: Session,
}

/// A call as its agent's record tells it.
#[derive(Debug, PartialEq, Eq)]
pub struct Called {
    /// The call's id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The result as the model was shown it.
    pub text: String,
    /// Whether it was an error.
    pub is_error: bool,
    /// What the component was refused meanwhile.
    pub refusals: Vec<String>,
}

impl Scene {
    /// The roles and plugins that come with remit.
    pub fn built_in() -> Self {
        Self::new(remit_builtin::ROLES_TOML, &[])
    }

    /// These roles, and beside the plugins that come with remit these: a name and a file each.
    ///
    /// # Panics
    /// If the machine cannot have a sandbox or a temporary folder.
    pub fn new(roles: &str, guests: &[(&str, &Path)]) -> Self {
        let config = SandboxConfig { concurrency: 2, ..SandboxConfig::default() };
        let sandbox = Sandbox::new(&config).expect("a sandbox");
        let workspace = TempDir::new().expect("a temporary folder");
        let built_in = remit_builtin::PLUGINS.iter().map(|plugin| PluginSource {
            name: plugin.name.to_owned(),
            origin: Origin::BuiltIn,
            bytes: plugin.bytes.into(),
            wit: None,
        });
        let guests = guests.iter().map(|(name, file)| PluginSource {
            name: (*name).to_owned(),
            origin: Origin::File((*file).to_owned()),
            bytes: std::fs::read(file).expect("a component").into(),
            wit: None,
        });
        let sources: Vec<_> = built_in.chain(guests).collect();
        let opened = Workspace::open(workspace.path()).expect("a workspace");
        Self {
            keys: Keys::none(),
            cancel: CancellationToken::new(),
            roles: roles.to_owned(),
            toolboxes: Arc::new(SandboxToolboxes::new(sandbox.clone(), opened, sources)),
            sandbox,
            workspace,
        }
    }

    /// Writes a file of the workspace.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, path: &str, text: &str) {
        std::fs::write(self.workspace.path().join(path), text).expect("a file");
    }

    /// The names and contents of the workspace's files, in order, without those that remit keeps there.
    ///
    /// # Panics
    /// If they cannot be read.
    pub fn files(&self) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(self.workspace.path()).expect("a workspace");
        let paths = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
        let named = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut files: Vec<_> = paths
            .map(|path| (named(&path).unwrap_or_default(), std::fs::read_to_string(path).expect("a text")))
            .collect();
        files.sort();
        files
    }

    /// The role `role` answers `prompt`; `model` is chosen as a user chooses it.
    ///
    /// # Errors
    /// Whatever keeps the run from beginning.
    ///
    /// # Panics
    /// If the roles or the model are not usable, or nothing can be recorded.
    pub async fn run(&self, role: &str, model: &str, prompt: &str) -> Result<Run, RunError> {
        let choice = ModelChoice::parse(model).expect("a model");
        let models = ChosenModels::new(&choice, self.keys.clone()).expect("a model that opens");
        // Whoever does not answer is asked again at once: what a wait is worth is no matter of a whole run.
        let patience = Patience::default().pausing(|_| Box::pin(async {}));
        self.run_with(role, Arc::new(models.with_patience(patience)), prompt).await
    }

    /// The role `role` answers `prompt`, with these models.
    ///
    /// # Errors
    /// As [`Scene::run`].
    ///
    /// # Panics
    /// As [`Scene::run`].
    pub async fn run_with(&self, role: &str, models: Arc<dyn Models>, prompt: &str) -> Result<Run, RunError> {
        let names: Vec<&str> = self.toolboxes.names().collect();
        let built_in = BuiltIn { roles: &self.roles, plugins: &names };
        let workspace = self.workspace.path().to_owned();
        let roles = Roles::load(RolesSource::BuiltIn, &built_in, &workspace);
        let recorder = Recorder::create(&workspace).expect("a session");
        let session = recorder.id().to_owned();
        let setup = Setup {
            role: role.to_owned(),
            pins: Vec::new(),
            notes: Notes::default(),
            roles: Arc::new(roles.unwrap_or_else(|error| panic!("{error}"))),
            workspace: workspace.clone(),
            toolboxes: self.toolboxes.clone(),
            models,
            broker: remit_agent::Broker::new(remit_agent::Policy::Ask, None),
            events: Arc::new(Events::new(vec![Box::new(recorder)])),
        };
        let request = RunRequest { prompt: prompt.to_owned(), setup, cancel: self.cancel.clone() };
        let outcome = run(request).await?;
        Ok(Run { outcome, session: trace::session(&workspace, &session).expect("the session") })
    }

    /// The role `role` is played by a script.
    ///
    /// # Errors
    /// As [`Scene::run`].
    ///
    /// # Panics
    /// As [`Scene::run`].
    pub async fn play(&self, role: &str, script: &str) -> Result<Run, RunError> {
        let folder = TempDir::new().expect("a temporary folder");
        let file = folder.path().join("script.toml");
        std::fs::write(&file, script).expect("a script");
        self.run(role, &format!("script:{}", file.display()), "Go.").await
    }
}

impl Run {
    /// What is recorded of an agent, of which every line must be readable.
    ///
    /// # Panics
    /// If one is not.
    pub fn kinds(&self, agent: &str) -> Vec<EventKind> {
        let trace = self.session.trace(agent).expect("a record");
        assert!(trace.problems.is_empty() && !trace.is_torn, "{:?}", trace.problems);
        trace.events.into_iter().map(|event| event.kind).collect()
    }

    /// The calls of an agent, in the order of their results.
    ///
    /// # Panics
    /// As [`Run::kinds`].
    pub fn calls(&self, agent: &str) -> Vec<Called> {
        let finished = self.kinds(agent).into_iter().filter_map(|kind| match kind {
            EventKind::ToolFinished { call_id: id, tool, text, is_error, refusals, .. } => {
                Some(Called { id, tool, text, is_error, refusals })
            }
            _ => None,
        });
        finished.collect()
    }
}
