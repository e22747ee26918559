use std::ops::Add;

use remit_model::Usage;

use super::Exhausted;
use crate::prices::{Cost, Pricing};
use crate::roles::Limits;

/// What requests and replies took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) tokens: u64,
    pub(crate) cost: Cost,
}

/// How long a reply may be before it goes over a limit, and over which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) tokens: u64,
    pub(crate) limit: Exhausted,
}

impl Spent {
    pub(crate) fn on(usage: Usage, pricing: &Pricing) -> Spent {
        Spent { tokens: usage.total(), cost: pricing.cost(usage).unwrap_or_default() }
    }

    /// The least that a request of so many tokens takes.
    pub(crate) fn at_least(tokens: u64, pricing: &Pricing) -> Spent {
        Spent { tokens, cost: pricing.least(tokens) }
    }

    /// What is left of this when `other` is taken away.
    pub(super) fn less(self, other: Spent) -> Spent {
        Spent { tokens: self.tokens.saturating_sub(other.tokens), cost: self.cost.less(other.cost) }
    }

    /// The larger one of each.
    pub(super) fn max(self, other: Spent) -> Spent {
        Spent { tokens: self.tokens.max(other.tokens), cost: self.cost.max(other.cost) }
    }

    /// The limit that has nothing left then.
    pub(super) fn reaches(self, limits: &Limits) -> Option<&'static str> {
        if self.tokens >= limits.max_tokens {
            return Some("max_tokens");
        }
        limits.max_cost.is_some_and(|most| self.cost >= most).then_some("max_cost")
    }
}

impl Add for Spent {
    type Output = Spent;

    fn add(self, other: Spent) -> Spent {
        Spent { tokens: self.tokens.saturating_add(other.tokens), cost: self.cost + other.cost }
    }
}

impl Room {
    /// What `limits` leave when so much is spent.
    pub(super) fn of(
        limits: &Limits,
        spent: Spent,
        pricing: &Pricing,
        exhausted: impl Fn(&'static str) -> Exhausted,
    ) -> Room {
        let tokens = limits.max_tokens.saturating_sub(spent.tokens);
        let for_money = limits.max_cost.map(|most| pricing.reply_for(most.less(spent.cost)));
        match for_money {
            Some(fewer) if fewer < tokens => Room { tokens: fewer, limit: exhausted("max_cost") },
            _ => Room { tokens, limit: exhausted("max_tokens") },
        }
    }
}
