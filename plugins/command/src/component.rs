//! The component's export. The name that it has in the binary is no symbol to a native linker, so a native build has
//! none.

use crate::bindings::exports::remit::command_plugin::command::Guest;
use crate::bindings::remit::command::command as host;
use crate::bindings::{self};
use crate::{Ending, Report};

struct Command;

impl Guest for Command {
    fn run(argv: Vec<String>, cwd: Option<String>, timeout: Option<u32>) -> Result<String, String> {
        let timeout_ms = timeout.map(|seconds| u64::from(seconds) * 1000);
        let outcome = host::run(&argv, &host::Options { directory: cwd, timeout_ms });
        let outcome = outcome.map_err(|error| match error {
            host::Error::Denied(why) => format!("not run: {why}"),
            host::Error::Invalid(why) | host::Error::Failed(why) => why,
        })?;
        let ending = match outcome.ending {
            host::Ending::Exited(code) => Ending::Exited(code),
            host::Ending::Signalled(signal) => Ending::Signalled(signal),
            host::Ending::TimedOut => Ending::Stopped("it ran for too long"),
            host::Ending::TooMuchOutput => Ending::Stopped("it printed too much"),
            host::Ending::TooMuchMemory => Ending::Stopped("it took too much memory"),
            host::Ending::TooManyProcesses => Ending::Stopped("it started too many processes"),
        };
        let report = Report {
            ending,
            milliseconds: outcome.duration_ms,
            warnings: &outcome.warnings,
            stdout: &outcome.stdout.text,
            stderr: &outcome.stderr.text,
        };
        Ok(report.to_string())
    }
}

bindings::export!(Command with_types_in bindings);
