use std::time::Duration;

use super::duration::format_duration;
use super::problem::Problem;
use super::reader::{Reader, Section};
use super::shown::shown;
use crate::prices::Cost;

/// Where an agent, or the whole tree of agents, stops. Every limit always holds: one that a file leaves out has its
/// default. Only on cost there is none by default, because what models cost is not known without the user's table.
///
/// The same keys stand in `[budget]`, where each counts the root and every agent below it together, and in a role,
/// where each counts one agent of that role alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Turns: replies of the model that the loop acts on. Stops an agent that goes on for ever.
    pub max_turns: u32,
    /// Requests to a model, those for wrap-ups and repeated ones included. Stops a server that fails for ever.
    pub max_model_calls: u32,
    /// Tokens, input (cached included) and output together. Stops a bill that grows with every turn's longer input.
    pub max_tokens: u64,
    /// What the models may cost. Stops a bill where tokens of several prices are used.
    pub max_cost: Option<Cost>,
    /// Tool calls in one turn. Stops a reply that asks for a thousand at once.
    pub max_tool_calls: u32,
    /// `task` calls. Stops agents that only hand the work on.
    pub max_delegations: u32,
    /// Levels of agents below this one (in `[budget]`: below the root). Stops chains of delegation.
    pub max_depth: u32,
    /// Time from start to end. Stops whatever hangs.
    pub wall_clock: Duration,
    /// Time of one tool call. Stops a component that computes or waits for ever.
    pub call_time: Duration,
    /// Bytes of one tool result that enter the messages. Stops one result that fills the model's context.
    pub result_bytes: u64,
}

impl Limits {
    /// The tree's limits where `[budget]` says nothing: some minutes and a few hundred thousand tokens, which a
    /// question about a large repository stays well under.
    pub const BUDGET: Self = Self {
        max_turns: 60,
        max_model_calls: 100,
        max_tokens: 400_000,
        max_cost: None,
        max_tool_calls: 16,
        max_delegations: 12,
        max_depth: 2,
        wall_clock: Duration::from_mins(15),
        call_time: Duration::from_secs(30),
        result_bytes: 64 * 1024,
    };

    /// One agent's limits where its role says nothing: a part of the tree's, so that one child that runs away leaves
    /// something for the others.
    pub const ROLE: Self = Self {
        max_turns: 12,
        max_model_calls: 20,
        max_tokens: 200_000,
        max_cost: None,
        max_tool_calls: 16,
        max_delegations: 8,
        max_depth: 2,
        wall_clock: Duration::from_mins(10),
        call_time: Duration::from_secs(30),
        result_bytes: 32 * 1024,
    };

    /// The smaller one of each limit. One on cost is only made smaller, never set: that of a tree is counted by the tree.
    #[must_use]
    pub fn min(&self, other: &Self) -> Self {
        Self {
            max_turns: self.max_turns.min(other.max_turns),
            max_model_calls: self.max_model_calls.min(other.max_model_calls),
            max_tokens: self.max_tokens.min(other.max_tokens),
            max_cost: self.max_cost.map(|own| other.max_cost.map_or(own, |other| own.min(other))),
            max_tool_calls: self.max_tool_calls.min(other.max_tool_calls),
            max_delegations: self.max_delegations.min(other.max_delegations),
            max_depth: self.max_depth.min(other.max_depth),
            wall_clock: self.wall_clock.min(other.wall_clock),
            call_time: self.call_time.min(other.call_time),
            result_bytes: self.result_bytes.min(other.result_bytes),
        }
    }

