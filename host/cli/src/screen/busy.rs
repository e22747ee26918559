//! One line that says what takes long, on a terminal.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::{Screen, cut, time, width};

/// How long something takes before it is worth a line.
const PATIENCE: Duration = Duration::from_secs(1);

/// The last line of a terminal, which is rewritten for as long as something goes on. Anywhere else it is nothing.
#[derive(Debug)]
pub(crate) struct StatusLine {
    screen: Screen,
    /// What it says; empty where it is not there.
    shown: String,
}

impl StatusLine {
    pub(crate) fn new(screen: Screen) -> StatusLine {
        StatusLine { screen, shown: String::new() }
    }

    /// Shows what has been going on since `since`, if that is long.
    pub(crate) fn show(&mut self, what: &str, since: Instant) {
        let elapsed = since.elapsed();
        if !self.screen.is_live || elapsed < PATIENCE {
            return;
        }
        let text = going_on(what, elapsed, self.screen.width - 1);
        if text != self.shown {
            write(&format!("\r\x1b[2K{}", self.screen.faint(&text)));
            self.shown = text;
        }
    }

    /// Takes the line away, so that another can be written.
    pub(crate) fn clear(&mut self) {
        if !std::mem::take(&mut self.shown).is_empty() {
            write("\r\x1b[2K");
        }
    }
}

/// What goes on, and for how long, in at most `columns` columns: however long the words, the time is there.
pub(crate) fn going_on(what: &str, elapsed: Duration, columns: usize) -> String {
    let seconds = elapsed.as_secs();
    let elapsed = if seconds < 60 { format!("{seconds} s") } else { time(seconds * 1000) };
    let room = columns.saturating_sub(width(&elapsed) + 3);
    format!("{} · {elapsed}", cut(what, room))
}

fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    // A terminal that is gone needs no status.
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Says on a terminal that something is going on, until it is dropped.
#[derive(Debug)]
pub(crate) struct Busy(Option<(Sender<()>, JoinHandle<()>)>);

impl Busy {
    /// How often the line is written anew.
    pub(crate) const REFRESH: Duration = Duration::from_millis(250);

    /// `what` is going on from now on.
    pub(crate) fn with(what: &str) -> Busy {
        let screen = Screen::stderr();
        if !screen.is_live {
            return Busy(None);
        }
        let (stop, stopped) = mpsc::channel();
        let (what, since) = (what.to_owned(), Instant::now());
        let thread = thread::spawn(move || {
            let mut status = StatusLine::new(screen);
            while stopped.recv_timeout(Busy::REFRESH) == Err(RecvTimeoutError::Timeout) {
                status.show(&what, since);
            }
            status.clear();
        });
        Busy(Some((stop, thread)))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            // It has nothing to say that matters.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_there_however_long_the_words_are() {
        let line = going_on(&"root/explorer#1  search.grep ".repeat(9), Duration::from_secs(75), 40);
        assert!(line.ends_with("… · 1 min 15 s") && width(&line) <= 40, "{line}");
        assert_eq!(going_on("root  thinking", Duration::from_millis(2900), 40), "root  thinking · 2 s");
    }
}
