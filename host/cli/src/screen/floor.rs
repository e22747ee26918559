use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Screen;

/// Who has the last line of the terminal: a question, or the line that says what goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Floor(Arc<Mutex<bool>>);

/// Taken by a question until it is dropped.
#[derive(Debug)]
pub(crate) struct Taken(Floor);

impl Floor {
    /// Takes it for a question, and the line away that stands there.
    pub(crate) fn take(&self) -> Taken {
        *self.lock() = true;
        if Screen::stderr().is_live {
            // A terminal that is gone needs no clearing.
            let _ = io::stderr().lock().write_all(b"\r\x1b[2K");
        }
        Taken(self.clone())
    }

    /// Does something with the last line, unless a question has it.
    pub(crate) fn unless_taken(&self, act: impl FnOnce()) {
        let taken = self.lock();
        if !*taken {
            act();
        }
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        *self.0.lock() = false;
    }
}
