//! Whole runs over the wire: the roles and plugins that come with remit, and a model behind a real server of the Chat
//! Completions API, which answers from fixtures and keeps a journal of what it was asked.

#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers belong to tests")]

mod delegation;
mod faults;
mod server;

use std::sync::Arc;

use remit_agent::roles::{BuiltIn, Roles, RolesSource};
use remit_agent::trace::{self, Session};
use remit_agent::{ChosenModels, EventKind, Events, Outcome, Recorder, RunRequest, SandboxToolboxes, run};
use remit_model::{Keys, ModelChoice};
use remit_sandbox::{Origin, PluginSource, Sandbox, SandboxConfig, Workspace};
use serde_json::Value;
use server::Server;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A server and a workspace.
struct Scene {
    server: Server,
    workspace: TempDir,
    toolboxes: Arc<SandboxToolboxes>,
}

/// What a run came to, and what it left.
struct Run {
    outcome: Outcome,
    session: Session,
}

impl Scene {
    /// None where there is no such server.
    fn set(fixtures: &[Value], files: &[(&str, &str)]) -> Option<Scene> {
        let program = remit_tests::peer("aimock", "node_modules/.bin/llmock")?;
        let workspace = TempDir::new().unwrap();
        for (path, text) in files {
            std::fs::write(workspace.path().join(path), text).unwrap();
        }
        let sandbox = Sandbox::new(&SandboxConfig { concurrency: 2, ..SandboxConfig::default() }).unwrap();
        let plugins = remit_builtin::PLUGINS.iter().map(|plugin| PluginSource {
            name: plugin.name.to_owned(),
            origin: Origin::BuiltIn,
            bytes: plugin.bytes.into(),
            wit: None,
        });
        let opened = Workspace::open(workspace.path()).unwrap();
        let toolboxes = Arc::new(SandboxToolboxes::new(sandbox, opened, plugins.collect()));
        Some(Scene { server: Server::start(&program, fixtures), workspace, toolboxes })
    }

    /// Runs a prompt with the built-in roles.
    async fn run(&self, prompt: &str) -> Run {
        let names: Vec<&str> = self.toolboxes.names().collect();
        let built_in = BuiltIn { roles: remit_builtin::ROLES_TOML, plugins: &names };
        let workspace = self.workspace.path().to_owned();
        let roles = Roles::load(RolesSource::BuiltIn, &built_in, &workspace);
        let choice = ModelChoice::parse(&format!("openai:mock@{}", self.server.url())).unwrap();
        let recorder = Recorder::create(&workspace).unwrap();
        let session = recorder.id().to_owned();
        let outcome = run(RunRequest {
            prompt: prompt.to_owned(),
            role: "root".to_owned(),
            pins: Vec::new(),
            roles: Arc::new(roles.unwrap_or_else(|error| panic!("{error}"))),
            workspace: workspace.clone(),
            toolboxes: self.toolboxes.clone(),
            models: Arc::new(ChosenModels::new(&choice, Keys::none()).unwrap()),
            events: Arc::new(Events::new(vec![Box::new(recorder)])),
            cancel: CancellationToken::new(),
        })
        .await
        .unwrap();
        Run { outcome, session: trace::session(&workspace, &session).unwrap() }
    }
}

impl Run {
    /// What is recorded of an agent, of which every line must be readable.
    fn kinds(&self, agent: &str) -> Vec<EventKind> {
        let trace = self.session.trace(agent).unwrap();
        assert!(trace.problems.is_empty() && !trace.is_torn, "{:?}", trace.problems);
        trace.events.into_iter().map(|event| event.kind).collect()
    }
}
