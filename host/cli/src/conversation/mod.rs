//! `remit` without a command, on a terminal: a conversation.
//!
//! The editor's thread reads what is typed, and the view's thread writes above it. What lies between is here: one prompt is
//! worked on at a time, and what is typed meanwhile is a command, an answer, or queued for the agent.

mod approver;
mod editor;
mod keys;
mod meter;
mod printer;
mod reports;
mod slash;

use std::process::ExitCode;
use std::sync::Arc;

use remit_agent::{
    ChosenModels, Conversation, Events, Inbox, Models, Outcome, Recorder, RunError, Setup, Status,
};
use remit_model::ModelChoice;
use remit_pack::inert;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::ask;
use crate::command::Prepared;
use crate::command::run::{MAX_PROMPT_BYTES, trace_command};
use crate::command_line::{Place, Work};
use crate::failure::Failure;
use crate::folders;
use crate::interrupt::{CANCELLED, Sign, Signals};
use crate::plugins;
use crate::screen::{Screen, line};
use crate::view::Voice;
use approver::AtPrompt;
use editor::{Editor, Found, Typed};
use keys::Keys;
use meter::Meter;
use printer::Printer;
use slash::Said;

/// Talks until the user has enough.
pub(crate) fn converse(place: &Place, work: Work) -> Result<ExitCode, Failure> {
    let prepared = Prepared::new(place, &work)?;
    let runtime = plugins::runtime()?;
    prepared.announce(true);
    let found = Found::now();
    let ended = runtime.block_on(async {
        let mut signals = Signals::catch()?;
        tokio::select! {
            biased;
            _ = signals.next() => return Ok(ExitCode::from(CANCELLED)),
            checked = prepared.check_tools() => checked?,
        }
        let keys = Arc::new(Keys::default());
        let history = folders::state().map(|folder| folder.join("history"));
        let (editor, printer) = Editor::start(keys.clone(), history)?;
        let screen = Screen::stdout();
        let above = printer.clone();
        let voice = Voice::new(screen, move |text| above.print(text));
        let at_prompt = AtPrompt { keys, printer: printer.clone(), voice: voice.clone(), screen };
        let broker = ask::broker(work.approve, || Some(Arc::new(at_prompt)));
        voice.say(screen.faint("/help shows what can be typed beside prompts; Ctrl-D ends\n"));
        let talk = Talk {
            place,
            prepared,
            pins: work.pins,
            broker,
            printer,
            voice,
            screen,
            meter: Meter::default(),
            begun: None,
            turn: None,
            other_models: None,
            was_interrupted: false,
        };
        talk.go_on(editor, signals).await
    });
    // A component that is being compiled is not waited for.
    runtime.shutdown_background();
    drop(found);
    ended
}

/// A conversation on its way, between the editor, the view and the agents.
struct Talk<'a> {
    place: &'a Place,
    prepared: Prepared,
    /// What is pinned before the first prompt.
    pins: Vec<String>,
    broker: Arc<remit_agent::Broker>,
    printer: Printer,
    voice: Voice,
    screen: Screen,
    meter: Meter,
    /// Since the first prompt: before it, there is nothing to record.
    begun: Option<Begun>,
    turn: Option<Turn>,
    /// What the next prompt is asked, since `/model`.
    other_models: Option<Arc<dyn Models>>,
    /// Whether the last thing that was done was Ctrl-C, with nothing to stop.
    was_interrupted: bool,
}

struct Begun {
    session: String,
    inbox: Arc<Inbox>,
    /// Not here while a prompt is worked on.
    conversation: Option<Conversation>,
}

/// A prompt that is worked on.
struct Turn {
    cancel: CancellationToken,
    work: JoinHandle<Box<(Conversation, Result<Outcome, RunError>)>>,
}

/// What came of a prompt; nothing if its task broke off.
type Ended = Option<Box<(Conversation, Result<Outcome, RunError>)>>;

/// What happened next.
enum Next {
    Typed(Typed),
    Sign(Sign),
    Ended(Ended),
}

/// How it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    GoOn,
    Leave,
}

