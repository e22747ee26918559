use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

/// Why there is no reply. No variant ever holds a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A choice of model that can't be used as it stands; the message says what to change.
    #[error("{message}")]
    Configuration {
        /// What is wrong, and what is expected.
        message: String,
    },
    /// No connection, or one that broke before the reply began.
    #[error("no connection to {url}: {message}")]
    Connect {
        /// The endpoint that was tried.
        url: String,
        /// What the network layer said.
        message: String,
    },
    /// The server answered with an error.
    #[error("the server at {url} answered {status}: {message}")]
    Http {
        /// The endpoint.
        url: String,
        /// The HTTP status. Outside 200 to 299, but for a body of the wrong kind.
        status: u16,
        /// The error's words as far as the body held any, bounded.
        message: String,
        /// Whether it is of a kind that may pass, such as an overload.
        passing: bool,
        /// How long the server asks to be left alone.
        retry_after: Option<Duration>,
    },
    /// The server reported an error in the middle of its reply.
    #[error("the server broke its reply off: {message}")]
    Provider {
        /// The error's words, bounded.
        message: String,
        /// Whether it is of a kind that may pass, such as an overload.
        passing: bool,
    },
    /// The reply stopped before its end. What came of it must not be taken for a turn.
    #[error("the reply ended early, before the server said that it was complete")]
    EndedEarly,
    /// The server was silent for too long.
    #[error("the server sent nothing for {} s", .after.as_secs())]
    Idle {
        /// How long.
        after: Duration,
    },
    /// The reply went on for too long.
    #[error("the reply was not complete after {} s", .after.as_secs())]
    Slow {
        /// How long it was waited for.
        after: Duration,
    },
    /// An event of the reply is damaged.
    #[error("the reply can't be read: {message}")]
    Damaged {
        /// What was found.
        message: String,
    },
    /// The reply is whole, and says something that has no meaning here.
    #[error("the reply can't be read: {message}")]
    BadStream {
        /// What was found.
        message: String,
    },
    /// The reply is larger than this program takes in.
    #[error("the reply is too large: more than {limit} {what}")]
    TooLarge {
        /// What there is too much of, such as `bytes in one reply`.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A script that can't be read, or that has no turn left.
    #[error("{}: {message}", place(.path, *.line, *.column))]
    Script {
        /// The script.
        path: PathBuf,
        /// Where, counted from 1, if it is about a place in the file.
        line: Option<usize>,
        /// The column, counted in characters from 1.
        column: Option<usize>,
        /// What is wrong.
        message: String,
    },
}

impl ModelError {
    /// Whether the same request may well succeed a little later. Whether it is safe to send it again is the caller's to
    /// know: it isn't once a tool of that turn has run.
    pub fn is_retryable(&self) -> bool {
        match self {
            ModelError::Connect { .. }
            | ModelError::EndedEarly
            | ModelError::Idle { .. }
            | ModelError::Damaged { .. } => true,
            ModelError::Provider { passing, .. } | ModelError::Http { passing, .. } => *passing,
            _ => false,
        }
    }

    /// How long the server asks to be left alone before it is asked again.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            ModelError::Http { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Whether an answer with this HTTP status may be another one a little later.
    pub(crate) fn is_passing_status(status: u16) -> bool {
        matches!(status, 408 | 409 | 429 | 500..=599)
    }
}

fn place(path: &std::path::Path, line: Option<usize>, column: Option<usize>) -> String {
    let path = path.display();
    match (line, column) {
        (Some(line), Some(column)) => format!("{path}:{line}:{column}"),
        (Some(line), None) => format!("{path}:{line}"),
        _ => path.to_string(),
    }
}
