use std::fmt;
use std::str::FromStr;

use crate::{Protocol, SettingProblem};

/// How much a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Hardly at all.
    Minimal,
    /// Little.
    Low,
    /// As providers have it where nobody says.
    Medium,
    /// Much.
    High,
    /// As much as it can.
    Max,
}

impl Effort {
    /// All of them, the least first.
    pub const ALL: [Effort; 5] = [Effort::Minimal, Effort::Low, Effort::Medium, Effort::High, Effort::Max];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Effort::Minimal => "minimal",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::Max => "max",
        }
    }

    /// The nearest word that a protocol has for it: `reasoning_effort` of Chat Completions and `reasoning.effort` of
    /// Responses go up to `xhigh`, `output_config.effort` of Messages begins with `low` and goes up to `max`.
    pub(crate) fn on_the_wire(self, protocol: Protocol) -> &'static str {
        match (self, protocol) {
            (Effort::Minimal, Protocol::Messages) => "low",
            (Effort::Max, Protocol::ChatCompletions | Protocol::Responses) => "xhigh",
            (effort, _) => effort.as_str(),
        }
    }
}

impl FromStr for Effort {
    type Err = SettingProblem;

    fn from_str(text: &str) -> Result<Effort, SettingProblem> {
        let found = Effort::ALL.into_iter().find(|effort| effort.as_str() == text);
        found.ok_or_else(|| SettingProblem::Effort { found: text.to_owned() })
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
