//! What is shown of a run while it goes on.

mod activity;
mod arguments;
mod closing;
mod gist;
mod lines;

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};

use remit_agent::{Event, EventKind, EventSink, SinkError};
use tokio_util::sync::CancellationToken;

use crate::command::Output;
use crate::screen::{Busy, Floor, Screen, StatusLine};
use activity::Activity;
pub(crate) use arguments::call;
pub(crate) use closing::closing;
use lines::Lines;

/// Whoever shows the events of a run, on a thread of its own: a slow terminal holds up nobody else.
pub(crate) struct View(JoinHandle<()>);

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
        (ViewSink(sender), View(thread::spawn(move || show(screen, &floor, &events))))
    }

    /// Writes the events to standard output, for a program. When nobody reads them any more, `cancel` is cancelled.
    pub(crate) fn json(cancel: CancellationToken) -> (ViewSink, View) {
        let (sender, events) = mpsc::channel();
        let write = move || {
            if write(&events).is_err() {
                cancel.cancel();
            }
        };
        (ViewSink(sender), View(thread::spawn(write)))
    }

    /// Waits until everything is shown.
    pub(crate) fn end(self) {
        // What went wrong in showing was of no consequence for the run.
        let _ = self.0.join();
    }
}

fn show(screen: Screen, floor: &Floor, events: &Receiver<Arc<Event>>) {
    let mut lines = Lines::new(screen);
    let mut activity = Activity::default();
    let mut status = StatusLine::new(screen);
    loop {
        let next = if screen.is_live {
            events.recv_timeout(Busy::REFRESH)
        } else {
            events.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match next {
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
