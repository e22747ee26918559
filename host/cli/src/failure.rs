//! Why a command did not do what it was asked for.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use remit_agent::roles::{ConfigErrors, RolesError};
use remit_pack::inert;

use crate::screen::Screen;

/// The exit code of whatever the user has to mend before anything can start: usage, configuration, trust.
const NOT_STARTED: u8 = 2;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something is wrong with how it was called, or with what it needs.
    Refused(String),
    /// Something is wrong in a configuration file. The words begin with its name, line and column.
    Configuration(String),
    /// Nobody reads what it writes any more. There is nobody to tell.
    Closed,
}

impl Failure {
    /// Something that has to be mended first.
    pub(crate) fn refused(why: impl ToString) -> Failure {
        Failure::Refused(why.to_string())
    }

    /// Says what went wrong, and gives the exit code for it.
    pub(crate) fn tell(self) -> ExitCode {
        let screen = Screen::stderr();
        let text = match self {
            Failure::Refused(why) => format!("{} {}", screen.bad("error:"), inert(&why)),
            Failure::Configuration(why) => inert(&why).into_owned(),
            Failure::Closed => return ExitCode::SUCCESS,
        };
        // Without standard error nothing can be said about it.
        let _ = writeln!(io::stderr().lock(), "{text}");
        ExitCode::from(NOT_STARTED)
    }
}

/// The words alone.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(why) | Failure::Configuration(why) => f.write_str(why),
            Failure::Closed => f.write_str("nobody reads what is written"),
        }
    }
}

impl From<RolesError> for Failure {
    fn from(error: RolesError) -> Failure {
        match error {
            RolesError::Config(errors) => errors.into(),
            other => Failure::refused(other),
        }
    }
}

impl From<ConfigErrors> for Failure {
    fn from(errors: ConfigErrors) -> Failure {
        Failure::Configuration(errors.to_string())
    }
}

/// Of writing to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Refused(format!("cannot write to standard output: {error}")),
        }
    }
}
