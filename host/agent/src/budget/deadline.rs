use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::clock::Clock;
use super::{Exhausted, Scope};

/// The moments before which something must end, each put off by what somebody has waited for a person. Never empty.
#[derive(Clone)]
pub(super) struct Deadlines {
    first: Deadline,
    others: Vec<Deadline>,
}

#[derive(Clone)]
struct Deadline {
    at: Instant,
    clock: Arc<Clock>,
    /// What its clock had waited when `at` was set.
    waited: Duration,
    /// The limit that says so.
    limit: Exhausted,
}

impl Deadline {
    fn new(at: Instant, clock: &Arc<Clock>, limit: Exhausted) -> Deadline {
        Deadline { at, waited: clock.waited(), clock: clock.clone(), limit }
    }

    fn end(&self) -> Instant {
        self.at + self.clock.waited().saturating_sub(self.waited)
    }
}

impl Deadlines {
    pub(super) fn one(at: Instant, clock: &Arc<Clock>, limit: Exhausted) -> Deadlines {
        Deadlines { first: Deadline::new(at, clock, limit), others: Vec::new() }
    }

    /// The same with one more.
    pub(super) fn and(mut self, at: Instant, clock: &Arc<Clock>, limit: Exhausted) -> Deadlines {
        self.others.push(Deadline::new(at, clock, limit));
        self
    }

    /// The same, all earlier by `time`, but not in the past.
    pub(super) fn earlier_by(&self, time: Duration) -> Deadlines {
        let now = Instant::now();
        self.each(|deadline| {
            let left = deadline.end().saturating_duration_since(now).saturating_sub(time);
            Deadline::new(now + left, &deadline.clock, deadline.limit.clone())
        })
    }

    /// The same, as they are named to an agent below the one with the path `parent`.
    pub(super) fn of_a_parent(&self, parent: &str) -> Deadlines {
        self.each(|deadline| {
            let mut deadline = deadline.clone();
            if deadline.limit.scope == Scope::Agent {
                deadline.limit.scope = Scope::Parent(parent.to_owned());
            }
            deadline
        })
    }

    /// The earliest.
    pub(super) fn end(&self) -> Instant {
        self.earliest().0
    }

    /// The limit that the earliest comes from.
    pub(super) fn limit(&self) -> Exhausted {
        self.earliest().1.limit.clone()
    }

    fn earliest(&self) -> (Instant, &Deadline) {
        let mut earliest = (self.first.end(), &self.first);
        for deadline in &self.others {
            let end = deadline.end();
            if end < earliest.0 {
                earliest = (end, deadline);
            }
        }
        earliest
    }

    fn each(&self, change: impl Fn(&Deadline) -> Deadline) -> Deadlines {
        Deadlines { first: change(&self.first), others: self.others.iter().map(&change).collect() }
    }
}
