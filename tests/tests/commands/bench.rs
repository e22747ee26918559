//! A workspace in which commands are run.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use remit_sandbox::{
    CallError, CallOutput, CommandPattern, Entry, GrantSpec, Grants, Ledger, Limits, Origin, Plugin,
    PluginSource, SandboxConfig, Supervision,
};
use remit_tests::Stage;
use serde_json::json;

/// A stage with the plugin `command`, and a role that reads the workspace, fills `out` and may run `sh` and more.
pub(crate) struct Bench {
    pub(crate) stage: Stage,
    pub(crate) spec: GrantSpec,
    pub(crate) limits: Limits,
    plugin: Arc<Plugin>,
}

impl Bench {
    /// Nothing, with a word, where the system cannot contain commands: unless it is said that it has to.
    #[expect(clippy::print_stderr, reason = "a test that is left out says so")]
    pub(crate) async fn new() -> Option<Self> {
        let bench = Self::with_launcher(env!("CARGO_BIN_EXE_launcher").into());
        match bench.run(&["true"]).await {
            Err(error) if error.contains("this system cannot contain commands") => {
                assert!(std::env::var_os("REMIT_MUST_CONTAIN").is_none(), "{error}");
                eprintln!("skipped: {error}");
                None
            }
            _ => Some(bench),
        }
    }

    pub(crate) fn with_launcher(launcher: PathBuf) -> Self {
        let stage = Stage::new(&SandboxConfig { launcher: Some(launcher), ..SandboxConfig::default() });
        let builtin = remit_builtin::PLUGINS.iter().find(|plugin| plugin.name == "command").unwrap();
        let source = PluginSource {
            name: builtin.name.to_owned(),
            origin: Origin::BuiltIn,
            bytes: builtin.bytes.into(),
            wit: None,
        };
        let plugin = stage.sandbox.load(source).unwrap();
        let commands = ["sh **", "python3 **", "cargo test **", "npm test **", "true", "sleep *", "ls **"];
        let spec = GrantSpec {
            read: vec![".".to_owned()],
            commands: commands.map(|pattern| CommandPattern::parse(pattern).unwrap()).to_vec(),
            scratch: vec!["out".to_owned()],
            ..GrantSpec::default()
        };
        let limits = Limits { deadline: Duration::from_secs(100), ..Limits::default() };
        Self { stage, spec, limits, plugin }
    }

    /// Has a command run, and says what the plugin says of it.
    pub(crate) async fn run(&self, argv: &[&str]) -> Result<String, String> {
        let (output, _) = self.run_recorded(argv).await;
        said(output.unwrap())
    }

    /// Runs a script of the shell that has to end well, and gives what it printed.
    pub(crate) async fn shell(&self, script: &str) -> String {
        let text = self.run(&["sh", "-c", script]).await.unwrap_or_else(|error| panic!("{script}: {error}"));
        let (ending, rest) = text.split_once("\n--- stdout:").unwrap();
        assert!(ending.starts_with("exit code 0,"), "{script}: {text}");
        let (stdout, _) = rest.split_once("\n--- stderr:").unwrap();
        stdout.trim_start_matches('\n').to_owned()
    }

    /// The same, with what the ledger says.
    pub(crate) async fn run_recorded(&self, argv: &[&str]) -> (Result<CallOutput, CallError>, Vec<Entry>) {
        let ledger = Arc::new(Ledger::default());
        let output = self.call(json!({ "argv": argv }), &ledger.clone().into()).await;
        (output, ledger.entries())
    }

    pub(crate) async fn call(
        &self,
        arguments: serde_json::Value,
        supervision: &Supervision,
    ) -> Result<CallOutput, CallError> {
        let grants = self.stage.grants_of(&self.spec);
        let arguments = arguments.to_string();
        self.stage
            .sandbox
            .call(&self.plugin, "command.run", &arguments, &grants, &self.limits, supervision)
            .await
    }

    pub(crate) async fn call_granted(&self, argv: &[&str], grants: &Arc<Grants>) -> CallOutput {
        let arguments = json!({ "argv": argv }).to_string();
        let supervision = Supervision::default();
        let call = self.stage.sandbox.call(
            &self.plugin,
            "command.run",
            &arguments,
            grants,
            &self.limits,
            &supervision,
        );
        call.await.unwrap()
    }

    /// A pipe with a name in `out`, through which a process of a command can be waited for.
    pub(crate) fn pipe(&self, name: &str) -> PathBuf {
        std::fs::create_dir_all(self.stage.path("out")).unwrap();
        let path = self.stage.path("out").join(name);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }
}

pub(crate) fn said(output: CallOutput) -> Result<String, String> {
    if output.is_error { Err(output.text) } else { Ok(output.text) }
}

/// Waits until every process that holds the pipe open for writing is gone, and gives what they wrote.
pub(crate) async fn drained(pipe: &Path) -> String {
    let pipe = pipe.to_owned();
    tokio::task::spawn_blocking(move || std::fs::read_to_string(pipe).unwrap()).await.unwrap()
}

/// A program for tests: a script that can be executed.
pub(crate) fn script(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
