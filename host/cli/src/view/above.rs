//! A conversation, shown above the line that is typed.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;

use remit_agent::{Event, EventKind, EventSink, SinkError};
use tokio::sync::oneshot;

use super::activity::Activity;
use super::lines::Lines;
use super::stream::Stream;
use super::{LOOK, progress};
use crate::screen::Screen;

/// Whoever has something to show, in one order: what happens, the root's words as they come, and what the program says.
#[derive(Clone)]
pub(crate) struct Voice(Sender<Shown>);

enum Shown {
    Event(Arc<Event>),
    Words(String),
    /// Everything before it is shown.
    Mark(oneshot::Sender<()>),
}

impl Voice {
    /// Shows whatever comes with `print`, which writes whole lines, on a thread of its own.
    pub(crate) fn new(screen: Screen, print: impl Fn(&str) + Send + 'static) -> Voice {
        let (sender, shown) = mpsc::channel();
        thread::spawn(move || show(screen, &print, &shown));
        Voice(sender)
    }

    /// Shows lines, which end in a line break.
    pub(crate) fn say(&self, words: String) {
        // Whoever shows it lives as long as somebody has something to show.
        let _ = self.0.send(Shown::Words(words));
    }

    /// Returns when everything so far is shown.
    pub(crate) async fn caught_up(&self) {
        let (mark, shown) = oneshot::channel();
        if self.0.send(Shown::Mark(mark)).is_ok() {
            let _ = shown.await;
        }
    }
}

impl EventSink for Voice {
    fn accept(&self, event: &Arc<Event>) -> Result<(), SinkError> {
        // A view that has ended needs no events.
        let _ = self.0.send(Shown::Event(event.clone()));
        Ok(())
    }
}

fn show(screen: Screen, print: &impl Fn(&str), shown: &Receiver<Shown>) {
    let mut lines = Lines::new(screen);
    let mut activity = Activity::default();
    let mut stream = Stream::default();
    loop {
        match shown.recv_timeout(LOOK) {
            Ok(Shown::Event(event)) => {
                activity.note(&event);
                print(&in_words(&event, &mut lines, &mut stream, screen));
            }
            Ok(Shown::Words(words)) => print(&words),
            Ok(Shown::Mark(mark)) => {
                // Whoever waited may have left.
                let _ = mark.send(());
            }
            Err(RecvTimeoutError::Timeout) => print(&progress(&mut activity, screen)),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
}

fn in_words(event: &Event, lines: &mut Lines, stream: &mut Stream, screen: Screen) -> String {
    let text = lines.of(event);
    match &event.kind {
        _ if event.agent.contains('/') => text,
        EventKind::TextDelta { text: part } => stream.push(part, screen.width),
        // Its words stand there already.
        EventKind::ModelReply { .. } => stream.end(screen.width),
        // The beginning that is void stays, and is marked so.
        EventKind::ModelRetry { .. } => stream.end(screen.width) + &text,
        EventKind::Outcome(_) => stream.end(screen.width),
        _ => text,
    }
}
