//! A sandbox with a workspace, for a guest to misbehave in.

#![expect(clippy::expect_used, reason = "only tests call this, and a test without a stage cannot go on")]

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use remit_sandbox::{
    CallError, CallOutput, GrantSpec, Grants, Ledger, Limits, LoadError, Origin, Plugin, PluginSource,
    Sandbox, SandboxConfig, Supervision, Workspace,
};
use serde_json::json;
use tempfile::TempDir;

/// A sandbox, and a workspace in a folder of its own with room beside it for what must not be reached.
pub struct Stage {
    /// The sandbox that guests run in.
    pub sandbox: Sandbox,
    /// What calls may use unless a test says otherwise.
    pub limits: Limits,
    folder: TempDir,
}

impl Default for Stage {
    fn default() -> Self {
        Self::new(&SandboxConfig::default())
    }
}

impl Stage {
    /// A stage with a sandbox of its own making. The deadline is so late that only a test of deadlines meets it.
    ///
    /// # Panics
    /// If the machine cannot have a sandbox or a temporary folder.
    pub fn new(config: &SandboxConfig) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("workspace")).expect("a folder in it");
        std::fs::create_dir(folder.path().join("outside")).expect("another one");
        let limits = Limits { deadline: std::time::Duration::from_secs(3600), ..Limits::default() };
        Self { sandbox: Sandbox::new(config).expect("a sandbox"), limits, folder }
    }

    /// A path in the workspace.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join("workspace").join(relative)
    }

    /// A path beside the workspace, which no grant reaches.
    pub fn outside(&self, relative: &str) -> PathBuf {
        self.folder.path().join("outside").join(relative)
    }

    /// Writes a file of the workspace, with the folders that it needs.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) {
        write(&self.path(relative), content.as_ref());
    }

    /// Writes a file beside the workspace.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write_outside(&self, relative: &str, content: impl AsRef<[u8]>) {
        write(&self.outside(relative), content.as_ref());
    }

    /// Makes a symbolic link in the workspace.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn link(&self, target: impl AsRef<Path>, relative: &str) {
        std::os::unix::fs::symlink(target, self.path(relative)).expect("a link");
    }

    /// The workspace's directories, for reading.
    ///
    /// # Panics
    /// If they cannot be granted.
    pub fn grants(&self, read: &[&str]) -> Arc<Grants> {
        self.grants_of(&GrantSpec {
            read: read.iter().map(|&path| path.to_owned()).collect(),
            ..GrantSpec::default()
        })
    }

    /// Whatever a test wants granted.
    ///
    /// # Panics
    /// If it cannot be granted.
    pub fn grants_of(&self, spec: &GrantSpec) -> Arc<Grants> {
        let workspace = Workspace::open(&self.path("")).expect("a workspace");
        Grants::new(&workspace, spec).expect("grants")
    }

    /// Loads a component from a file; its tools are `guest.…`.
    ///
    /// # Panics
    /// If it cannot be loaded.
    pub fn load(&self, component: &Path) -> Arc<Plugin> {
        let bytes = std::fs::read(component).expect("a component");
        self.try_load(component, bytes).expect("a component that loads")
    }

    /// Loads a component from bytes.
    ///
    /// # Panics
    /// If it cannot be loaded.
    pub fn load_bytes(&self, bytes: Vec<u8>) -> Arc<Plugin> {
        self.try_load("guest.wasm".as_ref(), bytes).expect("a component that loads")
    }

    /// Tries to load a component; `file` is where it is said to come from.
    ///
    /// # Errors
    /// Whatever the sandbox has against it.
    pub fn try_load(&self, file: &Path, bytes: Vec<u8>) -> Result<Arc<Plugin>, LoadError> {
        self.sandbox.load(PluginSource {
            name: "guest".to_owned(),
            origin: Origin::File(file.to_owned()),
            bytes: Cow::Owned(bytes),
            wit: None,
        })
    }

    /// Calls a guest's `run` with nothing granted.
    ///
    /// # Errors
    /// Whatever became of the call.
    pub async fn run(&self, guest: &Arc<Plugin>, argument: &str) -> Result<CallOutput, CallError> {
        self.run_with(guest, argument, &Grants::none()).await
    }

    /// Calls a guest's `run` with grants.
    ///
    /// # Errors
    /// Whatever became of the call.
    pub async fn run_with(
        &self,
        guest: &Arc<Plugin>,
        argument: &str,
        grants: &Arc<Grants>,
    ) -> Result<CallOutput, CallError> {
        self.run_recorded(guest, argument, grants, &Arc::default()).await
    }

    /// The same, with what it did noted in `ledger`.
    ///
    /// # Errors
    /// Whatever became of the call.
    pub async fn run_recorded(
        &self,
        guest: &Arc<Plugin>,
        argument: &str,
        grants: &Arc<Grants>,
        ledger: &Arc<Ledger>,
    ) -> Result<CallOutput, CallError> {
        let arguments = json!({ "argument": argument }).to_string();
        self.sandbox.call(guest, "guest.run", &arguments, grants, &self.limits, &ledger.clone().into()).await
    }

    /// Calls a function of a guest made from text, most of which take nothing.
    ///
    /// # Errors
    /// Whatever became of the call.
    pub async fn call(
        &self,
        guest: &Arc<Plugin>,
        function: &str,
        arguments: &str,
    ) -> Result<CallOutput, CallError> {
        let (tool, supervision) = (format!("guest.{function}"), Supervision::default());
        self.sandbox.call(guest, &tool, arguments, &Grants::none(), &self.limits, &supervision).await
    }
}

fn write(path: &Path, content: &[u8]) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("its folder");
    std::fs::write(path, content).expect("a file");
}
