//! `cargo xtask run`: from a clean clone to an answer.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::failure::Failure;
use crate::process::{not_started, say, shown, succeeded};
use crate::repository::{Repository, Workspace};
use crate::setup;

/// Set-up, build, and `remit run` with `arguments` in the caller's folder.
pub(crate) fn run(repository: &Repository, arguments: Vec<OsString>) -> Result<(), Failure> {
    setup::setup(None)?;
    let remit = build(repository)?;
    let mut command = Command::new(remit);
    command.arg("run").args(arguments);
    become_program(command)
}

/// Builds remit and gives the path of the binary, which is wherever this machine's cargo puts it.
fn build(repository: &Repository) -> Result<PathBuf, Failure> {
    let mut command = repository.cargo(Workspace::Host);
    command.args(["build", "--release", "--package", "remit", "--message-format", "json-render-diagnostics"]);
    say("xtask", &shown(&command));
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| not_started(&command, &error))?;
    succeeded(&command, output.status)?;
    executable(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| Failure::new("cargo built remit but did not say where it is"))
}

/// The binary named `remit` in cargo's messages, a JSON object a line.
fn executable(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| line.split_once("\"executable\":\"")?.1.split_once('"'))
        .map(|(path, _)| PathBuf::from(path.replace("\\\\", "\\")))
        .find(|path| path.file_stem().is_some_and(|name| name == "remit"))
}

/// remit takes xtask's place, so that terminal, signals and exit code are its own.
#[cfg(unix)]
fn become_program(mut command: Command) -> Result<(), Failure> {
    use std::os::unix::process::CommandExt as _;
    let error = command.exec();
    Err(not_started(&command, &error))
}

#[cfg(not(unix))]
fn become_program(mut command: Command) -> Result<(), Failure> {
    let status = command.status().map_err(|error| not_started(&command, &error))?;
    succeeded(&command, status)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::executable;

    #[test]
    fn the_binary_is_where_cargo_says() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"remit_agent"},"executable":null,"fresh":true}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"remit"},"executable":"/t/release/remit","fresh":false}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        assert_eq!(executable(messages), Some(PathBuf::from("/t/release/remit")));
        assert_eq!(executable(r#"{"reason":"build-finished","success":true}"#), None);
    }
}
