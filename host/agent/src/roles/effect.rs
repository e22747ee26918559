use std::fmt;

use remit_sandbox::Outward;

use super::problem::Problem;
use super::shown::shown;
use super::suggest::nearest;

/// What an agent does to the world, by the word that `approve`, `allow` and `deny` have for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffectKind {
    /// Files are created, changed, moved or deleted.
    Write,
    /// A request is sent.
    Network,
    /// A command is run.
    Command,
    /// Another agent is started.
    Delegate,
}

/// What an effect is about, as rules see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// A file that is changed, or the place that one is moved from, relative to the workspace.
    File(&'a str),
    /// A request.
    Request {
        /// The method, such as `GET`.
        method: &'a str,
        /// The URL.
        url: &'a str,
    },
    /// A program and its arguments.
    Command(&'a [String]),
    /// The role of an agent that is started.
    Role(&'a str),
}

impl EffectKind {
    /// Every kind that there is.
    pub const ALL: [Self; 4] = [Self::Write, Self::Network, Self::Command, Self::Delegate];

    /// The word for it in a roles file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Network => "network",
            Self::Command => "command",
            Self::Delegate => "delegate",
        }
    }

    /// What whoever does it does, for a sentence: `writes`.
    #[must_use]
    pub fn does(self) -> &'static str {
        match self {
            Self::Write => "writes",
            Self::Network => "sends a request",
            Self::Command => "runs a command",
            Self::Delegate => "delegates",
        }
    }

    /// The kind that a roles file means by `word`.
    pub(super) fn parse(word: &str) -> Result<Self, Problem> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word).ok_or_else(|| Problem::UnknownEffect {
            text: shown(word),
            nearest: nearest(word, Self::ALL.map(Self::as_str)),
        })
    }
}

impl fmt::Display for EffectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'a> Target<'a> {
    /// What a call would do outside of the workspace, and its kind.
    #[must_use]
    pub fn of(outward: &'a Outward) -> (EffectKind, Self) {
        match outward {
            Outward::Request { method, url } => (EffectKind::Network, Self::Request { method, url }),
            Outward::Command { argv, .. } => (EffectKind::Command, Self::Command(argv)),
        }
    }

    /// What an answer that lasts is about, beside the kind: of files nothing more, of a request its method and origin, of a
    /// command every word, of a child its role.
    pub(crate) fn subject(self) -> String {
        match self {
            Self::File(_) => String::new(),
            Self::Request { method, url } => {
                let (origin, _) = super::url_pattern::split(url);
                format!("{method} {origin}")
            }
            // No argument holds a NUL, so no two commands have the same subject.
            Self::Command(argv) => argv.join("\0"),
            Self::Role(name) => name.to_owned(),
        }
    }
}

/// As a refusal names it.
impl fmt::Display for Target<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(name) | Self::Role(name) => f.write_str(name),
            Self::Request { method, url } => write!(f, "{method} {url}"),
            Self::Command(argv) => f.write_str(&remit_sandbox::command_line(argv)),
        }
    }
}
