//! Whose a typed line is: the conversation's, or the answer to a question.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Knows of each line when it was begun. A line is the answer to a question only if its first key was pressed after the
/// question could be read; whatever was typed ahead, half a line or a whole one, is none.
#[derive(Default)]
pub(crate) struct Keys(Mutex<State>);

#[derive(Default)]
struct State {
    questions: u64,
    asked: Option<Asked>,
    /// The question that could be read when the line was begun.
    began_under: Option<u64>,
    /// Whether the line has not been shown yet.
    is_new: bool,
}

struct Asked {
    number: u64,
    is_readable: bool,
    /// Whether no key was read since it can be. One that is left may be older than the question; behind one that was read
    /// since, none is.
    is_first: bool,
    answer: oneshot::Sender<String>,
}

/// What became of a typed line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It answered a question.
    Answered,
    /// It was begun under a question that nobody asks any more. It means nothing to anybody else.
    TooLate,
    /// It was said to nobody who asked.
    Free,
}

/// A question that waits for its answer, until this is dropped.
pub(crate) struct Pending<'a> {
    keys: &'a Keys,
    number: u64,
}

impl Keys {
    /// A question is about to be shown. It has no answer before it is [readable](Pending::is_readable).
    pub(crate) fn ask(&self) -> (Pending<'_>, oneshot::Receiver<String>) {
        let (answer, answered) = oneshot::channel();
        let mut state = self.state();
        state.questions += 1;
        let number = state.questions;
        state.asked = Some(Asked { number, is_readable: false, is_first: true, answer });
        (Pending { keys: self, number }, answered)
    }

    /// A new line is going to be typed.
    pub(crate) fn new_line(&self) {
        let mut state = self.state();
        (state.is_new, state.began_under) = (true, None);
    }

    /// The line is shown, and the terminal hands over every key from now on. The first time, it gives whether keys that were
    /// pressed before must be thrown away: they may be older than the question.
    pub(crate) fn shown(&self) -> Option<bool> {
        let mut state = self.state();
        let is_new = std::mem::take(&mut state.is_new);
        is_new.then(|| state.asked.as_mut().is_some_and(|asked| std::mem::take(&mut asked.is_first)))
    }

    /// A key was pressed; with the first one on an empty line, the line begins.
    pub(crate) fn pressed(&self, is_line_empty: bool) {
        let mut state = self.state();
        let under = state.asked.as_mut().filter(|asked| asked.is_readable).map(|asked| {
            asked.is_first = false;
            asked.number
        });
        if is_line_empty {
            state.began_under = under;
        }
    }

    /// Gives the line to the question that it was begun under.
    pub(crate) fn answer(&self, line: &str) -> Fate {
        let mut state = self.state();
        let Some(number) = state.began_under else { return Fate::Free };
        match state.asked.take_if(|asked| asked.number == number) {
            Some(asked) => match asked.answer.send(line.to_owned()) {
                Ok(()) => Fate::Answered,
                Err(_) => Fate::TooLate,
            },
            None => Fate::TooLate,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending<'_> {
    /// Every key that was pressed before the question stood there has been taken for something else.
    pub(crate) fn is_readable(&self) {
        if let Some(asked) = self.keys.state().asked.as_mut().filter(|asked| asked.number == self.number) {
            asked.is_readable = true;
        }
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.keys.state().asked.take_if(|asked| asked.number == self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_begun_before_the_question_could_be_read_is_no_answer() {
        let keys = Keys::default();
        keys.new_line();
        keys.pressed(true);
        let (pending, mut answer) = keys.ask();
        assert_eq!(keys.answer("y"), Fate::Free, "typed before there was a question");
        keys.new_line();
        keys.pressed(true);
        pending.is_readable();
        assert_eq!(keys.answer("y"), Fate::Free, "begun before it could be read");
        keys.new_line();
        keys.pressed(true);
        assert_eq!(keys.answer("y"), Fate::Answered);
        assert_eq!(answer.try_recv().unwrap(), "y");
        keys.new_line();
        keys.pressed(true);
        assert_eq!(keys.answer("y"), Fate::Free, "it is answered");
    }

    #[test]
    fn a_line_that_was_begun_under_one_question_does_not_answer_the_next() {
        let keys = Keys::default();
        let (first, _) = keys.ask();
        first.is_readable();
        keys.new_line();
        keys.pressed(true);
        drop(first);
        let (second, mut answer) = keys.ask();
        second.is_readable();
        assert_eq!(keys.answer("y"), Fate::TooLate);
        assert!(answer.try_recv().is_err());
        // The line was emptied, and begins anew.
        keys.pressed(true);
        assert_eq!(keys.answer("n"), Fate::Answered);
    }

    #[test]
    fn keys_are_thrown_away_where_a_question_came_before_the_line() {
        let keys = Keys::default();
        keys.new_line();
        assert_eq!(keys.shown(), Some(false), "nobody asked");
        let (pending, _answer) = keys.ask();
        assert_eq!(keys.shown(), None, "the line stood there before");
        keys.new_line();
        assert_eq!(keys.shown(), Some(true));
        keys.new_line();
        assert_eq!(keys.shown(), Some(false), "once: what is pressed now is younger");
        drop(pending);
        let (pending, _answer) = keys.ask();
        pending.is_readable();
        keys.pressed(false);
        keys.new_line();
        assert_eq!(keys.shown(), Some(false), "a key was read since");
    }
}
