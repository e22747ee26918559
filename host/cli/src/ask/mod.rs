//! Asks a person on the terminal before something is done.

mod words;

use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::sync::Arc;
use std::thread;

use futures::FutureExt;
use futures::future::BoxFuture;
use remit_agent::{Answer, Approver, Broker, Policy, Question};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::command_line::Approve;
use crate::screen::{Floor, Screen};

/// A person at the terminal.
struct Terminal {
    screen: Screen,
    floor: Floor,
    /// The lines that are typed; nothing before the first question, so that a run which asks nothing reads nothing.
    lines: tokio::sync::Mutex<Option<UnboundedReceiver<String>>>,
}

/// What decides about questions of a run whose lines are written to `screen`.
pub(crate) fn broker(approve: Approve, screen: Screen, floor: &Floor) -> Arc<Broker> {
    let policy = match approve {
        Approve::Ask => Policy::Ask,
        Approve::Deny => Policy::Deny,
        Approve::Allow => Policy::Allow,
    };
    // Whoever can't see the question or can't type an answer is not there.
    let is_there = io::stderr().is_terminal() && io::stdin().is_terminal();
    let terminal = is_there.then(|| {
        let lines = tokio::sync::Mutex::default();
        Arc::new(Terminal { screen, floor: floor.clone(), lines }) as Arc<dyn Approver>
    });
    Broker::new(policy, terminal)
}

impl Approver for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.answer_to(question).boxed()
    }
}

impl Terminal {
    async fn answer_to(&self, question: &Question) -> Answer {
        let nobody = || Answer::No { reason: String::new() };
        let mut lines = self.lines.lock().await;
        let lines = lines.get_or_insert_with(typed);
        // What was typed before the question is no answer to it.
        while lines.try_recv().is_ok() {}
        let taken = self.floor.take();
        let text = words::question(question, self.screen);
        let written = {
            let mut stderr = io::stderr().lock();
            stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush())
        };
        let line = match written {
            Ok(()) => lines.recv().await,
            Err(_) => None,
        };
        drop(taken);
        line.map_or_else(nobody, |line| words::answer(&line))
    }
}

/// The lines that are typed from now on. A thread waits for them: a terminal can't be asked whether there is one.
fn typed() -> UnboundedReceiver<String> {
    let (sender, receiver) = unbounded_channel();
    thread::spawn(move || {
        for line in BufReader::new(io::stdin()).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}
