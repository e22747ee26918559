//! What an agent, and all agents of a run together, may use, and what they have used.
//!
//! A role's limits count one agent; those of `[budget]` count the whole tree. Each agent's last turn, its wrap-up, is
//! paid by the tree: one turn, one model call, some tokens and some time are set aside when the agent starts, so that
//! whatever else is used up, it can still say what it found. A role's own limits are for work, and its wrap-up comes on
//! top of them.

mod clock;
mod deadline;
mod spent;
mod tree;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use remit_model::Usage;
use tokio::time::{Instant, sleep_until};

use clock::Clock;
pub(crate) use clock::{InFlight, Waiting};
use deadline::Deadlines;
pub(crate) use spent::{Room, Spent};
use tree::Reserve;
pub use tree::Tree;

use crate::prices::Pricing;
use crate::roles::{Limits, format_duration};
use crate::toolbox::CallLimits;

/// The longest time that is kept for a wrap-up.
const WRAP_UP_TIME: Duration = Duration::from_secs(30);

/// Which part of the time that is left is kept for a wrap-up where little is left.
const WRAP_UP_PART: u32 = 8;

/// How long is slept at least before it is looked again whether the time is over.
const SHORT_SLEEP: Duration = Duration::from_millis(5);

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
    clock: Arc<Clock>,
    /// Within which its work must end.
    work: Deadlines,
    /// Within which its wrap-up must end: its parent's work.
    outer: Deadlines,
    own: Mutex<Own>,
}

#[derive(Default)]
struct Own {
    turns: u64,
    model_calls: u64,
    spent: Spent,
    delegations: u64,
    reserve: Reserve,
}

impl Budget {
    /// The budget of a run's first agent, whose limits are `limits`.
    pub fn root(tree: &Arc<Tree>, limits: Limits) -> Budget {
        let clock = Clock::new(None);
        let outer = Deadlines::one(tree.end(), &clock, tree.exhausted("wall_clock"));
        let own = Own { reserve: tree.reserve_first(), ..Own::default() };
        Budget::new(tree, limits.max_depth, limits, outer, clock, own)
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
        if Instant::now() >= self.work_end() {
            return Err(self.time_limit());
        }
        let mut own = self.own();
        if own.delegations >= u64::from(self.limits.max_delegations) {
            return Err(self.exhausted("max_delegations"));
        }
        let reserve = self.tree.delegate()?;
        own.delegations += 1;
        drop(own);
        let outer = self.work.of_a_parent(parent);
        let depth = (self.depth - 1).min(limits.max_depth);
        let clock = Clock::new(Some(self.clock.clone()));
        Ok(Budget::new(&self.tree, depth, limits, outer, clock, Own { reserve, ..Own::default() }))
    }

    fn new(
        tree: &Arc<Tree>,
        depth: u32,
        limits: Limits,
        outer: Deadlines,
        clock: Arc<Clock>,
        own: Own,
    ) -> Budget {
        let now = Instant::now();
        let left = outer.end().saturating_duration_since(now);
        let kept = WRAP_UP_TIME.min(left / WRAP_UP_PART);
        let limit =
            Exhausted { scope: Scope::Agent, key: "wall_clock", value: format_duration(limits.wall_clock) };
        let work = outer.earlier_by(kept).and(now + limits.wall_clock, &clock, limit);
        Budget { limits, tree: tree.clone(), depth, clock, work, outer, own: Mutex::new(own) }
    }

    /// Counts a call as in flight until what is returned is dropped.
    pub(crate) fn call(&self) -> InFlight {
        self.clock.call()
    }

    /// A call waits for a person until what is returned is dropped. While everything that the agent has in flight waits, its
    /// time stands still, and so does that of every agent above it that has nothing else to do.
    pub(crate) fn wait_for_a_person(&self) -> Waiting {
        self.clock.wait()
    }

    /// Returns when the agent's work must end, however long that is put off meanwhile.
    pub(crate) async fn work_ended(&self) {
        loop {
            let end = self.work_end();
            if Instant::now() >= end {
                return;
            }
            // Not before a while, also where the time stands still just before its end.
            sleep_until(end.max(Instant::now() + SHORT_SLEEP)).await;
        }
    }

    /// Takes a turn and its model call, which takes at least `least`.
    ///
    /// # Errors
    ///
    /// The limit that is used up, or that the call is sure to go over.
    pub(crate) fn begin_turn(&self, least: Spent) -> Result<(), Exhausted> {
        let mut own = self.own();
        for (used, limit, key) in [
            (own.turns, u64::from(self.limits.max_turns), "max_turns"),
            (own.model_calls, u64::from(self.limits.max_model_calls), "max_model_calls"),
        ] {
            if used >= limit {
                return Err(self.exhausted(key));
            }
        }
        if let Some(key) = (own.spent + least).reaches(&self.limits) {
            return Err(self.exhausted(key));
        }
        if Instant::now() >= self.work_end() {
            return Err(self.time_limit());
        }
        self.tree.begin_turn(own.reserve, least)?;
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

    /// Counts the tokens of a reply, and what they cost.
    pub(crate) fn spend(&self, usage: Usage, pricing: &Pricing, is_estimate: bool) {
        let mut own = self.own();
        own.spent = own.spent + Spent::on(usage, pricing);
        self.tree.spend(usage, pricing, is_estimate, &mut own.reserve);
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
        let left = self.work_end().saturating_duration_since(Instant::now());
        CallLimits { time: self.limits.call_time.min(left), result_bytes: self.result_bytes() }
    }

    /// How long one call may run, whatever time is left.
    pub fn call_time(&self) -> Duration {
        self.limits.call_time
    }

    /// How long the next reply may be, in tokens, if its request takes no more than `least`.
    pub(crate) fn reply_room(&self, least: Spent, pricing: &Pricing) -> Room {
        let own = self.own();
        let rooms = [
            Room::of(&self.limits, own.spent + least, pricing, |key| self.exhausted(key)),
            self.tree.reply_room(own.reserve, least, pricing),
        ];
        let [own, tree] = rooms;
        if own.tokens <= tree.tokens { own } else { tree }
    }

    /// When the agent's work must end, if nothing waits for a person until then.
    pub fn work_end(&self) -> Instant {
        self.work.end()
    }

    /// When its wrap-up must end.
    pub fn wrap_up_end(&self) -> Instant {
        (self.work_end() + WRAP_UP_TIME).min(self.outer.end())
    }

    /// The limit that [`work_end`](Budget::work_end) comes from.
    pub fn time_limit(&self) -> Exhausted {
        self.work.limit()
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
