//! The regular expression, and the lines that it is found in.

use std::ops::Range;

use regex_automata::meta::Regex;
use regex_automata::{Input, MatchKind};
use regex_syntax::ParserBuilder;
use workspace::wording;

use crate::within_line::within_line;

/// How much memory a compiled pattern may take, in bytes: `(\w{1000}){1000}` is written in a moment.
const MAX_COMPILED: usize = 8 << 20;

/// How deep a pattern may nest: the parser's recursion must not end the component's stack.
const MAX_NESTING: u32 = 100;

/// A regular expression that never matches beyond the end of a line.
pub(crate) struct Pattern(Regex);

impl Pattern {
    /// Compiles a pattern.
    pub(crate) fn compile(pattern: &str, ignore_case: bool) -> Result<Self, String> {
        if pattern.is_empty() {
            return Err("pattern is empty".to_owned());
        }
        let refused = |why: &str| format!("pattern \"{}\": {why}", wording::name(pattern));
        let parsed = ParserBuilder::new()
            .case_insensitive(ignore_case)
            .multi_line(true)
            .crlf(true)
            // Files are no UTF-8 for certain, and a pattern may ask for bytes that are not.
            .utf8(false)
            .nest_limit(MAX_NESTING)
            .build()
            .parse(pattern)
            .map_err(|error| refused(&error.to_string()))?;
        let parsed = within_line(parsed).map_err(refused)?;
        let options = Regex::config()
            .match_kind(MatchKind::LeftmostFirst)
            .utf8_empty(false)
            .nfa_size_limit(Some(MAX_COMPILED));
        Regex::builder().configure(options).build_from_hir(&parsed).map(Self).map_err(|error| {
            match error.size_limit() {
                Some(_) => refused("it is too large: its repetitions multiply"),
                None => refused(&error.to_string()),
            }
        })
    }

    /// The next line with a match, from `at` on, which is the start of a line; without its `\n`.
    pub(crate) fn next_line(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        // The end of the earliest match is found without asking where it begins: it lies in the same line.
        let found = self.0.search_half(&Input::new(text).range(at..).earliest(true))?.offset();
        let start = memchr::memrchr(b'\n', &text[at..found]).map_or(at, |end| at + end + 1);
        // After the last `\n` there is no line; a pattern that matches nothing matches there too.
        if start == text.len() {
            return None;
        }
        let end = memchr::memchr(b'\n', &text[found..]).map_or(text.len(), |end| found + end);
        Some(start..end)
    }

    /// Where in a line the first match is.
    pub(crate) fn find(&self, line: &[u8]) -> Option<Range<usize>> {
        self.0.find(line).map(|found| found.range())
    }
}