impl Talk<'_> {
    async fn go_on(mut self, mut editor: Editor, mut signals: Signals) -> Result<ExitCode, Failure> {
        let mut leaving = None;
        // Whether the editor's thread waits for a key.
        let mut is_reading = true;
        loop {
            if leaving.is_some() && self.turn.is_none() {
                break;
            }
            let next = tokio::select! {
                biased;
                sign = signals.next() => Next::Sign(sign),
                ended = ended(&mut self.turn) => Next::Ended(ended),
                typed = editor.next(), if is_reading => Next::Typed(typed),
            };
            match next {
                // What does not stop in time is left.
                Next::Sign(Sign::Stop) if leaving.is_some() => break,
                Next::Sign(Sign::End) if leaving == Some(CANCELLED) => break,
                Next::Sign(Sign::End) => leaving = Some(self.leave(CANCELLED, is_reading)),
                Next::Sign(Sign::Stop) => {
                    if self.interrupt() == Then::Leave {
                        leaving = Some(self.leave(0, is_reading));
                    }
                }
                Next::Ended(ended) => self.finish(ended, leaving.is_some()),
                Next::Typed(typed) => {
                    if self.act(typed) == Then::GoOn && leaving.is_none() {
                        editor.go_on();
                    } else {
                        // No further line is asked for; what is worked on is stopped and recorded.
                        is_reading = false;
                        leaving = leaving.or_else(|| Some(self.leave(0, is_reading)));
                    }
                }
            }
        }
        let reading = if is_reading {
            Some(editor)
        } else {
            // It prints no more; whoever waits for it to print writes by itself from now on.
            editor.end();
            None
        };
        self.part().await;
        drop(reading);
        Ok(ExitCode::from(leaving.unwrap_or_default()))
    }

    /// Stops what is worked on, on the way out.
    fn leave(&self, code: u8, is_reading: bool) -> u8 {
        self.printer.give_up_line(is_reading);
        if let Some(turn) = &self.turn {
            turn.cancel.cancel();
        }
        code
    }

    async fn part(&self) {
        if let Some(begun) = &self.begun {
            let rest = format!("all of it: {}\n", line(&trace_command(self.place, &begun.session)));
            self.voice.say(self.screen.faint(&rest));
        }
        self.voice.caught_up().await;
    }

    fn act(&mut self, typed: Typed) -> Then {
        if typed != Typed::Interrupt {
            self.was_interrupted = false;
        }
        match typed {
            Typed::Line(line) => self.hear(&line),
            Typed::TooLate(line) => {
                self.careful(&format!("nobody asks any more; not sent: {line}"));
                Then::GoOn
            }
            Typed::Interrupt => self.interrupt(),
            Typed::End => Then::Leave,
        }
    }

    /// Ctrl-C stops what is worked on, and says how to leave where nothing is.
    fn interrupt(&mut self) -> Then {
        if let Some(turn) = &self.turn {
            turn.cancel.cancel();
            return Then::GoOn;
        }
        if std::mem::replace(&mut self.was_interrupted, true) {
            return Then::Leave;
        }
        self.careful("nothing to stop; Ctrl-C again, Ctrl-D or /quit ends the conversation");
        Then::GoOn
    }

    fn hear(&mut self, said: &str) -> Then {
        match slash::parse(said) {
            Said::Nothing => {}
            Said::Words(words) if words.len() as u64 > MAX_PROMPT_BYTES => {
                self.careful(&format!("not sent: it is larger than {MAX_PROMPT_BYTES} bytes"));
            }
            Said::Words(words) => self.say(words),
            Said::Quit => return Then::Leave,
            Said::Pin(Some(text)) => self.pin(text),
            Said::Model(Some(choice)) => self.switch(choice),
            Said::Wrong(why) => self.careful(&why),
            asked => self.voice.say(reports::report(self, &asked)),
        }
        Then::GoOn
    }

    /// To whoever works, or as the next prompt.
    fn say(&mut self, words: &str) {
        match (&self.turn, &self.begun) {
            (Some(_), Some(begun)) => {
                if let Err(error) = begun.inbox.queue(words) {
                    self.careful(&format!("not queued: {error}"));
                }
            }
            _ => self.prompt(words),
        }
    }

    fn prompt(&mut self, words: &str) {
        let mut conversation = match self.begin() {
            Ok(Some(conversation)) => conversation,
            // It is being worked on, and the words are queued elsewhere.
            Ok(None) => return,
            Err(failure) => return self.careful(&failure.to_string()),
        };
        if let Some(models) = self.other_models.take() {
            conversation.ask_others(models);
        }
        let cancel = CancellationToken::new();
        let (words, stop) = (words.to_owned(), cancel.clone());
        let work = tokio::spawn(async move {
            let outcome = conversation.prompt(&words, stop).await;
            Box::new((conversation, outcome))
        });
        self.turn = Some(Turn { cancel, work });
    }

    /// The conversation, begun at the first prompt.
    fn begin(&mut self) -> Result<Option<Conversation>, Failure> {
        if let Some(begun) = &mut self.begun {
            return Ok(begun.conversation.take());
        }
        let prepared = &self.prepared;
        let recorder = Recorder::create(&prepared.project.workspace).map_err(Failure::refused)?;
        let session = recorder.id().to_owned();
        let sinks: Vec<Box<dyn remit_agent::EventSink>> =
            vec![Box::new(recorder), Box::new(self.meter.clone()), Box::new(self.voice.clone())];
        let conversation = Conversation::new(Setup {
            role: prepared.role.clone(),
            pins: std::mem::take(&mut self.pins),
            notes: prepared.notes.clone(),
            roles: prepared.project.roles.clone(),
            workspace: prepared.project.workspace.clone(),
            toolboxes: prepared.toolboxes.clone(),
            models: prepared.models.clone(),
            broker: self.broker.clone(),
            events: Arc::new(Events::new(sinks)),
        })
        .map_err(Failure::refused)?;
        let inbox = conversation.inbox();
        self.begun = Some(Begun { session, inbox, conversation: None });
        Ok(Some(conversation))
    }

    /// A prompt has ended. What is queued is the next one, unless the user stopped what it was said about.
    fn finish(&mut self, ended: Ended, is_leaving: bool) {
        let was_stopped = self.turn.take().is_some_and(|turn| turn.cancel.is_cancelled());
        let Some((conversation, outcome)) = ended.map(|ended| *ended) else {
            // A defect of this program. What was said is gone with it, and recorded.
            self.begun = None;
            return self
                .careful("working on the prompt broke off; the next one begins a conversation of its own");
        };
        let Some(begun) = &mut self.begun else { return };
        begun.conversation = Some(conversation);
        let queued = begun.inbox.take_back();
        let status = match outcome {
            Ok(outcome) => {
                self.voice.say(reports::end(&outcome, self.screen));
                outcome.status
            }
            Err(error) => {
                self.careful(&error.to_string());
                Status::Failed
            }
        };
        if was_stopped && status != Status::Cancelled && !is_leaving {
            // It had ended before there was anything to stop.
            self.interrupt();
        }
        if queued.is_empty() {
            return;
        }
        if is_leaving || was_stopped {
            let words = queued.iter().map(|words| line(words)).collect::<Vec<_>>().join("\n");
            return self.careful(&format!("not sent: {words}"));
        }
        let prompt = queued.join("\n\n");
        self.voice.say(self.screen.faint(&format!("sent now: {}\n", line(&prompt))));
        self.prompt(&prompt);
    }

    fn pin(&mut self, text: &str) {
        match &self.begun {
            Some(begun) => begun.inbox.pin(text),
            None => self.pins.push(text.to_owned()),
        }
        self.voice.say(self.screen.faint(&format!("pinned: {}\n", line(text))));
    }

    fn switch(&mut self, choice: &str) {
        let choice = match ModelChoice::parse(choice) {
            Ok(choice) => choice,
            Err(error) => return self.careful(&error.to_string()),
        };
        let opened = ChosenModels::new(&choice, self.prepared.keys.clone());
        match opened {
            Ok(models) => {
                let role = self.prepared.project.roles.get(&self.prepared.role).and_then(|role| role.model());
                let own = role.map(|model| format!("; role {} keeps {model}", self.prepared.role));
                let words =
                    format!("from the next prompt on: {}{}", choice.explain(), own.unwrap_or_default());
                self.voice.say(self.screen.faint(&self.screen.entry("", &inert(&words), 0)));
                self.prepared.choice = choice;
                let models = Arc::new(models.with_prices(self.prepared.models.prices()));
                self.prepared.models = models.clone();
                self.other_models = Some(models);
            }
            Err(error) => self.careful(&error.to_string()),
        }
    }

    fn careful(&self, words: &str) {
        self.voice.say(self.screen.careful(&self.screen.entry("", &inert(&format!("! {words}")), 0)));
    }
}

/// Returns when the prompt that is worked on has ended; never, if there is none. Nothing comes of one whose task broke off.
async fn ended(turn: &mut Option<Turn>) -> Ended {
    match turn {
        Some(turn) => (&mut turn.work).await.ok(),
        None => std::future::pending().await,
    }
}
