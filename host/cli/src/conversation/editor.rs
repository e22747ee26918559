//! The line that is typed. One thread owns the terminal's input, for the conversation and for questions alike.

use std::borrow::Cow;
use std::fs::DirBuilder;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use rustix::termios::{OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Context, Event, EventContext, EventHandler, Helper,
    KeyCode, KeyEvent, Modifiers, RepeatCount,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::keys::{Fate, Keys};
use super::printer::{Place, Printer};
use super::slash;
use crate::failure::Failure;

/// What stands before what is typed.
const PROMPT: &str = "> ";

/// How many lines are remembered.
const MAX_HISTORY: usize = 1000;

/// What a person did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A line, or several that were pasted.
    Line(String),
    /// An answer to a question that is gone.
    TooLate(String),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D on an empty line, or the terminal is gone.
    End,
}

/// Whoever reads the lines.
pub(crate) struct Editor {
    typed: UnboundedReceiver<Typed>,
    go_on: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

/// The terminal as it was found, which it is again when this is dropped, whatever the editor was doing.
pub(crate) struct Found(Option<Termios>);

type Lines = rustyline::Editor<Keyboard, FileHistory>;

impl Editor {
    /// Starts to read lines. `keys` is told of every key; `history` is where the lines are kept.
    pub(crate) fn start(keys: Arc<Keys>, history: Option<PathBuf>) -> Result<(Editor, Printer), Failure> {
        let place = Arc::new(Place::default());
        let keyboard = Keyboard { keys: keys.clone(), place: place.clone(), shown: Arc::default() };
        let mut lines = lines(keyboard).map_err(|error| cannot(&error))?;
        let printer = lines.create_external_printer().map_err(|error| cannot(&error))?;
        let printer = Printer::new(printer, place.clone());
        let history = history.filter(|path| is_kept(path, &mut lines));
        let (sender, typed) = unbounded_channel();
        let (go_on, may_go_on) = mpsc::channel();
        let read = move || read(&mut lines, (&keys, &place), history.as_deref(), &sender, &may_go_on);
        Ok((Editor { typed, go_on, thread: thread::spawn(read) }, printer))
    }

    /// What was done next. Before the next, [`Editor::go_on`] has to be called.
    pub(crate) async fn next(&mut self) -> Typed {
        self.typed.recv().await.unwrap_or(Typed::End)
    }

    /// Shows the prompt again.
    pub(crate) fn go_on(&self) {
        // An editor that has ended shows none.
        let _ = self.go_on.send(());
    }

    /// Ends it, where it waits for [`Editor::go_on`]. One that waits for a key can only be left.
    pub(crate) fn end(self) {
        drop(self.go_on);
        // It has nothing to say that matters.
        let _ = self.thread.join();
    }
}

impl Found {
    pub(crate) fn now() -> Found {
        Found(tcgetattr(io::stdin()).ok())
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        if let Some(termios) = &self.0 {
            // A terminal that is gone needs nothing.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, termios);
            let _ = io::stdout().lock().write_all(BRACKETED_PASTE_OFF);
        }
    }
}

/// What tells a terminal to paste as if it were typed, as before.
const BRACKETED_PASTE_OFF: &[u8] = b"\x1b[?2004l";

fn cannot(error: &ReadlineError) -> Failure {
    Failure::Refused(format!(
        "this terminal can't edit lines ({error})\n  help: ask a single question with `remit run \"…\"`"
    ))
}

fn lines(keyboard: Keyboard) -> rustyline::Result<Lines> {
    let config = Config::builder()
        .max_history_size(MAX_HISTORY)?
        .history_ignore_dups(true)?
        // As in a shell: what begins with a space is nobody's business.
        .history_ignore_space(true)
        .completion_type(CompletionType::List)
        .build();
    let mut lines = Lines::with_config(config)?;
    lines.set_helper(Some(keyboard.clone()));
    lines.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), EventHandler::Simple(Cmd::Newline));
    lines.bind_sequence(Event::Any, EventHandler::Conditional(Box::new(keyboard)));
    Ok(lines)
}

/// Whether lines can be kept in the file `path`; those that are in it are there from now on.
fn is_kept(path: &std::path::Path, lines: &mut Lines) -> bool {
    let folder = path
        .parent()
        .is_some_and(|folder| DirBuilder::new().recursive(true).mode(0o700).create(folder).is_ok());
    match lines.load_history(path) {
        Ok(()) => folder,
        Err(ReadlineError::Io(error)) => folder && error.kind() == ErrorKind::NotFound,
        Err(_) => false,
    }
}

/// Reads lines until nobody wants one any more.
fn read(
    lines: &mut Lines,
    (keys, place): (&Keys, &Place),
    history: Option<&std::path::Path>,
    sender: &UnboundedSender<Typed>,
    may_go_on: &mpsc::Receiver<()>,
) {
    loop {
        keys.new_line();
        let line = lines.readline(PROMPT);
        place.end();
        let typed = match line {
            Ok(line) => match if slash::is_command(&line) { Fate::Free } else { keys.answer(&line) } {
                Fate::Answered => continue,
                Fate::TooLate => Typed::TooLate(line),
                Fate::Free => {
                    let is_new = lines.add_history_entry(line.as_str()).unwrap_or_default();
                    if let Some(path) = history.filter(|_| is_new) {
                        // Whether it could be kept changes nothing here.
                        let _ = lines.append_history(path);
                    }
                    Typed::Line(line)
                }
            },
            Err(ReadlineError::Interrupted) => Typed::Interrupt,
            // Bytes that are no text are no line.
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => continue,
            Err(_) => Typed::End,
        };
        if sender.send(typed).is_err() || may_go_on.recv().is_err() {
            return;
        }
    }
}

/// Watches the keys, and completes commands.
#[derive(Clone)]
struct Keyboard {
    keys: Arc<Keys>,
    place: Arc<Place>,
    /// How many lines were shown.
    shown: Arc<AtomicU64>,
}

impl ConditionalEventHandler for Keyboard {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        self.keys.pressed(context.line().is_empty());
        None
    }
}

impl Hinter for Keyboard {
    type Hint = String;

    /// Gives no hint. It is called whenever the line is shown anew; the first time in raw mode and before a key is read.
    fn hint(&self, _: &str, _: usize, _: &Context<'_>) -> Option<String> {
        let is_stale = self.keys.shown()?;
        if is_stale {
            // If they can't be thrown away, the terminal is gone.
            let _ = tcflush(io::stdin(), QueueSelector::IFlush);
        }
        self.place.begin(self.shown.fetch_add(1, Ordering::Relaxed));
        None
    }
}

impl Completer for Keyboard {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let begun = line.get(..at).unwrap_or_default();
        Ok((0, slash::completions(begun)))
    }
}

impl Highlighter for Keyboard {
    fn highlight_candidate<'c>(&self, candidate: &'c str, _: CompletionType) -> Cow<'c, str> {
        Cow::Borrowed(candidate.trim_end())
    }
}

impl Validator for Keyboard {}

impl Helper for Keyboard {}
