//! Commands: native programs that a component may have run, and what keeps them within the role's grants.
//!
//! A component asks for one through remit's own interface (`wit/command`). Whether it may be is decided here, by the role's
//! patterns and whoever is asked; then it runs in namespaces of its own, on a file system put together for it, and is ended
//! with everything that it has started.

mod capture;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
mod follow;
mod interface;
#[cfg(target_os = "linux")]
mod launch;
#[cfg(target_os = "linux")]
mod launcher;
mod mask;
#[cfg(target_os = "linux")]
mod passing;
mod pattern;
mod plan;
mod run;
mod toolchain;
mod view;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use crate::gate::{DirNode, Follow, locate};
use crate::grant::{FOLDER, GrantError, GrantSpec, is_within, normal};
use crate::hidden::Hidden;

#[cfg(not(target_os = "linux"))]
pub use self::elsewhere::launch_commands;
#[cfg(not(target_os = "linux"))]
pub(crate) use self::elsewhere::{Launched, Launching};
pub(crate) use self::interface::{INTERFACE, VERSION, add_to_linker};
#[cfg(target_os = "linux")]
pub(crate) use self::launch::{Launched, Launching};
#[cfg(target_os = "linux")]
pub use self::launcher::launch_commands;
pub use self::pattern::{CommandPattern, CommandProblem, shown as command_line};
pub(crate) use self::run::{Commanded, Commander};

/// What holds where the system cannot contain a command: no namespaces for ordinary users, or no Linux.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommandSandbox {
    /// The command is refused.
    #[default]
    Required,
    /// It runs with what is left, and its result and the record name what is lost.
    BestEffort,
}

/// What a role's commands are held to. The default allows none.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    /// What may be run.
    pub(crate) patterns: Vec<CommandPattern>,
    /// Directories of the workspace that commands may fill, in their one spelling; perhaps not there yet.
    pub(crate) scratch: Vec<String>,
    /// What holds where they can't be contained.
    pub(crate) sandbox: CommandSandbox,
    /// Names of the variables of the host's environment that they get.
    pub(crate) env: Vec<String>,
    /// What they see of the machine, looked up with the first of them.
    toolchain: OnceLock<toolchain::Toolchain>,
}

/// Variables whose values are the sandbox's own: what they name is another thing inside.
const OWN_VARIABLES: [&str; 6] = ["HOME", "PATH", "PWD", "TMPDIR", "CARGO_HOME", "RUSTUP_HOME"];

impl Commands {
    /// Takes from `spec` what is about commands; `root` is the workspace, `protected` in lower case.
    ///
    /// # Errors
    ///
    /// When commands would fill what decides about roles, what is hidden, or what is no directory of the workspace.
    pub(crate) fn new(
        spec: &GrantSpec,
        root: &DirNode,
        protected: &[String],
        hidden: &Hidden,
    ) -> Result<Self, GrantError> {
        let mut scratch: Vec<String> = Vec::new();
        for path in &spec.scratch {
            let refuse = |reason: String| GrantError::Scratch { path: path.clone(), reason };
            let path = normal(path).map_err(|error| match error {
                GrantError::Path { reason, .. } => refuse(reason),
                other => other,
            })?;
            check_scratch(&path, root, protected, hidden).map_err(refuse)?;
            if !scratch.contains(&path) {
                scratch.push(path);
            }
        }
        for name in &spec.command_env {
            let refuse =
                |reason: &str| GrantError::Variable { name: name.clone(), reason: reason.to_owned() };
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty() || !name.chars().all(is_name) || name.starts_with(|c: char| c.is_ascii_digit())
            {
                return Err(refuse("a name has letters, digits and `_`, and no value"));
            }
            if OWN_VARIABLES.contains(&name.as_str()) {
                return Err(refuse("inside it has a value of its own"));
            }
        }
        let (patterns, env) = (spec.commands.clone(), spec.command_env.clone());
        Ok(Self { patterns, scratch, sandbox: spec.command_sandbox, env, toolchain: OnceLock::new() })
    }
}

fn check_scratch(path: &str, root: &DirNode, protected: &[String], hidden: &Hidden) -> Result<(), String> {
    if path == "." {
        return Err("it is the whole workspace; name the directories of build output".to_owned());
    }
    let folded = path.to_lowercase();
    if is_within(&folded, FOLDER) {
        return Err("it is remit's own folder".to_owned());
    }
    if let Some(own) = protected.iter().find(|own| is_within(own, &folded) || is_within(&folded, own)) {
        return Err(format!("`{own}` says what roles may do, and no command may change it"));
    }
    if let Some(rule) = hidden.hides(path, true) {
        return Err(format!("it is hidden by `{rule}`"));
    }
    match locate(root, path, Follow::Yes) {
        Ok(found) if !found.is_dir() => Err("it is no directory".to_owned()),
        Ok(found) if found.path != path => Err(format!("it is a link; name `{}` itself", found.path)),
        Ok(_) | Err(ErrorCode::NoEntry) => Ok(()),
        Err(ErrorCode::NotPermitted) => Err("it leads out of the workspace".to_owned()),
        Err(code) => Err(code.message().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grant::Grants;
    use crate::workspace::Workspace;

    fn refusal(dir: &tempfile::TempDir, spec: GrantSpec) -> String {
        let workspace = Workspace::open(dir.path()).unwrap();
        Grants::new(&workspace, &spec).unwrap_err().to_string()
    }

    #[test]
    fn scratch_is_a_directory_of_the_workspace_that_decides_nothing() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("build/out")).unwrap();
        std::fs::write(dir.path().join("file"), "").unwrap();
        std::os::unix::fs::symlink("/tmp", dir.path().join("way-out")).unwrap();
        std::os::unix::fs::symlink("build", dir.path().join("alias")).unwrap();
        let spec = |path: &str| GrantSpec {
            scratch: vec![path.to_owned()],
            protected: vec!["Plugins/words.wasm".to_owned()],
            ..GrantSpec::default()
        };
        let workspace = Workspace::open(dir.path()).unwrap();
        for path in ["build", "./build//out/", "not-yet/there"] {
            Grants::new(&workspace, &spec(path)).unwrap();
        }
        for (path, reason) in [
            (".", "the whole workspace"),
            ("..", "`..` is not allowed"),
            ("/tmp", "relative to the workspace"),
            ("way-out", "leads out of the workspace"),
            ("alias", "name `build` itself"),
            ("file", "no directory"),
            (".git/out", "hidden by `.git`"),
            (".Remit", "remit's own folder"),
            ("plugins", "no command may change it"),
            ("plugins/words.wasm/x", "no command may change it"),
        ] {
            let error = refusal(&dir, spec(path));
            assert!(error.contains(reason) && error.contains("as scratch"), "{path}: {error}");
        }
    }

    #[test]
    fn a_variable_is_a_name_that_the_sandbox_does_not_set_itself() {
        let dir = tempfile::tempdir().unwrap();
        for (name, reason) in
            [("A=b", "and no value"), ("", "a name has"), ("1A", "a name has"), ("HOME", "its own")]
        {
            let error =
                refusal(&dir, GrantSpec { command_env: vec![name.to_owned()], ..GrantSpec::default() });
            assert!(error.contains(reason), "{name}: {error}");
        }
    }
}
