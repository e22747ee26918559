//! How patiently a model that is not answering is asked again.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

/// How much of a wait is left to chance, so that many who failed together don't ask again together.
const CHANCE: f64 = 0.25;

/// The most that is added to a wait that the server asked for.
const MAX_DELAY: Duration = Duration::from_secs(1);

/// How often a model is asked for one reply, and how long to wait in between.
#[derive(Clone)]
pub struct Patience {
    /// How often, the first time included.
    pub attempts: u32,
    /// The wait before the second time; each further one is twice as long.
    pub first: Duration,
    /// The longest wait where the server asks for none. One that it asks for is kept, if the agent's time allows.
    pub longest: Duration,
    pause: Pause,
}

/// Waits.
type Pause = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            attempts: 5,
            first: Duration::from_millis(500),
            longest: Duration::from_secs(30),
            pause: Arc::new(|wait| tokio::time::sleep(wait).boxed()),
        }
    }
}

impl Patience {
    /// None: what fails has failed.
    pub fn none() -> Patience {
        Patience { attempts: 1, ..Patience::default() }
    }

    /// The same, but with waits that `pause` makes instead of the clock.
    #[must_use]
    pub fn pausing(
        mut self,
        pause: impl Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> Patience {
        self.pause = Arc::new(pause);
        self
    }

    /// How long to wait after `attempt` times, of which the server asked for `asked`.
    pub(crate) fn wait(&self, attempt: u32, asked: Option<Duration>) -> Duration {
        self.wait_by(attempt, asked, chance())
    }

    fn wait_by(&self, attempt: u32, asked: Option<Duration>, chance: f64) -> Duration {
        if let Some(asked) = asked {
            // Never earlier than asked.
            return asked.saturating_add(asked.mul_f64(CHANCE * chance).min(MAX_DELAY));
        }
        let doubled = self.first.saturating_mul(2u32.saturating_pow(attempt.saturating_sub(1)));
        doubled.min(self.longest).mul_f64(1.0 - CHANCE * chance)
    }

    pub(crate) fn pause(&self, wait: Duration) -> BoxFuture<'static, ()> {
        (self.pause)(wait)
    }
}

/// From 0 to 1. The hasher's keys are random; nothing here has to be unpredictable.
fn chance() -> f64 {
    let random = RandomState::new().build_hasher().finish();
    f64::from((random >> 32) as u32) / f64::from(u32::MAX)
}

impl fmt::Debug for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Patience { attempts, first, longest, .. } = self;
        write!(f, "Patience {{ attempts: {attempts}, first: {first:?}, longest: {longest:?} }}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wait_is_longer_than_the_one_before_whatever_chance_has_it() {
        let patience = Patience::default();
        for attempt in 1..6 {
            let (late, early) =
                (patience.wait_by(attempt, None, 0.0), patience.wait_by(attempt + 1, None, 1.0));
            assert!(late < early, "{late:?} {early:?}");
        }
        assert_eq!(patience.wait_by(1, None, 0.0), Duration::from_millis(500));
        assert_eq!(patience.wait_by(u32::MAX, None, 0.0), patience.longest);
    }

    #[test]
    fn a_wait_that_the_server_asks_for_is_never_cut_short() {
        let patience = Patience::default();
        for (asked, chance) in [(3, 0.0), (3, 1.0), (7200, 1.0)] {
            let asked = Duration::from_secs(asked);
            let wait = patience.wait_by(1, Some(asked), chance);
            assert!(asked <= wait && wait <= asked + MAX_DELAY, "{wait:?}");
        }
        let wait = patience.wait(1, None);
        assert!(wait <= patience.first && wait >= patience.first.mul_f64(1.0 - CHANCE), "{wait:?}");
    }
}
