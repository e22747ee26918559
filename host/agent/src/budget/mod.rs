//! What an agent, and all agents of a run together, may use, and what they have used.
//!
//! A role's limits count one agent; those of `[budget]` count the whole tree. Each agent's last turn, its wrap-up, is
//! paid by the tree: one turn, one model call, some tokens and some time are set aside when the agent starts, so that
//! whatever else is used up, it can still say what it found. A role's own limits are for work, and its wrap-up comes on
//! top of them.

mod tree;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use remit_model::Usage;
use tokio::time::Instant;

use tree::Reserve;
pub use tree::Tree;

use crate::roles::{Limits, format_duration};
use crate::toolbox::CallLimits;

/// The longest time that is kept for a wrap-up.
const WRAP_UP_TIME: Duration = Duration::from_secs(30);

/// Which part of the time that is left is kept for a wrap-up where little is left.
const WRAP_UP_PART: u32 = 8;

/// Below this many tokens, a reply is asked to be no longer than what is left. Above it no such wish is sent: a model
/// may refuse a number that is larger than what it can do.
const SMALL_REPLY: u64 = 4096;

/// Which limit ended something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// Whose limit it is.
    pub scope: Scope,
    /// Its key in `roles.toml`, such as `max_turns`.
    pub key: &'static str,
    /// What it is set to, as the file would say it.
    pub value: String,
}

/// Whose limit a limit is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The agent's own, from its role.
    Agent,
    /// The whole tree's, from `[budget]`.
    Tree,
    /// That of the agent's parent with this path, within which the agent must be done.
    Parent(String),
}

impl Exhausted {
    /// The limit's name in reports and outcomes: `max_turns`, `budget.max_turns`, or `wall_clock of root`.
    pub fn limit(&self) -> String {
        match &self.scope {
            Scope::Agent => self.key.to_owned(),
            Scope::Tree => format!("budget.{}", self.key),
            Scope::Parent(path) => format!("{} of {path}", self.key),
        }
    }
}

/// What one agent may use. Dropping it gives back what is still set aside.
pub struct Budget {
    limits: Limits,
    tree: Arc<Tree>,
    depth: u32,
    time: Time,
    own: Mutex<Own>,
}

/// When an agent must have ended.
#[derive(Clone)]
struct Time {
    /// The end of its work.
    work: Instant,
    /// The end of its wrap-up.
    end: Instant,
    /// The limit that says so.
    limit: Exhausted,
}

#[derive(Default)]
struct Own {
    turns: u64,
    model_calls: u64,
    tokens: u64,
    delegations: u64,
    reserve: Reserve,
}

impl Budget {
    /// The budget of a run's first agent, whose limits are `limits`.
    pub fn root(tree: &Arc<Tree>, limits: Limits) -> Budget {
        let now = Instant::now();
        let outer = Time { work: tree.end(), end: tree.end(), limit: tree.exhausted("wall_clock") };
        let own = Own { reserve: tree.reserve_first(), ..Own::default() };
        Budget::new(tree, limits.max_depth, limits, &outer, now, own)
    }

    /// The budget of a child, taken out of this one. `parent` is the path of the agent that this budget is for.
    ///
    /// # Errors
    ///
    /// The limit that leaves no room for another child, of this agent or of the tree.
    pub fn child(&self, limits: Limits, parent: &str) -> Result<Budget, Exhausted> {
        if self.depth == 0 {
            return Err(self.exhausted("max_depth"));
        }
        let now = Instant::now();
        if now >= self.time.work {
            return Err(self.time.limit.clone());
        }
        let mut own = self.own();
        if own.delegations >= u64::from(self.limits.max_delegations) {
            return Err(self.exhausted("max_delegations"));
        }
        let reserve = self.tree.delegate()?;
        own.delegations += 1;
        drop(own);
        let mut outer = self.time.clone();
        if outer.limit.scope == Scope::Agent {
            outer.limit.scope = Scope::Parent(parent.to_owned());
        }
        let depth = (self.depth - 1).min(limits.max_depth);
        Ok(Budget::new(&self.tree, depth, limits, &outer, now, Own { reserve, ..Own::default() }))
    }

