use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use remit_model::Usage;
use tokio::time::Instant;

use super::{Exhausted, Scope};
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
    pub(crate) tool_calls: u64,
    pub(crate) delegations: u64,
    aside: Reserve,
}

/// What is set aside for wrap-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reserve {
    turns: u64,
    tokens: u64,
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
        let reserve = Reserve { turns, tokens: self.wrap_up_tokens() };
        self.lock().aside = reserve;
        reserve
    }

    /// Counts a child and sets aside what its wrap-up needs, if a turn of work is left besides.
    pub(super) fn delegate(&self) -> Result<Reserve, Exhausted> {
        let reserve = Reserve { turns: 1, tokens: self.wrap_up_tokens() };
        let mut totals = self.lock();
        if totals.delegations >= u64::from(self.limits.max_delegations) {
            return Err(self.exhausted("max_delegations"));
        }
        self.room(&totals, reserve)?;
        totals.delegations += 1;
        totals.aside.turns += reserve.turns;
        totals.aside.tokens = totals.aside.tokens.saturating_add(reserve.tokens);
        Ok(reserve)
    }

    pub(super) fn begin_turn(&self) -> Result<(), Exhausted> {
        let mut totals = self.lock();
        self.room(&totals, Reserve::default())?;
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
    fn room(&self, totals: &Totals, more: Reserve) -> Result<(), Exhausted> {
        let turns = totals.aside.turns + more.turns;
        let tokens = totals.aside.tokens.saturating_add(more.tokens);
        for (used, aside, limit, key) in [
            (totals.turns, turns, u64::from(self.limits.max_turns), "max_turns"),
            (totals.model_calls, turns, u64::from(self.limits.max_model_calls), "max_model_calls"),
            (totals.usage.total(), tokens, self.limits.max_tokens, "max_tokens"),
        ] {
            if used.saturating_add(aside) >= limit {
                return Err(self.exhausted(key));
            }
        }
        Ok(())
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
            totals.aside.tokens = totals.aside.tokens.saturating_sub(reserve.tokens);
        });
        *reserve = Reserve::default();
    }

    /// Counts the tokens of a reply, and sets aside as many for the wrap-up: it costs about what the last turn did.
    pub(super) fn spend(&self, usage: Usage, is_estimate: bool, reserve: &mut Reserve) {
        let mut totals = self.lock();
        totals.usage += usage;
        totals.tokens_estimated |= is_estimate;
        if reserve.turns > 0 && usage.total() > reserve.tokens {
            totals.aside.tokens = totals.aside.tokens.saturating_add(usage.total() - reserve.tokens);
            reserve.tokens = usage.total();
        }
    }

    pub(super) fn tokens_left(&self) -> u64 {
        self.limits.max_tokens.saturating_sub(self.lock().usage.total())
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut Totals)) {
        change(&mut self.lock());
    }

    pub(super) fn exhausted(&self, key: &'static str) -> Exhausted {
        Exhausted { scope: Scope::Tree, key, value: value(&self.limits, key) }
    }

    fn wrap_up_tokens(&self) -> u64 {
        WRAP_UP_TOKENS.min(self.limits.max_tokens / WRAP_UP_PART)
    }

    fn lock(&self) -> MutexGuard<'_, Totals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the limit `key` is set to.
pub(super) fn value(limits: &Limits, key: &str) -> String {
    limits.rows().into_iter().find(|(name, _)| *name == key).map(|(_, value)| value).unwrap_or_default()
}
