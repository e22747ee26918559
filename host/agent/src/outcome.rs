//! How a run ended.

use std::fmt;

use remit_model::Usage;
use serde::{Deserialize, Serialize};

use crate::ledger::{HostUse, NetChange, Verification};
use crate::prices::Cost;

/// How an agent ended. The runtime sets it; nothing that a model says does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It said its last word by itself.
    Completed,
    /// A limit ended it; [`Outcome::limit`] says which.
    BudgetExhausted,
    /// The user stopped it.
    Cancelled,
    /// Something broke, or the model had nothing to say.
    Failed,
    /// The model, or its provider's filter, declined.
    Refused,
}

impl Status {
    /// The status as it is written in reports, events and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Completed => "completed",
            Status::BudgetExhausted => "budget_exhausted",
            Status::Cancelled => "cancelled",
            Status::Failed => "failed",
            Status::Refused => "refused",
        }
    }

    /// The exit code of a run that ended so.
    pub fn exit_code(self) -> u8 {
        match self {
            Status::Completed => 0,
            Status::BudgetExhausted => 3,
            Status::Cancelled => 130,
            Status::Failed => 4,
            Status::Refused => 5,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a run ended, and with what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How the root agent ended. What its children did does not change it.
    pub status: Status,
    /// The limit that ended the root, such as `max_turns` (of its role) or `budget.max_tokens` (of the whole tree).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// Why the run is not completed, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The root's last words, then a line for each child that did not complete. Control characters are inert.
    pub answer: String,
    /// What the reader of the answer should know, such as that some of its calls were not made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Every agent below the root, at any depth, that did not complete, in the order in which they ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<Unfinished>,
    /// What became of each file that the run changed, whichever agent it was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<NetChange>,
    /// The commands that were run, whichever agent ran them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verification: Vec<Verification>,
    /// The hosts that requests were sent to, whichever agent sent them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostUse>,
    /// What the run used.
    pub figures: Figures,
}

/// An agent below the root that did not complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfinished {
    /// Its path, such as `root/explorer#1`.
    pub agent: String,
    /// How it ended; never [`Status::Completed`].
    pub status: Status,
    /// The limit that ended it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// Why, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} did not complete: {}", self.agent, self.status)?;
        if let Some(limit) = &self.limit {
            write!(f, " ({limit})")?;
        }
        match &self.reason {
            Some(reason) => write!(f, ", {reason}"),
            None => Ok(()),
        }
    }
}

/// What a run used, every agent counted in unless a field says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Turns, wrap-ups included.
    pub turns: u64,
    /// Requests to models.
    pub model_calls: u64,
    /// Tool calls that were made, delegations included; those that were turned down are not.
    pub tool_calls: u64,
    /// Children that were started.
    pub delegations: u64,
    /// Tokens.
    pub usage: Usage,
    /// Whether some of the tokens are an estimate by size, because a model reported none.
    pub tokens_estimated: bool,
    /// What they cost by the user's prices, in dollars; nothing where no model had a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Whether there were models without a price too, whose tokens `cost` leaves out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cost_partial: bool,
    /// The root's own tokens, part of `usage`.
    pub root_usage: Usage,
    /// Bytes of the messages that the root's model was shown: prompt, its own words, tool results and reports.
    pub main_context_bytes: u64,
    /// Bytes of tool results that only children were shown, and that never entered the root's messages.
    pub kept_out_bytes: u64,
    /// How long the run took, in milliseconds.
    pub duration_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_the_documented_exit_code() {
        let statuses =
            [Status::Completed, Status::BudgetExhausted, Status::Cancelled, Status::Failed, Status::Refused];
        assert_eq!(statuses.map(Status::exit_code), [0, 3, 130, 4, 5]);
    }

    #[test]
    fn an_unfinished_child_is_one_line() {
        let child = Unfinished {
            agent: "root/explorer#1".into(),
            status: Status::BudgetExhausted,
            limit: Some("max_turns".into()),
            reason: None,
        };
        assert_eq!(child.to_string(), "root/explorer#1 did not complete: budget_exhausted (max_turns)");
    }
}
