use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use remit_model::Usage;
use tokio::time::Instant;

use super::{Exhausted, Room, Scope, Spent};
use crate::prices::{Cost, Pricing};
use crate::roles::Limits;

/// The most tokens that are set aside for a wrap-up before it is known what a request of the agent costs.
const WRAP_UP_TOKENS: u64 = 4000;

/// Which part of the tree's tokens is set aside for a wrap-up where there are few.
const WRAP_UP_PART: u64 = 16;

/// What all agents of a run may use together, and what they have used.
pub struct Tree {
    limits: Limits,
    started: Instant,
    totals: Mutex<Totals>,
}

/// What was used and what is set aside.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) turns: u64,
    pub(crate) model_calls: u64,
    pub(crate) usage: Usage,
    pub(crate) tokens_estimated: bool,
    /// Nothing until a reply had a price.
    pub(crate) cost: Option<Cost>,
    /// Whether a reply came from a model without a price.
    pub(crate) unpriced: bool,
    pub(crate) tool_calls: u64,
    pub(crate) delegations: u64,
    aside: Reserve,
}

/// What is set aside for wrap-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reserve {
    turns: u64,
    spent: Spent,
}

impl Totals {
    fn spent(&self) -> Spent {
        Spent { tokens: self.usage.total(), cost: self.cost.unwrap_or_default() }
    }
}

impl Tree {
    /// Nothing is used yet, and the clock starts now.
    pub fn new(limits: Limits) -> Arc<Tree> {
        Arc::new(Tree { limits, started: Instant::now(), totals: Mutex::default() })
    }

    /// What was used so far.
    pub(crate) fn totals(&self) -> Totals {
        *self.lock()
    }

    /// When the run began.
    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    pub(super) fn end(&self) -> Instant {
        self.started + self.limits.wall_clock
    }

    /// Sets aside what the root's wrap-up needs. A tree too small for a turn and a wrap-up has its turn all the same.
    pub(super) fn reserve_first(&self) -> Reserve {
        let turns = u64::from(self.limits.max_turns.min(self.limits.max_model_calls) > 1);
        let reserve = Reserve { turns, spent: self.wrap_up() };
        self.lock().aside = reserve;
        reserve
    }

    /// Counts a child and sets aside what its wrap-up needs, if a turn of work is left besides.
    pub(super) fn delegate(&self) -> Result<Reserve, Exhausted> {
        let reserve = Reserve { turns: 1, spent: self.wrap_up() };
        let mut totals = self.lock();
        if totals.delegations >= u64::from(self.limits.max_delegations) {
            return Err(self.exhausted("max_delegations"));
        }
        self.room(&totals, (reserve.turns, reserve.spent))?;
        totals.delegations += 1;
        totals.aside.turns += reserve.turns;
        totals.aside.spent = totals.aside.spent + reserve.spent;
        Ok(reserve)
    }

    /// Takes a turn that takes at least `least`, of an agent whose wrap-up has `own` set aside. That is for its last words; a
    /// turn that may be its last may use it.
    pub(super) fn begin_turn(&self, own: Reserve, least: Spent) -> Result<(), Exhausted> {
        let mut totals = self.lock();
        self.room(&totals, (0, least.less(own.spent)))?;
        totals.turns += 1;
        totals.model_calls += 1;
        Ok(())
    }

    /// Takes a model call, if one is left beside those that are set aside for wrap-ups.
    pub(super) fn ask_again(&self) -> Result<(), Exhausted> {
        let mut totals = self.lock();
        if totals.model_calls.saturating_add(totals.aside.turns) >= u64::from(self.limits.max_model_calls) {
            return Err(self.exhausted("max_model_calls"));
        }
        totals.model_calls += 1;
        Ok(())
    }

    /// Whether there is a turn left when `more` is set aside too.
    fn room(&self, totals: &Totals, more: (u64, Spent)) -> Result<(), Exhausted> {
        let (turns, spent) = more;
        let turns = totals.aside.turns + turns;
        for (used, limit, key) in [
            (totals.turns, u64::from(self.limits.max_turns), "max_turns"),
            (totals.model_calls, u64::from(self.limits.max_model_calls), "max_model_calls"),
        ] {
            if used.saturating_add(turns) >= limit {
                return Err(self.exhausted(key));
            }
        }
        match (totals.spent() + totals.aside.spent + spent).reaches(&self.limits) {
            Some(key) => Err(self.exhausted(key)),
            None => Ok(()),
        }
    }

    pub(super) fn use_reserve(&self, reserve: &mut Reserve) -> bool {
        let turns = reserve.turns;
        self.release(reserve);
        self.count(|totals| {
            totals.turns += turns;
            totals.model_calls += turns;
        });
        turns > 0
    }

    pub(super) fn release(&self, reserve: &mut Reserve) {
        self.count(|totals| {
            totals.aside.turns = totals.aside.turns.saturating_sub(reserve.turns);
            totals.aside.spent = totals.aside.spent.less(reserve.spent);
        });
        *reserve = Reserve::default();
    }

    /// Counts the tokens of a reply, and sets aside as many for the wrap-up: it costs about what the last turn did.
    pub(super) fn spend(&self, usage: Usage, pricing: &Pricing, is_estimate: bool, reserve: &mut Reserve) {
        let mut totals = self.lock();
        totals.usage += usage;
        totals.tokens_estimated |= is_estimate;
        if let Some(cost) = pricing.cost(usage) {
            totals.cost = Some(totals.cost.unwrap_or_default() + cost);
        }
        totals.unpriced |= *pricing == Pricing::Unknown;
        if reserve.turns > 0 {
            let enough = reserve.spent.max(Spent::on(usage, pricing));
            totals.aside.spent = totals.aside.spent.less(reserve.spent) + enough;
            reserve.spent = enough;
        }
    }

    /// How long a reply may be whose request takes no more than `least`; `own` is what is set aside for its agent.
    pub(super) fn reply_room(&self, own: Reserve, least: Spent, pricing: &Pricing) -> Room {
        let totals = self.lock();
        let spent = totals.spent() + totals.aside.spent.less(own.spent) + least;
        drop(totals);
        Room::of(&self.limits, spent, pricing, |key| self.exhausted(key))
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut Totals)) {
        change(&mut self.lock());
    }

    pub(super) fn exhausted(&self, key: &'static str) -> Exhausted {
        Exhausted { scope: Scope::Tree, key, value: value(&self.limits, key) }
    }

    fn wrap_up(&self) -> Spent {
        Spent {
            tokens: WRAP_UP_TOKENS.min(self.limits.max_tokens / WRAP_UP_PART),
            cost: self.limits.max_cost.map(|most| most.part(WRAP_UP_PART)).unwrap_or_default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Totals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the limit `key` is set to.
pub(super) fn value(limits: &Limits, key: &str) -> String {
    limits.rows().into_iter().find(|(name, _)| *name == key).map(|(_, value)| value).unwrap_or_default()
}
