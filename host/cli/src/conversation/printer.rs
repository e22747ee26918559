//! What is written while a line is typed.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustyline::ExternalPrinter;

/// Writes above the line that is typed.
#[derive(Clone)]
pub(crate) struct Printer {
    above: Arc<Mutex<Box<dyn ExternalPrinter + Send>>>,
    place: Arc<Place>,
}

/// Whether there is a line to write above of. Between two lines the editor would write where the next one is about to stand,
/// so whoever writes waits for that.
#[derive(Default)]
pub(crate) struct Place {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Between,
    /// The line of this number stands there.
    Line(u64),
    /// No line is typed any more; if one stands there still, what is written takes its place.
    GivenUp { has_line: bool },
}

const CLEAR_LINE: &str = "\r\x1b[K";

impl Place {
    /// The line with this number is about to stand there.
    pub(crate) fn begin(&self, number: u64) {
        self.change(State::Line(number));
    }

    /// The line is entered.
    pub(crate) fn end(&self) {
        self.change(State::Between);
    }

    fn change(&self, to: State) {
        let mut state = self.state();
        if !matches!(*state, State::GivenUp { .. }) {
            *state = to;
            self.changed.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Printer {
    pub(crate) fn new(above: impl ExternalPrinter + Send + 'static, place: Arc<Place>) -> Printer {
        Printer { above: Arc::new(Mutex::new(Box::new(above))), place }
    }

    /// Writes lines. They end in a line break.
    pub(crate) fn print(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut above = self.above.lock().unwrap_or_else(PoisonError::into_inner);
        let before = {
            let state = self.place.state();
            let wait = self.place.changed.wait_while(state, |state| *state == State::Between);
            *wait.unwrap_or_else(PoisonError::into_inner)
        };
        if let State::GivenUp { has_line } = before {
            return write(if has_line { CLEAR_LINE } else { "" }, text);
        }
        if above.print(text.to_owned()).is_err() {
            return write("", text);
        }
        let now = *self.place.state();
        if matches!(now, State::Line(_)) && now != before {
            // The line was entered meanwhile. If the text was written where the next one stands, that one is shown again.
            let _ = above.print("\n".to_owned());
        }
    }

    /// From now on nobody waits for a line. `has_line` is whether one is being typed.
    pub(crate) fn give_up_line(&self, has_line: bool) {
        *self.place.state() = State::GivenUp { has_line };
        self.place.changed.notify_all();
    }
}

fn write(before: &str, text: &str) {
    let mut stdout = io::stdout().lock();
    // A terminal that is gone shows nothing.
    let _ = write!(stdout, "{before}{text}").and_then(|()| stdout.flush());
}
