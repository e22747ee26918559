//! Starting other programs, and telling the reader what is going on.

#![expect(clippy::print_stderr, clippy::print_stdout, reason = "a command-line program talks to its reader")]

use std::io::ErrorKind;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// How often a program with a time limit is looked at.
const POLL: Duration = Duration::from_millis(50);

/// Prints on standard output: what was asked for, and nothing else.
pub(crate) fn print(text: &str) {
    print!("{text}");
}

/// Prints a progress line on standard error.
pub(crate) fn say(subject: &str, text: &str) {
    eprintln!("{subject}: {text}");
}

/// Runs a program whose output the reader sees, after a line that shows it. It reads nothing.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    say("xtask", &shown(command));
    let status = command.stdin(Stdio::null()).status().map_err(|error| not_started(command, &error))?;
    succeeded(command, status)
}

/// Runs a program and gives what it printed on standard output; its standard error goes to the reader.
pub(crate) fn output(command: &mut Command) -> Result<String, Failure> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| not_started(command, &error))?;
    succeeded(command, output.status)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program can be started and succeeds, without showing anything of it.
pub(crate) fn works(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Waits for a child, but not longer than `limit`: then it is ended and `None` is the answer.
pub(crate) fn wait_at_most(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begin.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

/// The failure for a program that could not even be started.
pub(crate) fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.get_program().to_string_lossy().into_owned();
    match error.kind() {
        ErrorKind::NotFound => Failure::new(format!("`{program}` was not found"))
            .fix(format!("install {program}, or put it on PATH")),
        _ => Failure::new(format!("`{program}` could not be started: {error}")),
    }
}

/// A failing program's exit code becomes ours.
pub(crate) fn succeeded(command: &Command, status: ExitStatus) -> Result<(), Failure> {
    if status.success() {
        return Ok(());
    }
    let mut failure = Failure::new(format!("`{}` failed: {status}", shown(command)));
    if let Some(code) = status.code().and_then(|code| u8::try_from(code).ok()) {
        failure.code = code;
    }
    Err(failure)
}

/// A command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program())
        .to_string_lossy()
        .into_owned();
    command.get_args().fold(program, |line, argument| {
        let argument = argument.to_string_lossy();
        if argument.is_empty() || argument.contains(char::is_whitespace) {
            format!("{line} '{argument}'")
        } else {
            format!("{line} {argument}")
        }
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::{shown, succeeded, wait_at_most};

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let mut command = Command::new("/opt/rust/bin/cargo");
        command.args(["test", "-E", "test(a b)"]);
        assert_eq!(shown(&command), "cargo test -E 'test(a b)'");
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        assert!(wait_at_most(&mut child, Duration::ZERO).unwrap().is_none());
        assert!(child.try_wait().unwrap().is_some(), "it was waited for");
    }

    #[test]
    fn the_exit_code_of_a_failing_program_is_passed_on() {
        let mut command = Command::new("sh");
        command.args(["-c", "exit 100"]);
        let status = command.status().unwrap();
        assert_eq!(succeeded(&command, status).unwrap_err().code, 100);
    }
}