    /// Each limit with its key, as the file would say it.
    #[must_use]
    pub fn rows(&self) -> [(&'static str, String); 10] {
        [
            ("max_turns", self.max_turns.to_string()),
            ("max_model_calls", self.max_model_calls.to_string()),
            ("max_tokens", self.max_tokens.to_string()),
            ("max_cost", self.max_cost.map_or_else(|| "none".to_owned(), |cost| cost.to_string())),
            ("max_tool_calls", self.max_tool_calls.to_string()),
            ("max_delegations", self.max_delegations.to_string()),
            ("max_depth", self.max_depth.to_string()),
            ("wall_clock", format_duration(self.wall_clock)),
            ("call_time", format_duration(self.call_time)),
            ("result_bytes", self.result_bytes.to_string()),
        ]
    }
}

/// The limits that a table sets; the others are left to defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of `Limits`")]
pub struct LimitOverrides {
    pub max_turns: Option<u32>,
    pub max_model_calls: Option<u32>,
    pub max_tokens: Option<u64>,
    pub max_cost: Option<Cost>,
    pub max_tool_calls: Option<u32>,
    pub max_delegations: Option<u32>,
    pub max_depth: Option<u32>,
    pub wall_clock: Option<Duration>,
    pub call_time: Option<Duration>,
    pub result_bytes: Option<u64>,
}

/// The largest `max_tokens` and `result_bytes`: what a TOML integer can say.
pub(super) const MAX_LARGE: u64 = i64::MAX as u64;

impl LimitOverrides {
    pub(super) fn read(reader: &mut Reader<'_>, section: &Section<'_>) -> Self {
        // No delegation at all is a limit with a meaning; no turn or no token would stop before the first.
        let mut count = |key, least| {
            let number = reader.number(section, key, least, u64::from(u32::MAX))?;
            u32::try_from(number).ok()
        };
        Self {
            max_turns: count("max_turns", 1),
            max_model_calls: count("max_model_calls", 1),
            max_tool_calls: count("max_tool_calls", 1),
            max_delegations: count("max_delegations", 0),
            max_depth: count("max_depth", 0),
            max_tokens: reader.number(section, "max_tokens", 1, MAX_LARGE),
            max_cost: cost(reader, section),
            wall_clock: reader.duration(section, "wall_clock"),
            call_time: reader.duration(section, "call_time"),
            result_bytes: reader.number(section, "result_bytes", 1, MAX_LARGE),
        }
    }

    /// These limits, and `defaults` for what they leave out.
    #[must_use]
    pub fn or(&self, defaults: &Limits) -> Limits {
        Limits {
            max_turns: self.max_turns.unwrap_or(defaults.max_turns),
            max_model_calls: self.max_model_calls.unwrap_or(defaults.max_model_calls),
            max_tokens: self.max_tokens.unwrap_or(defaults.max_tokens),
            max_cost: self.max_cost.or(defaults.max_cost),
            max_tool_calls: self.max_tool_calls.unwrap_or(defaults.max_tool_calls),
            max_delegations: self.max_delegations.unwrap_or(defaults.max_delegations),
            max_depth: self.max_depth.unwrap_or(defaults.max_depth),
            wall_clock: self.wall_clock.unwrap_or(defaults.wall_clock),
            call_time: self.call_time.unwrap_or(defaults.call_time),
            result_bytes: self.result_bytes.unwrap_or(defaults.result_bytes),
        }
    }
}

/// Dollars, as a string: a number with a point would be read as another one.
fn cost(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<Cost> {
    let text = reader.string(section, "max_cost")?;
    let cost = Cost::parse(&text.value).filter(|cost| *cost > Cost::ZERO);
    if cost.is_none() {
        reader.report(text.at, section.key("max_cost"), Problem::Cost(shown(&text.value)));
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::super::keys::LIMIT_KEYS;
    use super::*;

    #[test]
    fn every_key_has_a_row_and_every_row_is_a_key() {
        assert_eq!(Limits::BUDGET.rows().map(|(key, _)| key), LIMIT_KEYS);
    }

    #[test]
    fn no_role_starts_above_the_budget() {
        assert_eq!(Limits::ROLE.min(&Limits::BUDGET), Limits::ROLE);
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        let set = LimitOverrides { max_turns: Some(3), ..LimitOverrides::default() };
        assert_eq!(set.or(&Limits::ROLE), Limits { max_turns: 3, ..Limits::ROLE });
    }
}
