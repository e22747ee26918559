use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long one agent has waited for a person. A person may take as long as they like, so that time counts for no limit.
///
/// An agent waits as long as every call that it has in flight does; a call that starts an agent waits as long as that agent.
pub(crate) struct Clock {
    parent: Option<Arc<Clock>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    in_flight: u32,
    waiting: u32,
    /// Since when everything waits.
    since: Option<Instant>,
    waited: Duration,
}

/// A call in flight, until it is dropped.
pub(crate) struct InFlight(Arc<Clock>);

/// A call that waits for a person, until this is dropped.
pub(crate) struct Waiting(Arc<Clock>);

impl Clock {
    pub(super) fn new(parent: Option<Arc<Clock>>) -> Arc<Clock> {
        Arc::new(Clock { parent, state: Mutex::default() })
    }

    /// How long it has waited so far.
    pub(super) fn waited(&self) -> Duration {
        let state = self.lock();
        state.waited + state.since.map(|since| since.elapsed()).unwrap_or_default()
    }

    pub(super) fn call(self: &Arc<Self>) -> InFlight {
        self.change(|state| state.in_flight += 1);
        InFlight(self.clone())
    }

    pub(super) fn wait(self: &Arc<Self>) -> Waiting {
        self.change(|state| state.waiting += 1);
        Waiting(self.clone())
    }

    fn change(&self, change: fn(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let waits = state.waiting > 0 && state.waiting >= state.in_flight;
        match (waits, state.since) {
            (true, None) => {
                state.since = Some(Instant::now());
                // Locked from the child upwards, always.
                self.tell_parent(|parent| parent.waiting += 1);
            }
            (false, Some(since)) => {
                state.waited += since.elapsed();
                state.since = None;
                self.tell_parent(|parent| parent.waiting = parent.waiting.saturating_sub(1));
            }
            _ => {}
        }
    }

    fn tell_parent(&self, change: fn(&mut State)) {
        if let Some(parent) = &self.parent {
            parent.change(change);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.change(|state| state.in_flight = state.in_flight.saturating_sub(1));
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.change(|state| state.waiting = state.waiting.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(clock: &Clock) -> bool {
        clock.lock().since.is_some()
    }

    #[test]
    fn an_agent_waits_only_while_all_that_it_has_in_flight_does() {
        let root = Clock::new(None);
        let child = Clock::new(Some(root.clone()));
        let task = root.call();
        let other = root.call();
        let own = child.call();
        let waiting = child.wait();
        assert!(waits(&child) && !waits(&root), "the root has another call in flight");
        drop(other);
        assert!(waits(&root));
        let second = child.call();
        assert!(!waits(&child) && !waits(&root));
        drop(second);
        assert!(waits(&child) && waits(&root));
        drop(waiting);
        assert!(!waits(&child) && !waits(&root));
        drop((own, task));
        for clock in [root, child] {
            let state = clock.lock();
            assert_eq!((state.in_flight, state.waiting), (0, 0));
        }
    }
}
