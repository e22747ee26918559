//! What one call's requests may take together.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::limits::Limits;

/// What is left of a call's requests and bytes.
#[derive(Debug)]
pub(crate) struct Totals {
    pub(crate) requests: Left,
    /// The bytes of requests' bodies.
    pub(crate) sent: Left,
    /// The bytes of answers' bodies.
    pub(crate) received: Left,
    is_over: Mutex<bool>,
}

/// A limit, and what is left of it.
#[derive(Debug)]
pub(crate) struct Left {
    limit: u64,
    left: AtomicU64,
}

impl Totals {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            requests: Left::new(limits.requests),
            sent: Left::new(limits.request_bytes),
            received: Left::new(limits.response_bytes),
            is_over: Mutex::default(),
        }
    }

    /// The call is at its end: nothing is sent any more.
    pub(crate) fn end(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// Notes that something is about to be sent, unless the call is at its end. Whoever reads the call's ledger after that
    /// has all of it.
    pub(crate) fn note<T>(&self, note: impl FnOnce() -> T) -> Option<T> {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        (!*is_over).then(note)
    }
}

impl Left {
    fn new(limit: u64) -> Self {
        Self { limit, left: AtomicU64::new(limit) }
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Takes so much of it; nothing where there is less.
    pub(crate) fn take(&self, amount: u64) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(amount)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_is_not_gone_over() {
        let totals = Totals::new(&Limits { requests: 2, request_bytes: 10, ..Limits::default() });
        assert_eq!([(); 3].map(|()| totals.requests.take(1)), [true, true, false]);
        assert_eq!([6, 6, 4, 1].map(|bytes| totals.sent.take(bytes)), [true, false, true, false]);
    }

    #[test]
    fn after_the_end_nothing_is_noted() {
        let totals = Totals::new(&Limits::default());
        assert_eq!(totals.note(|| 7), Some(7));
        totals.end();
        assert_eq!(totals.note(|| 7), None);
    }
}
