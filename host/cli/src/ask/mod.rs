//! Asks a person on the terminal before something is done.

pub(crate) mod words;

use std::io::{self, IsTerminal, PipeReader, Write};
use std::sync::Arc;
use std::thread;

use futures::FutureExt;
use futures::future::BoxFuture;
use remit_agent::{Answer, Approver, Broker, Policy, Question};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::oneshot;

use crate::command_line::Approve;
use crate::screen::{Floor, Screen};

/// The longest line that a terminal hands over, in bytes; Linux itself takes no longer one.
const MAX_LINE: usize = 4096;

/// A person at the terminal, who is asked and otherwise types nothing.
struct Terminal {
    screen: Screen,
    floor: Floor,
}

/// What decides about the questions of a run. `person` is asked where nothing else is said.
pub(crate) fn broker(
    approve: Option<Approve>,
    person: impl FnOnce() -> Option<Arc<dyn Approver>>,
) -> Arc<Broker> {
    match approve {
        None | Some(Approve::Ask) => Broker::new(Policy::Ask, person()),
        Some(Approve::Deny) => Broker::new(Policy::Deny, None),
        Some(Approve::Allow) => Broker::new(Policy::Allow, None),
    }
}

/// The person at the terminal of a run whose lines are written to `screen`, if there is one.
pub(crate) fn at_terminal(screen: Screen, floor: &Floor) -> Option<Arc<dyn Approver>> {
    // Whoever can't see the question or can't type an answer is not there.
    let is_there = io::stderr().is_terminal() && io::stdin().is_terminal();
    is_there.then(|| Arc::new(Terminal { screen, floor: floor.clone() }) as Arc<dyn Approver>)
}

impl Approver for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.answer_to(question).boxed()
    }
}

impl Terminal {
    async fn answer_to(&self, question: &Question) -> Answer {
        let nobody = || Answer::No { reason: String::new() };
        let taken = self.floor.take();
        let text = words::question(question, self.screen);
        let (effect, choices) = text.rsplit_once('\n').unwrap_or(("", &text));
        // Whatever was typed before the effect stood there is no answer to it.
        let asked = show(&format!("{effect}\n"))
            .and_then(|()| Ok(tcflush(io::stdin(), QueueSelector::IFlush)?))
            .and_then(|()| show(choices));
        let line = match asked {
            Ok(()) => typed().await,
            Err(_) => None,
        };
        drop(taken);
        line.map_or_else(nobody, |line| words::answer(&line))
    }
}

fn show(text: &str) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    stderr.write_all(text.as_bytes())?;
    stderr.flush()
}

/// The next line that is typed; nothing if there will be none.
async fn typed() -> Option<String> {
    // Closed when nobody waits any more: the thread must not take a line that is another question's.
    let (left, _waits) = io::pipe().ok()?;
    let (sender, line) = oneshot::channel();
    thread::spawn(move || sender.send(read_line(&left)));
    line.await.ok().flatten()
}

/// A line, or nothing once `left` is closed or the terminal has ended.
fn read_line(left: &PipeReader) -> Option<String> {
    let stdin = io::stdin();
    let mut line = [0; MAX_LINE];
    loop {
        let mut events = [PollFd::new(left, PollFlags::IN), PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut events, None) {
            Err(Errno::INTR) => continue,
            Ok(_) if events[0].revents().is_empty() => {}
            _ => return None,
        }
        return match rustix::io::read(&stdin, &mut line) {
            Err(Errno::INTR | Errno::AGAIN) => continue,
            Ok(0) | Err(_) => None,
            // A terminal hands over one line at a time.
            Ok(length) => Some(String::from_utf8_lossy(&line[..length]).into_owned()),
        };
    }
}
