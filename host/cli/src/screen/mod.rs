//! What is written for people: how wide, in which colours, in which words.

mod busy;
mod figures;
mod floor;
mod text;

use std::io;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

pub(crate) use busy::{Busy, StatusLine, going_on};
pub(crate) use figures::{bytes, count, number, time};
pub(crate) use floor::Floor;
pub(crate) use text::{cut, line, width, wrap};

/// How wide a line is where there is no terminal to ask.
const PIPED_WIDTH: usize = 80;

/// The narrowest that lines are made for; a terminal that says less is not believed.
const LEAST_WIDTH: usize = 40;

/// One of the two outputs, as far as it matters for how to write to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// How many columns a line has.
    pub(crate) width: usize,
    /// Whether a person looks at it now, and a line can be rewritten.
    pub(crate) is_live: bool,
    colours: bool,
}

impl Screen {
    /// Standard output.
    pub(crate) fn stdout() -> Screen {
        Screen::of(&io::stdout(), terminal_size::terminal_size_of(io::stdout()))
    }

    /// Standard error.
    pub(crate) fn stderr() -> Screen {
        Screen::of(&io::stderr(), terminal_size::terminal_size_of(io::stderr()))
    }

    /// A screen that nobody looks at.
    #[cfg(test)]
    pub(crate) fn plain(width: usize) -> Screen {
        Screen { width, is_live: false, colours: false }
    }

    fn of<S: anstream::stream::RawStream>(
        stream: &S,
        size: Option<(terminal_size::Width, terminal_size::Height)>,
    ) -> Screen {
        let is_terminal = stream.is_terminal();
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        Screen {
            width: size.map_or(PIPED_WIDTH, |(columns, _)| usize::from(columns.0).max(LEAST_WIDTH)),
            is_live: is_terminal && !is_dumb,
            // Knows NO_COLOR, CLICOLOR, CLICOLOR_FORCE and TERM.
            colours: AutoStream::choice(stream) != ColorChoice::Never,
        }
    }

    /// A name, and words about it in a column that begins at `column`; ends in a line break.
    pub(crate) fn entry(self, name: &str, words: &str, column: usize) -> String {
        let wrapped = wrap(words, self.width, column);
        let gap = " ".repeat(column.saturating_sub(width(name)));
        match wrapped.strip_prefix(&" ".repeat(column)) {
            _ if name.is_empty() => format!("{wrapped}\n"),
            Some(words) if !gap.is_empty() => format!("{}{gap}{words}\n", self.faint(name)),
            _ if wrapped.is_empty() => format!("{}\n", self.faint(name)),
            _ => format!("{}\n{wrapped}\n", self.faint(name)),
        }
    }

    /// What stands out, such as a tool's name.
    pub(crate) fn strong(self, text: &str) -> String {
        self.styled(Style::new().bold(), text)
    }

    /// What is there to be found and not to be read first.
    pub(crate) fn faint(self, text: &str) -> String {
        self.styled(Style::new().dimmed(), text)
    }

    /// What went well.
    pub(crate) fn good(self, text: &str) -> String {
        self.styled(AnsiColor::Green.on_default(), text)
    }

    /// What did not.
    pub(crate) fn bad(self, text: &str) -> String {
        self.styled(AnsiColor::Red.on_default().bold(), text)
    }

    /// What to be careful about.
    pub(crate) fn careful(self, text: &str) -> String {
        self.styled(AnsiColor::Yellow.on_default(), text)
    }

    fn styled(self, style: Style, text: &str) -> String {
        if !self.colours {
            return text.to_owned();
        }
        // A style ends with its line, so that what is written next has none of it.
        match text.strip_suffix('\n') {
            Some(text) => format!("{style}{text}{style:#}\n"),
            None => format!("{style}{text}{style:#}"),
        }
    }
}
