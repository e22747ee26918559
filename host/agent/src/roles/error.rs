use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use super::problem::Problem;
use super::section::Position;

/// One thing that is wrong in a `roles.toml`, and where.
///
/// Displayed as `roles.toml:LINE:COLUMN: key: what is wrong`, with a `help:` line below where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file, as messages name it.
    pub file: String,
    /// The place.
    pub at: Position,
    /// The key with the tables around it, `roles.root.read`; empty where the trouble is no key's.
    pub key: String,
    /// What is wrong.
    pub problem: Problem,
}

impl ConfigError {
    fn write(&self, f: &mut fmt::Formatter<'_>, severity: &str) -> fmt::Result {
        write!(f, "{}:{}: {severity}", self.file, self.at)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "{}", self.problem)?;
        self.problem.help().map_or(Ok(()), |help| write!(f, "\n  help: {help}"))
    }

    /// The same text for something that does not stop the run: `roles.toml:LINE:COLUMN: warning: …`.
    #[must_use]
    pub fn as_warning(&self) -> impl fmt::Display {
        struct Warning<'e>(&'e ConfigError);
        impl fmt::Display for Warning<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f, "warning: ")
            }
        }
        Warning(self)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, "")
    }
}

impl std::error::Error for ConfigError {}

/// How many errors are shown; the count of the rest is told. A file of another kind altogether has thousands.
const MAX_SHOWN: usize = 30;

/// Everything that is wrong in a `roles.toml`, in the order of the file; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(Vec<ConfigError>);

impl ConfigErrors {
    /// Nothing where nothing is wrong.
    pub(super) fn check(mut errors: Vec<ConfigError>) -> Result<(), Self> {
        errors.sort_by_key(|error| error.at);
        if errors.is_empty() { Ok(()) } else { Err(Self(errors)) }
    }

    /// The errors, in the order of the file.
    #[must_use]
    pub fn all(&self) -> &[ConfigError] {
        &self.0
    }
}

impl From<ConfigError> for ConfigErrors {
    fn from(error: ConfigError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().take(MAX_SHOWN).enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        match self.0.len().saturating_sub(MAX_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n… and {more} more"),
        }
    }
}

impl std::error::Error for ConfigErrors {}

/// Why no roles could be had from a file.
#[derive(Debug, Error)]
pub enum RolesError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", super::shown::shown_path(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The path is a directory, a pipe or a device.
    #[error("{} is not a file", super::shown::shown_path(path))]
    NotFile {
        /// The path.
        path: PathBuf,
    },
    /// The file is larger than any roles file is.
    #[error("{} is larger than {limit} bytes", super::shown::shown_path(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most that is read, in bytes.
        limit: u64,
    },
    /// It was read, and says something wrong.
    #[error(transparent)]
    Config(#[from] ConfigErrors),
}
