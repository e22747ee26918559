//! The regular expression, and the lines that it is found in.

use std::ops::Range;

use grep_matcher::{LineMatchKind, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use workspace::wording;

/// How much memory a compiled pattern may take, in bytes: `(\w{1000}){1000}` is written in a moment.
const MAX_COMPILED: usize = 8 << 20;

/// A regular expression that never matches beyond the end of a line.
pub(crate) struct Pattern(RegexMatcher);

impl Pattern {
    /// Compiles a pattern.
    pub(crate) fn compile(pattern: &str, ignore_case: bool) -> Result<Self, String> {
        if pattern.is_empty() {
            return Err("pattern is empty".to_owned());
        }
        RegexMatcherBuilder::new()
            .case_insensitive(ignore_case)
            .multi_line(true)
            .crlf(true)
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_COMPILED)
            .build(pattern)
            .map(Self)
            .map_err(|error| format!("pattern \"{}\": {error}", wording::name(pattern)))
    }

    /// The next line with a match, from `at` on, which is the start of a line; without its `\n`.
    pub(crate) fn next_line(&self, text: &[u8], mut at: usize) -> Option<Range<usize>> {
        while at < text.len() {
            // An error here can't be: the engine's errors are of its own type without values.
            let (found, sure) = match self.0.find_candidate_line(&text[at..]).ok()?? {
                LineMatchKind::Confirmed(found) => (at + found, true),
                LineMatchKind::Candidate(found) => (at + found, false),
            };
            let start = memchr::memrchr(b'\n', &text[at..found]).map_or(at, |end| at + end + 1);
            let end = memchr::memchr(b'\n', &text[found..]).map_or(text.len(), |end| found + end);
            if start == text.len() {
                return None;
            }
            if sure || self.find(&text[start..end]).is_some() {
                return Some(start..end);
            }
            at = end + 1;
        }
        None
    }

    /// Where in a line the first match is.
    pub(crate) fn find(&self, line: &[u8]) -> Option<Range<usize>> {
        let found = self.0.find(line).ok()??;
        Some(found.start()..found.end())
    }
}