    fn new(tree: &Arc<Tree>, depth: u32, limits: Limits, outer: &Time, now: Instant, own: Own) -> Budget {
        let left = outer.work.saturating_duration_since(now);
        let kept = WRAP_UP_TIME.min(left / WRAP_UP_PART);
        let (by_outer, by_own) = (now + (left - kept), now + limits.wall_clock);
        let (work, limit) = if by_own < by_outer {
            let value = format_duration(limits.wall_clock);
            (by_own, Exhausted { scope: Scope::Agent, key: "wall_clock", value })
        } else {
            (by_outer, outer.limit.clone())
        };
        let time = Time { work, end: (work + WRAP_UP_TIME).min(outer.work), limit };
        Budget { limits, tree: tree.clone(), depth, time, own: Mutex::new(own) }
    }

    /// Takes a turn and its model call.
    ///
    /// # Errors
    ///
    /// The limit that is used up.
    pub fn begin_turn(&self) -> Result<(), Exhausted> {
        let mut own = self.own();
        for (used, limit, key) in [
            (own.turns, u64::from(self.limits.max_turns), "max_turns"),
            (own.model_calls, u64::from(self.limits.max_model_calls), "max_model_calls"),
            (own.tokens, self.limits.max_tokens, "max_tokens"),
        ] {
            if used >= limit {
                return Err(self.exhausted(key));
            }
        }
        if Instant::now() >= self.time.work {
            return Err(self.time.limit.clone());
        }
        self.tree.begin_turn()?;
        own.turns += 1;
        own.model_calls += 1;
        Ok(())
    }

    /// Takes another model call for the turn that was begun.
    ///
    /// # Errors
    ///
    /// The limit that is used up.
    pub fn ask_again(&self) -> Result<(), Exhausted> {
        let mut own = self.own();
        if own.model_calls >= u64::from(self.limits.max_model_calls) {
            return Err(self.exhausted("max_model_calls"));
        }
        self.tree.ask_again()?;
        own.model_calls += 1;
        Ok(())
    }

    /// Takes the turn that was set aside when the agent started; `false` if there is none, because the whole tree has but
    /// one turn.
    #[must_use]
    pub fn begin_wrap_up(&self) -> bool {
        let mut own = self.own();
        self.tree.use_reserve(&mut own.reserve)
    }

    /// Counts the tokens of a reply.
    pub fn spend(&self, usage: Usage, is_estimate: bool) {
        let mut own = self.own();
        own.tokens = own.tokens.saturating_add(usage.total());
        self.tree.spend(usage, is_estimate, &mut own.reserve);
    }

    /// Counts a tool call that is about to be made.
    pub fn count_call(&self) {
        self.tree.count(|totals| totals.tool_calls += 1);
    }

    /// How many tool calls of one turn are made.
    pub fn max_tool_calls(&self) -> usize {
        usize::try_from(self.limits.max_tool_calls).unwrap_or(usize::MAX)
    }

    /// How many bytes of one result enter the messages.
    pub fn result_bytes(&self) -> usize {
        usize::try_from(self.limits.result_bytes).unwrap_or(usize::MAX)
    }

    /// How much a call that is made now may take.
    pub fn call_limits(&self) -> CallLimits {
        let left = self.time.work.saturating_duration_since(Instant::now());
        CallLimits { time: self.limits.call_time.min(left), result_bytes: self.result_bytes() }
    }

    /// How long one call may run, whatever time is left.
    pub fn call_time(&self) -> Duration {
        self.limits.call_time
    }

    /// How long the next reply may be, in tokens, where little is left.
    pub fn reply_tokens(&self) -> Option<u64> {
        let left = self.limits.max_tokens.saturating_sub(self.own().tokens).min(self.tree.tokens_left());
        (1..SMALL_REPLY).contains(&left).then_some(left)
    }

    /// When the agent's work must end.
    pub fn work_end(&self) -> Instant {
        self.time.work
    }

    /// When its wrap-up must end.
    pub fn wrap_up_end(&self) -> Instant {
        self.time.end
    }

    /// The limit that [`work_end`](Budget::work_end) comes from.
    pub fn time_limit(&self) -> &Exhausted {
        &self.time.limit
    }

    /// What ends an agent whose reply was cut because few tokens were left.
    pub fn tokens_limit(&self) -> Exhausted {
        let own_left = self.limits.max_tokens.saturating_sub(self.own().tokens);
        if own_left <= self.tree.tokens_left() {
            self.exhausted("max_tokens")
        } else {
            self.tree.exhausted("max_tokens")
        }
    }

    /// How many levels of agents there may be below this one.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The limits of the agent alone.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    fn exhausted(&self, key: &'static str) -> Exhausted {
        Exhausted { scope: Scope::Agent, key, value: tree::value(&self.limits, key) }
    }

    fn own(&self) -> MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        let mut own = self.own();
        self.tree.release(&mut own.reserve);
    }
}
