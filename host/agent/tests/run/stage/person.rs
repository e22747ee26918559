use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use remit_agent::{Answer, Approver, Question};
use tokio::sync::Notify;

/// Somebody who gives answers that were written down, and then never answers again.
#[derive(Default)]
pub(crate) struct Person {
    answers: Mutex<VecDeque<Answer>>,
    asked: Mutex<Vec<Question>>,
    /// Notified when there is no answer left.
    pub(crate) silent: Notify,
    is_asked: AtomicBool,
    thinks: Duration,
}

/// Whoever is asked is asked by one at a time.
struct Asking<'a>(&'a AtomicBool);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

impl Person {
    pub(crate) fn who_says(answers: Vec<Answer>) -> Arc<Person> {
        Arc::new(Person { answers: Mutex::new(answers.into()), ..Person::default() })
    }

    /// Somebody who takes a while, and says yes once.
    pub(crate) fn who_thinks_for(time: Duration) -> Arc<Person> {
        Arc::new(Person { answers: Mutex::new([Answer::Once].into()), thinks: time, ..Person::default() })
    }

    pub(crate) fn asked(&self) -> Vec<Question> {
        self.asked.lock().unwrap().clone()
    }
}

impl Approver for Person {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        async move {
            assert!(!self.is_asked.swap(true, Ordering::SeqCst), "two questions at once");
            let _asking = Asking(&self.is_asked);
            self.asked.lock().unwrap().push(question.clone());
            tokio::time::sleep(self.thinks).await;
            let answer = self.answers.lock().unwrap().pop_front();
            match answer {
                Some(answer) => answer,
                None => {
                    self.silent.notify_one();
                    future::pending().await
                }
            }
        }
        .boxed()
    }
}
