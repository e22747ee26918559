//! What a call may touch: directories of a workspace, less what is hidden, hosts and commands.

use std::sync::Arc;

use thiserror::Error;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use crate::command::{CommandPattern, CommandSandbox, Commands};
use crate::gate::{DirNode, Follow, Located, locate, open_located};
use crate::hidden::{Hidden, PatternError};
use crate::net::{HostGrant, Redactor, SecretGrant};
use crate::workspace::Workspace;

/// What a role asks for, as written: nothing is checked or opened yet. The default grants nothing at all.
#[derive(Clone, Debug, Default)]
pub struct GrantSpec {
    /// Directories that may be read, relative to the workspace, `/`-separated; `.` is the workspace itself.
    pub read: Vec<String>,
    /// Directories that may be read and written, likewise.
    pub write: Vec<String>,
    /// Files and directories that nothing may change although a directory of `write` covers them, relative to the
    /// workspace.
    pub protected: Vec<String>,
    /// Gitignore patterns that the ceiling adds to [`ALWAYS_HIDDEN`](crate::ALWAYS_HIDDEN).
    pub hidden: Vec<String>,
    /// Gitignore patterns that the ceiling takes back from it.
    pub reveal: Vec<String>,
    /// Gitignore patterns that the role hides from itself; nothing reveals them.
    pub role_hidden: Vec<String>,
    /// Hosts that requests may be sent to.
    pub hosts: Vec<HostGrant>,
    /// Secrets that are added to requests to the host that each belongs to, where `hosts` allows those.
    pub secrets: Vec<SecretGrant>,
    /// Secrets that are not added to any request, and are looked for like the others: those of other agents.
    pub others_secrets: Vec<SecretGrant>,
    /// What commands may be run.
    pub commands: Vec<CommandPattern>,
    /// Directories that commands may fill, relative to the workspace: build output, which is no part of the workspace's
    /// state. One that is missing is made when a command first needs it.
    pub scratch: Vec<String>,
    /// What holds where the system cannot contain commands.
    pub command_sandbox: CommandSandbox,
    /// Names of variables of the host's environment that commands get, where they are set; none otherwise but what every
    /// program needs.
    pub command_env: Vec<String>,
}

/// Grants made ready: every directory is open. Made once for an agent, shared by all its calls, never changed.
#[derive(Debug)]
pub struct Grants {
    preopens: Vec<Preopen>,
    /// The own paths of the directories that may be written.
    writable: Vec<String>,
    /// In lower case.
    protected: Vec<String>,
    hidden: Hidden,
    commands: Commands,
    workspace: Option<Workspace>,
    hosts: Vec<HostGrant>,
    secrets: Vec<SecretGrant>,
    redactor: Option<Arc<Redactor>>,
}

#[derive(Debug)]
pub(crate) struct Preopen {
    /// The path at which the component finds the directory: the one that was granted.
    pub(crate) mount: String,
    pub(crate) dir: DirNode,
}

