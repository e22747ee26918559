//! Asks the person at the prompt.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use remit_agent::{Answer, Approver, Question};

use super::keys::Keys;
use super::printer::Printer;
use crate::ask::words;
use crate::screen::Screen;
use crate::view::Voice;

/// The person at the prompt. The broker asks one question at a time.
pub(crate) struct AtPrompt {
    pub(crate) keys: Arc<Keys>,
    pub(crate) printer: Printer,
    /// What was shown before the question.
    pub(crate) voice: Voice,
    pub(crate) screen: Screen,
}

impl Approver for AtPrompt {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.answer_to(question).boxed()
    }
}

impl AtPrompt {
    async fn answer_to(&self, question: &Question) -> Answer {
        self.voice.caught_up().await;
        let (pending, answer) = self.keys.ask();
        let text = words::question(question, self.screen);
        let (effect, choices) = text.rsplit_once('\n').unwrap_or(("", &text));
        // The editor prints between keys, and no more than one text waits for it: once the empty line is handed over, the
        // effect stands there, and every key from before it has been taken for something else.
        if self.print(format!("{effect}\n")).await && self.print("\n".to_owned()).await {
            pending.is_readable();
            self.print(format!("{}\n", choices.trim_end())).await;
        }
        match answer.await {
            Ok(line) => words::answer(&line),
            Err(_) => Answer::No { reason: String::new() },
        }
    }

    /// Printing waits for the editor.
    async fn print(&self, text: String) -> bool {
        let printer = self.printer.clone();
        tokio::task::spawn_blocking(move || printer.print(&text)).await.is_ok()
    }
}
