//! The commands, one module each.

mod call;
mod check;
mod explain;
mod init;
mod inspect;
mod output;
mod prepare;
pub(crate) mod roles;
pub(crate) mod run;
pub(crate) mod tools;
pub(crate) mod trace;
mod trust;

use std::process::ExitCode;

pub(crate) use output::Output;
pub(crate) use prepare::{Prepared, warnings};

use crate::command_line::{Command, Place};
use crate::failure::Failure;

impl Command {
    /// Does it, and gives the exit code.
    pub(crate) fn run(self, place: &Place) -> Result<ExitCode, Failure> {
        match self {
            Command::Run(arguments) => run::run(place, arguments),
            Command::Init(_) => init::init(place),
            Command::Trust(arguments) => trust::trust(place, &arguments),
            Command::Roles(arguments) => roles::roles(place, &arguments),
            Command::Explain(arguments) => explain::explain(place, &arguments),
            Command::Check(_) => check::check(place),
            Command::Tools(arguments) => tools::tools(place, &arguments),
            Command::Inspect(arguments) => inspect::inspect(&arguments),
            Command::Call(arguments) => call::call(place, arguments),
            Command::Trace(arguments) => trace::trace(place, &arguments),
        }
    }
}