/// Why a grant cannot be given.
#[derive(Debug, Error)]
pub enum GrantError {
    /// The path is not one that a grant can have.
    #[error("cannot grant {path:?}: {reason}")]
    Path {
        /// The directory as it was written.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A directory cannot be one that commands fill.
    #[error("cannot use {path:?} as scratch: {reason}")]
    Scratch {
        /// The directory as it was written.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A variable cannot be handed to commands.
    #[error("cannot give commands the variable {name:?}: {reason}")]
    Variable {
        /// Its name as it was written.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Secrets that could not be kept back.
    #[error("cannot give the secrets: {reason}")]
    Secrets {
        /// What is wrong with them.
        reason: String,
    },
    /// A `hidden` or `reveal` pattern cannot be understood.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// What a role without a grant to write is told.
pub(crate) const NO_WRITING: &str = "no directory is granted for writing";

/// Where the host keeps its own files.
pub(crate) const FOLDER: &str = ".remit";

impl Grants {
    /// Nothing: no directory, no file.
    #[must_use]
    pub fn none() -> Arc<Self> {
        static NONE: std::sync::OnceLock<Arc<Grants>> = std::sync::OnceLock::new();
        NONE.get_or_init(|| {
            let hidden = Hidden::none();
            Arc::new(Self {
                preopens: Vec::new(),
                writable: Vec::new(),
                protected: Vec::new(),
                hidden,
                commands: Commands::default(),
                workspace: None,
                hosts: Vec::new(),
                secrets: Vec::new(),
                redactor: None,
            })
        })
        .clone()
    }

    /// Opens what `spec` names, from the workspace's handle.
    ///
    /// # Errors
    ///
    /// When a path is absolute, has `..`, leads out of the workspace, is hidden, missing or no directory, when a
    /// pattern cannot be understood, or when commands would be given what must not be theirs.
    pub fn new(workspace: &Workspace, spec: &GrantSpec) -> Result<Arc<Self>, GrantError> {
        let hidden = Hidden::new(&spec.hidden, &spec.reveal, &spec.role_hidden)?;
        let root = DirNode::root(workspace.root().clone());
        let mut preopens: Vec<Preopen> = Vec::new();
        let mut writable = Vec::new();
        let all =
            spec.read.iter().map(|path| (path, false)).chain(spec.write.iter().map(|path| (path, true)));
        for (path, is_writable) in all {
            let mount = normal(path)?;
            let at = match preopens.iter().position(|preopen| preopen.mount == mount) {
                Some(at) => at,
                None => {
                    let dir = open_dir(&root, &mount, &hidden)?;
                    preopens.push(Preopen { mount, dir });
                    preopens.len() - 1
                }
            };
            if is_writable {
                writable.push(preopens[at].dir.path().to_owned());
            }
        }
        let protected = spec.protected.iter().map(|path| Ok(normal(path)?.to_lowercase()));
        let protected = protected.collect::<Result<Vec<_>, GrantError>>()?;
        let commands = Commands::new(spec, &root, &protected, &hidden)?;
        Ok(Arc::new(Self {
            preopens,
            writable,
            protected,
            hidden,
            commands,
            workspace: Some(workspace.clone()),
            hosts: spec.hosts.clone(),
            secrets: spec.secrets.clone(),
            redactor: Redactor::new(spec.secrets.iter().chain(&spec.others_secrets))
                .map_err(|reason| GrantError::Secrets { reason })?,
        }))
    }

    /// Whether anything of the file system is granted.
    #[must_use]
    pub fn has_files(&self) -> bool {
        !self.preopens.is_empty()
    }

    /// The granted directories, as they are mounted.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        self.preopens.iter().map(|p| p.mount.as_str())
    }

    /// The commands that may be run.
    #[must_use]
    pub fn commands(&self) -> &[CommandPattern] {
        &self.commands.patterns
    }

    pub(crate) fn commands_granted(&self) -> &Commands {
        &self.commands
    }

    /// Whether anything may be written.
    pub(crate) fn can_write(&self) -> bool {
        !self.writable.is_empty()
    }

    /// Whether the directory `path` is granted for writing, or lies within one that is.
    pub(crate) fn may_write_in(&self, path: &str) -> bool {
        self.writable.iter().any(|dir| is_within(path, dir))
    }

    /// Whether `path`, which is a file's or directory's own, may be changed.
    ///
    /// # Errors
    ///
    /// Why not.
    pub(crate) fn may_write(&self, path: &str) -> Result<(), String> {
        let folded = path.to_lowercase();
        if self.writable.is_empty() {
            return Err(NO_WRITING.to_owned());
        }
        // Strictly within: the directory itself is not the role's to remove.
        let within = |dir: &String| path != dir && is_within(path, dir);
        if !self.writable.iter().any(within) {
            let shown = |dir: &String| if dir.is_empty() { ".".to_owned() } else { dir.clone() };
            let granted = self.writable.iter().map(shown).collect::<Vec<_>>().join(", ");
            return Err(format!("it is not within what is granted for writing: {granted}"));
        }
        if is_within(&folded, FOLDER) {
            return Err("remit's own folder is never writable".to_owned());
        }
        match self.protected.iter().find(|protected| is_within(&folded, protected)) {
            Some(_) => Err("it is protected: it says what roles may do".to_owned()),
            None => Ok(()),
        }
    }

    pub(crate) fn preopens(&self) -> &[Preopen] {
        &self.preopens
    }

    pub(crate) fn hidden(&self) -> &Hidden {
        &self.hidden
    }

    /// The hosts that requests may be sent to.
    #[must_use]
    pub fn hosts(&self) -> &[HostGrant] {
        &self.hosts
    }

    /// The secrets that are added to requests.
    #[must_use]
    pub fn secrets(&self) -> &[SecretGrant] {
        &self.secrets
    }

    /// What looks for them; nothing if there are none.
    pub(crate) fn redactor(&self) -> Option<&Arc<Redactor>> {
        self.redactor.as_ref()
    }

    /// Words without the secrets that may be in them.
    pub(crate) fn redacted(&self, words: String) -> String {
        match &self.redactor {
            Some(redactor) => redactor.redact_text(&words),
            None => words,
        }
    }

    pub(crate) fn workspace(&self) -> Option<&Workspace> {
        self.workspace.as_ref()
    }
}

/// Whether `path` is `dir` or lies within it; both are a file's or directory's own.
pub(crate) fn is_within(path: &str, dir: &str) -> bool {
    dir.is_empty() || path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A granted path in its one spelling: no `.` parts, no slash at the end; `.` alone for the workspace.
pub(crate) fn normal(path: &str) -> Result<String, GrantError> {
    let refuse = |reason: &str| Err(GrantError::Path { path: path.to_owned(), reason: reason.to_owned() });
    if path.is_empty() {
        return refuse("an empty path names nothing; `.` is the workspace");
    }
    if path.starts_with('/') {
        return refuse("paths are relative to the workspace");
    }
    if path.contains(['\\', '\0']) {
        return refuse("paths are written with `/`, without backslash or NUL");
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => return refuse("`..` is not allowed in a grant"),
            part => parts.push(part),
        }
    }
    Ok(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

fn open_dir(root: &DirNode, path: &str, hidden: &Hidden) -> Result<DirNode, GrantError> {
    let refuse = |reason: String| GrantError::Path { path: path.to_owned(), reason };
    let unreachable = |code: ErrorCode| {
        refuse(match code {
            ErrorCode::NoEntry => "there is no such directory".into(),
            ErrorCode::NotPermitted => "it leads out of the workspace".into(),
            code => code.message().to_owned(),
        })
    };
    let found: Located = locate(root, path, Follow::Yes).map_err(unreachable)?;
    if !found.is_dir() {
        return Err(refuse("a grant names a directory, and this is none".into()));
    }
    if let Some(rule) = hidden.hides(&found.path, true) {
        return Err(refuse(format!("it is hidden by `{rule}`")));
    }
    let file = open_located(root, &found).map_err(unreachable)?;
    Ok(DirNode::new(file, found.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(dir: &tempfile::TempDir, path: &str) -> Result<Arc<Grants>, GrantError> {
        let workspace = Workspace::open(dir.path()).unwrap();
        Grants::new(&workspace, &GrantSpec { read: vec![path.into()], ..GrantSpec::default() })
    }

    #[test]
    fn a_grant_stays_inside_the_workspace() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        std::fs::create_dir(dir.path().join(".git")).unwrap();
        std::fs::write(dir.path().join("file"), "x").unwrap();
        std::os::unix::fs::symlink("/etc", dir.path().join("etc")).unwrap();
        std::os::unix::fs::symlink("a/b", dir.path().join("inner")).unwrap();

        for (path, mount) in [(".", "."), ("./a//b/", "a/b"), ("inner", "inner")] {
            let grants = grant(&dir, path).unwrap();
            assert_eq!(grants.directories().collect::<Vec<_>>(), [mount]);
        }
        for (path, reason) in [
            ("..", "`..` is not allowed"),
            ("a/../..", "`..` is not allowed"),
            ("/etc", "relative to the workspace"),
            ("etc", "leads out of the workspace"),
            ("", "an empty path"),
            ("a\\b", "without backslash"),
            ("missing", "no such directory"),
            ("file", "names a directory"),
            (".git", "hidden by `.git`"),
        ] {
            let error = grant(&dir, path).unwrap_err().to_string();
            assert!(error.contains(reason), "{path}: {error}");
        }
    }
}
