//! What is shown of a run while it goes on.

mod above;
mod activity;
mod arguments;
mod closing;
mod gist;
mod lines;
mod stream;

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use remit_agent::{Event, EventKind, EventSink, SinkError};
use tokio_util::sync::CancellationToken;

use crate::command::Output;
use crate::screen::{Busy, Floor, Screen, StatusLine, going_on};
pub(crate) use above::Voice;
use activity::Activity;
pub(crate) use arguments::call;
pub(crate) use closing::closing;
use lines::Lines;
pub(crate) use lines::ended;

/// How often it is looked whether something takes long, where no line is rewritten.
const LOOK: Duration = Duration::from_secs(1);

/// Whoever shows the events of a run, on a thread of its own: a slow terminal holds up nobody else.
pub(crate) struct View(JoinHandle<io::Result<()>>);

/// Hands the events to a [`View`].
pub(crate) struct ViewSink(Sender<Arc<Event>>);

impl EventSink for ViewSink {
    fn accept(&self, event: &Arc<Event>) -> Result<(), SinkError> {
        // A view that has ended needs no events.
        let _ = self.0.send(event.clone());
        Ok(())
    }
}

impl View {
    /// Shows the events on standard error, for a person.
    pub(crate) fn lines(screen: Screen, floor: Floor) -> (ViewSink, View) {
        let (sender, events) = mpsc::channel();
        (
            ViewSink(sender),
            View(thread::spawn(move || {
                show(screen, &floor, &events);
                Ok(())
            })),
        )
    }

    /// Writes the events to standard output, for a program. When nobody reads them any more, `cancel` is cancelled.
    pub(crate) fn json(cancel: CancellationToken) -> (ViewSink, View) {
        let (sender, events) = mpsc::channel();
        let write = move || {
            let written = write(&events);
            if written.is_err() {
                cancel.cancel();
            }
            written
        };
        (ViewSink(sender), View(thread::spawn(write)))
    }

    /// Waits until everything is shown.
    ///
    /// # Errors
    ///
    /// Why a program was not told everything. What went wrong in showing it to a person is of no consequence.
    pub(crate) fn end(self) -> io::Result<()> {
        self.0.join().unwrap_or_else(|_| Err(io::Error::other("the view broke off")))
    }
}

fn show(screen: Screen, floor: &Floor, events: &Receiver<Arc<Event>>) {
    let mut lines = Lines::new(screen);
    let mut activity = Activity::default();
    let mut status = StatusLine::new(screen);
    loop {
        match events.recv_timeout(if screen.is_live { Busy::REFRESH } else { LOOK }) {
            Ok(event) => {
                let text = lines.of(&event);
                activity.note(&event);
                if !text.is_empty() {
                    floor.unless_taken(|| status.clear());
                    // Whoever closed standard error does not want to watch.
                    let _ = io::stderr().lock().write_all(text.as_bytes());
                }
                if matches!(event.kind, EventKind::Outcome(_)) {
                    break;
                }
            }
            Err(RecvTimeoutError::Timeout) if !screen.is_live => {
                let text = progress(&mut activity, screen);
                let _ = io::stderr().lock().write_all(text.as_bytes());
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Some((what, since)) = activity.latest() {
                    floor.unless_taken(|| status.show(what, since));
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    floor.unless_taken(|| status.clear());
}

/// What takes long, a line each.
fn progress(activity: &mut Activity, screen: Screen) -> String {
    let overdue = activity.overdue(Instant::now());
    let line = |(what, elapsed): (&str, Duration)| {
        screen.faint(&format!("{}\n", going_on(what, elapsed, screen.width)))
    };
    overdue.into_iter().map(line).collect()
}

fn write(events: &Receiver<Arc<Event>>) -> io::Result<()> {
    let mut output = Output::new();
    while let Ok(event) = events.recv() {
        output.json_line(&event.to_line()?)?;
        output.flush()?;
        if matches!(event.kind, EventKind::Outcome(_)) {
            break;
        }
    }
    Ok(())
}
