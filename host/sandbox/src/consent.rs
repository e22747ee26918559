//! The word that lets a call have an effect outside of its workspace, where somebody wants to be asked first.
//!
//! A call's writes are staged and can be decided about when it has ended. A request or a command can't: it is asked about
//! while the call waits, and that wait costs the call no time.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::clock::Clock;
use crate::ledger::Ledger;

/// What a call is about to do outside of its workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outward {
    /// A request is about to be sent.
    Request {
        /// The method, such as `GET`.
        method: String,
        /// The URL, without secrets.
        url: String,
    },
    /// A command is about to be started.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
        /// Where, relative to the workspace; `.` is the workspace itself.
        directory: String,
    },
}

/// As a person would write it: `GET https://example.org/`, `cargo test --lib`.
impl fmt::Display for Outward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { method, url } => write!(f, "{method} {url}"),
            Self::Command { argv, .. } => f.write_str(&argv.join(" ")),
        }
    }
}

/// A call that waits for the word. Dropping it is a no.
#[derive(Debug)]
pub struct Petition {
    effect: Outward,
    answer: oneshot::Sender<Result<(), String>>,
}

impl Petition {
    /// What the call is about to do.
    #[must_use]
    pub fn effect(&self) -> &Outward {
        &self.effect
    }

    /// Until the call does not wait for the word any more.
    pub async fn given_up(&mut self) {
        self.answer.closed().await;
    }

    /// Lets it.
    pub fn grant(self) {
        // A call that is gone needs no answer.
        let _ = self.answer.send(Ok(()));
    }

    /// Does not let it, and says why, for the component.
    pub fn refuse(self, why: impl Into<String>) {
        let _ = self.answer.send(Err(why.into()));
    }
}

/// Whether somebody is asked before a call's effects outside of the workspace. By default nobody is: what is granted,
/// it may do.
#[derive(Clone, Debug, Default)]
pub struct Consent(Option<mpsc::Sender<Petition>>);

impl Consent {
    /// Every effect is asked about at the receiver, and is refused once that is gone.
    #[must_use]
    pub fn asked() -> (Self, mpsc::Receiver<Petition>) {
        let (sender, receiver) = mpsc::channel(1);
        (Self(Some(sender)), receiver)
    }

    /// Asks whether an effect may be.
    ///
    /// # Errors
    ///
    /// Why not, for the component.
    pub async fn ask(&self, effect: Outward) -> Result<(), String> {
        let Some(sender) = &self.0 else { return Ok(()) };
        let unanswered = || "nobody answered".to_owned();
        let (answer, answered) = oneshot::channel();
        sender.send(Petition { effect, answer }).await.map_err(|_| unanswered())?;
        answered.await.map_err(|_| unanswered())?
    }
}

/// What is above one call: the record of what it does, and who is asked first.
#[derive(Clone, Debug, Default)]
pub struct Supervision {
    /// Where the call's effects are noted.
    pub ledger: Arc<Ledger>,
    /// Who is asked before an effect outside of the workspace.
    pub consent: Consent,
}

/// Noted there, and nobody asked.
impl From<Arc<Ledger>> for Supervision {
    fn from(ledger: Arc<Ledger>) -> Self {
        Self { ledger, consent: Consent::default() }
    }
}

impl Supervision {
    /// Asks whether an effect may be. While it waits, the call's clock stands still.
    pub(crate) async fn ask(&self, clock: &Clock, effect: Outward) -> Result<(), String> {
        let _paused = clock.pause();
        self.consent.ask(effect).await
    }

    /// Notes that an effect may not be, and puts it into a sentence for the component.
    pub(crate) fn refuse(&self, action: &'static str, what: &str, reason: String) -> String {
        let sentence = format!("`{what}`: {reason}");
        self.ledger.refused(action, what, reason);
        sentence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Outward {
        Outward::Request { method: "GET".to_owned(), url: "https://example.org/".to_owned() }
    }

    #[tokio::test]
    async fn without_anybody_to_ask_what_is_granted_may_be() {
        assert_eq!(Consent::default().ask(request()).await, Ok(()));
    }

    #[tokio::test]
    async fn the_answer_reaches_the_call_that_asked() {
        let (consent, mut petitions) = Consent::asked();
        let answering = async {
            let first = petitions.recv().await.unwrap();
            assert_eq!(first.effect().to_string(), "GET https://example.org/");
            first.grant();
            petitions.recv().await.unwrap().refuse("not today");
        };
        let asking = async { (consent.ask(request()).await, consent.ask(request()).await) };
        let (answers, ()) = tokio::join!(asking, answering);
        assert_eq!(answers, (Ok(()), Err("not today".to_owned())));
    }

    #[tokio::test]
    async fn whoever_is_asked_learns_that_the_call_waits_no_more() {
        let (consent, mut petitions) = Consent::asked();
        let asking = tokio::spawn(async move { consent.ask(request()).await });
        let mut petition = petitions.recv().await.unwrap();
        asking.abort();
        petition.given_up().await;
        petition.grant();
    }

    #[tokio::test]
    async fn no_answer_is_a_no() {
        let (consent, mut petitions) = Consent::asked();
        let dropping = async { drop(petitions.recv().await) };
        let (answer, ()) = tokio::join!(consent.ask(request()), dropping);
        assert_eq!(answer, Err("nobody answered".to_owned()));
        drop(petitions);
        assert_eq!(consent.ask(request()).await, Err("nobody answered".to_owned()));
    }
}
