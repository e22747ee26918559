use std::fmt;

use super::problem::Problem;
use super::shown::shown;
use super::suggest::nearest;

/// What an agent does to the world, by the word that `approve`, `allow` and `deny` have for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffectKind {
    /// Files are created, changed, moved or deleted.
    Write,
    /// Another agent is started.
    Delegate,
}

/// Kinds that a later version will know. Like keys of later versions, they are refused: nothing would ask.
const LATER: &[&str] = &["network", "command"];

impl EffectKind {
    /// Every kind that there is.
    pub const ALL: [Self; 2] = [Self::Write, Self::Delegate];

    /// The word for it in a roles file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Delegate => "delegate",
        }
    }

    /// The kind that a roles file means by `word`.
    pub(super) fn parse(word: &str) -> Result<Self, Problem> {
        if let Some(kind) = Self::ALL.into_iter().find(|kind| kind.as_str() == word) {
            return Ok(kind);
        }
        if LATER.contains(&word) {
            return Err(Problem::LaterEffect(word.to_owned()));
        }
        Err(Problem::UnknownEffect { text: shown(word), nearest: nearest(word, Self::ALL.map(Self::as_str)) })
    }
}

impl fmt::Display for EffectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
