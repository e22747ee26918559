//! Why xtask stopped, and what to do about it.

use std::fmt;

/// Exit code for a command line or an environment that cannot be used.
pub(crate) const USAGE: u8 = 2;

/// A reason to stop. `fix` is what the reader can do; `code` is xtask's exit code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) what: String,
    pub(crate) fix: Option<String>,
    pub(crate) code: u8,
}

impl Failure {
    /// Something went wrong while working: exit code 1.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), fix: None, code: 1 }
    }

    /// The command line makes no sense: exit code 2.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self { what: what.into(), fix: None, code: USAGE }
    }

    /// Says what the reader can do about it.
    pub(crate) fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.fix {
            Some(fix) => write!(f, "\n  fix: {fix}"),
            None => Ok(()),
        }
    }
}
