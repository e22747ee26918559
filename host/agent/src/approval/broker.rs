use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::question::{Answer, Approver, Decider, Question, Scope};
use crate::roles::EffectKind;
#[cfg(doc)]
use crate::roles::Target;

/// What is done with questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// A person is asked; where there is none, the answer is no.
    #[default]
    Ask,
    /// The answer is no.
    Deny,
    /// The answer is yes. Rules that deny hold all the same.
    Allow,
}

/// Puts the questions of all agents of a run to one person, one at a time, and remembers the answers that last.
pub struct Broker {
    policy: Policy,
    approver: Option<Arc<dyn Approver>>,
    /// Held by whoever asks. It is fair: whoever came first asks first.
    turn: tokio::sync::Mutex<()>,
    lasting: Mutex<HashSet<Lasting>>,
}

/// What an answer that lasts is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Lasting {
    who: Who,
    kind: EffectKind,
    subject: String,
}

/// For whom it lasts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Who {
    Agent(String),
    Role(String),
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settled {
    pub(super) by: Decider,
    /// How far the yes goes; nothing if it is a no.
    pub(super) scope: Option<Scope>,
    /// A person's word to a no.
    pub(super) reason: String,
}

impl Settled {
    pub(super) fn no(by: Decider) -> Settled {
        Settled { by, scope: None, reason: String::new() }
    }

    pub(super) fn yes(by: Decider, scope: Scope) -> Settled {
        Settled { by, scope: Some(scope), reason: String::new() }
    }
}

impl Broker {
    /// A broker for one run. Without an `approver`, there is nobody to ask.
    pub fn new(policy: Policy, approver: Option<Arc<dyn Approver>>) -> Arc<Broker> {
        Arc::new(Broker { policy, approver, turn: tokio::sync::Mutex::default(), lasting: Mutex::default() })
    }

    /// What can be said without asking. `subject` is what a lasting answer is about: see [`Target::subject`].
    pub(super) fn known(&self, question: &Question, subject: &str) -> Option<Settled> {
        if self.is_covered(question, subject) {
            return Some(Settled::yes(Decider::Earlier, Scope::Once));
        }
        match (self.policy, &self.approver) {
            (Policy::Allow, _) => Some(Settled::yes(Decider::Policy, Scope::Session)),
            (Policy::Deny, _) => Some(Settled::no(Decider::Policy)),
            (Policy::Ask, None) => Some(Settled::no(Decider::Nobody)),
            (Policy::Ask, Some(_)) => None,
        }
    }

    /// Waits for its turn to ask. Whoever has it should look again whether the answer is known by now.
    pub(super) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Asks. Only whoever has the turn does.
    pub(super) async fn ask(&self, question: &Question, subject: &str) -> Settled {
        let Some(approver) = &self.approver else { return Settled::no(Decider::Nobody) };
        let scope = match approver.ask(question).await {
            Answer::No { reason } => return Settled { reason, ..Settled::no(Decider::Person) },
            Answer::Once => Scope::Once,
            Answer::Agent => {
                self.remember(Who::Agent(question.agent.clone()), question, subject);
                Scope::Agent
            }
            Answer::Session => {
                self.remember(Who::Role(question.role.clone()), question, subject);
                Scope::Session
            }
        };
        Settled::yes(Decider::Person, scope)
    }

    fn remember(&self, who: Who, question: &Question, subject: &str) {
        let lasting = Lasting::of(who, question, subject);
        self.lasting.lock().unwrap_or_else(PoisonError::into_inner).insert(lasting);
    }

    fn is_covered(&self, question: &Question, subject: &str) -> bool {
        let lasting = self.lasting.lock().unwrap_or_else(PoisonError::into_inner);
        let whom = [Who::Agent(question.agent.clone()), Who::Role(question.role.clone())];
        whom.into_iter().any(|who| lasting.contains(&Lasting::of(who, question, subject)))
    }
}

impl Lasting {
    fn of(who: Who, question: &Question, subject: &str) -> Lasting {
        Lasting { who, kind: question.effect.kind(), subject: subject.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::FutureExt;
    use futures::future::{BoxFuture, join_all};

    use super::*;
    use crate::approval::Asked;

    /// Says yes for the role, after a while.
    #[derive(Default)]
    struct Slow {
        asked: AtomicUsize,
        at_once: AtomicUsize,
        order: Mutex<Vec<String>>,
    }

    impl Approver for Slow {
        fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
            async move {
                assert_eq!(self.at_once.fetch_add(1, Ordering::SeqCst), 0, "one question at a time");
                self.order.lock().unwrap().push(question.agent.clone());
                for _ in 0..10 {
                    tokio::task::yield_now().await;
                }
                self.at_once.fetch_sub(1, Ordering::SeqCst);
                self.asked.fetch_add(1, Ordering::SeqCst);
                if question.role == "lasting" { Answer::Session } else { Answer::Once }
            }
            .boxed()
        }
    }

    async fn settle(broker: &Broker, agent: &str, role: &str) -> Settled {
        let effect = Asked::Write { files: vec![], more: 0, diff: String::new() };
        let question = Question { agent: agent.into(), role: role.into(), tool: "t".into(), effect };
        let _turn = broker.turn().await;
        match broker.known(&question, "") {
            Some(settled) => settled,
            None => broker.ask(&question, "").await,
        }
    }

    #[tokio::test]
    async fn those_who_ask_at_once_are_asked_one_after_the_other_in_order() {
        let person = Arc::new(Slow::default());
        let broker = Broker::new(Policy::Ask, Some(person.clone()));
        let agents = ["root/a#1", "root/b#1", "root/a#2", "root/b#1/a#1"];
        join_all(agents.map(|agent| settle(&broker, agent, "once"))).await;
        assert_eq!(*person.order.lock().unwrap(), agents);
    }

    #[tokio::test]
    async fn a_lasting_yes_answers_those_who_wait_behind_it_but_no_other_role() {
        let person = Arc::new(Slow::default());
        let broker = Broker::new(Policy::Ask, Some(person.clone()));
        let settled = join_all([
            settle(&broker, "root/lasting#1", "lasting"),
            settle(&broker, "root/lasting#2", "lasting"),
            settle(&broker, "root/once#1", "once"),
        ])
        .await;
        let by: Vec<Decider> = settled.iter().map(|settled| settled.by).collect();
        assert_eq!(by, [Decider::Person, Decider::Earlier, Decider::Person]);
        assert_eq!(person.asked.load(Ordering::SeqCst), 2);
    }
}
