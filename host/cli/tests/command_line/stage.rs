//! A workspace and a user of their own for each test. Compiled components are shared, so that they are compiled once.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A user with a home directory, and a workspace beside it.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
}

/// What remit said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Stage {
    pub(crate) fn new() -> Stage {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "workspace"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Stage { folder }
    }

    /// A small Python project, whose test framework is named in line 5 of its manifest.
    pub(crate) fn shop() -> Stage {
        let stage = Stage::new();
        stage.write(
            "pyproject.toml",
            "[project]\nname = \"shop\"\n\n[project.optional-dependencies]\ntest = [\"pytest>=8\"]\n",
        );
        stage.write("src/test_total.py", "import pytest\n\n\ndef test_total():\n    assert 1 + 1 == 2\n");
        stage.write("docs/notes.md", "# Notes\n");
        stage
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace").canonicalize().unwrap()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home").canonicalize().unwrap()
    }

    /// Writes a file of the workspace.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.workspace().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Writes a script outside of the workspace, and gives the `--model` that plays it.
    pub(crate) fn script(&self, turns: &str) -> String {
        let path = self.folder.path().join("script.toml");
        fs::write(&path, turns).unwrap();
        format!("script:{}", path.display())
    }

    /// remit with these arguments, in the workspace, with nothing of the caller's environment.
    pub(crate) fn remit(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_remit"));
        command
            .args(arguments)
            .current_dir(self.workspace())
            .env_clear()
            .env("HOME", self.home())
            .env("XDG_CONFIG_HOME", self.home().join("config"))
            .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn say(&self, arguments: &[&str]) -> Said {
        self.remit(arguments).output().unwrap().into()
    }

    /// The same with something to read on standard input.
    pub(crate) fn say_with(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Said {
        let mut child = self.remit(arguments).stdin(Stdio::piped()).spawn().unwrap();
        // Whoever refuses to begin does not read.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        child.wait_with_output().unwrap().into()
    }

    /// The folder of the only run in the workspace.
    pub(crate) fn session(&self) -> PathBuf {
        let sessions: Vec<_> = fs::read_dir(self.workspace().join(".remit/sessions")).unwrap().collect();
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        sessions.into_iter().next().unwrap().unwrap().path()
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Said {
        Said {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Said {
    /// What a command that had to succeed wrote to standard output.
    pub(crate) fn fine(self) -> String {
        assert_eq!(self.code, 0, "{self:#?}");
        self.stdout
    }

    /// Why a command was not carried out at all. It wrote nothing else.
    pub(crate) fn refused(self) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (2, ""), "{self:#?}");
        self.stderr
    }
}

/// The lines of a JSON Lines text.
pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Whether nothing in the text would act on a terminal.
pub(crate) fn is_inert(text: &str) -> bool {
    !text.chars().any(|c| (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202a}'..='\u{202e}'))
}
