//! The time that one call has, which stands still while it waits for a person.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// The shortest sleep before it is looked again how much time is left.
const TICK: Duration = Duration::from_millis(1);

/// What is kept of a call's time when something that it waits for is ended, so that the call can still say what came.
const RESERVE: Duration = Duration::from_secs(2);

/// Counts a call's time.
#[derive(Debug)]
pub(crate) struct Clock {
    start: Instant,
    limit: Duration,
    pauses: Mutex<Pauses>,
}

#[derive(Debug, Default)]
struct Pauses {
    running: u32,
    since: Option<Instant>,
    paused: Duration,
}

/// The clock stands still until this is dropped.
pub(crate) struct Pause<'a>(&'a Clock);

impl Clock {
    /// A clock that begins to count now.
    pub(crate) fn start(limit: Duration) -> Self {
        Self { start: Instant::now(), limit, pauses: Mutex::default() }
    }

    /// Stops it, until the guard is dropped.
    pub(crate) fn pause(&self) -> Pause<'_> {
        let mut pauses = self.pauses();
        pauses.running += 1;
        pauses.since.get_or_insert_with(Instant::now);
        Pause(self)
    }

    /// What is left of the call's time; nothing once it is over.
    pub(crate) fn left(&self) -> Duration {
        let pauses = self.pauses();
        let now = pauses.since.unwrap_or_else(Instant::now);
        let used = now.saturating_duration_since(self.start).saturating_sub(pauses.paused);
        self.limit.saturating_sub(used)
    }

    /// What is to be left of the call's time when something that begins now is ended.
    pub(crate) fn reserve(&self) -> Duration {
        RESERVE.min(self.left() / 4)
    }

    /// Until no more than `reserve` is left of the call's time.
    pub(crate) async fn down_to(&self, reserve: Duration) {
        loop {
            let left = self.left().saturating_sub(reserve);
            if left.is_zero() {
                return;
            }
            sleep(left.max(TICK)).await;
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    /// Until `grace` after the call's time is over.
    pub(crate) async fn over(&self, grace: Duration) {
        self.down_to(Duration::ZERO).await;
        sleep(grace).await;
    }

    fn pauses(&self) -> MutexGuard<'_, Pauses> {
        self.pauses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        let mut pauses = self.0.pauses();
        pauses.running = pauses.running.saturating_sub(1);
        if pauses.running == 0
            && let Some(since) = pauses.since.take()
        {
            pauses.paused += since.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_stands_still_while_somebody_waits() {
        let second = Duration::from_secs(1);
        let clock = Clock::start(10 * second);
        advance(3 * second).await;
        let (first, other) = (clock.pause(), clock.pause());
        advance(60 * second).await;
        assert_eq!(clock.left(), 7 * second);
        drop(first);
        advance(60 * second).await;
        assert_eq!(clock.left(), 7 * second);
        drop(other);
        advance(2 * second).await;
        assert_eq!(clock.left(), 5 * second);
        clock.over(Duration::ZERO).await;
        assert!(clock.is_over());
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_for_its_end_waits_through_a_pause() {
        let second = Duration::from_secs(1);
        let clock = Clock::start(10 * second);
        let begun = Instant::now();
        let pausing = async {
            let _pause = clock.pause();
            sleep(3600 * second).await;
        };
        tokio::join!(clock.over(second), pausing);
        assert!(begun.elapsed() >= 3611 * second);
    }
}
