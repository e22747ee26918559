//! What a search shows: each file's path, its matches and their context.

use std::fmt::Write as _;

use workspace::text::{self, MAX_RESULT};
use workspace::wording;

use crate::pattern::Pattern;

/// How much of a line is shown, in bytes.
const MAX_SHOWN_LINE: usize = 300;

/// How much of a long line is shown before its match.
const BEFORE_MATCH: usize = 80;

/// What is left of a result for its last line, with all that there may be to say.
const LAST_LINE: usize = 2500;

/// Lines that were found, as text, within the limits of one result.
pub(crate) struct Results {
    text: String,
    matches: u64,
    files: u64,
    limit: u64,
    context: u64,
}

/// The part of the results that one file fills.
pub(crate) struct Hits<'r> {
    results: &'r mut Results,
    path: &'r str,
    /// The number of the last line that was shown, 0 before the first.
    last: u64,
    /// How many lines after the last match are still to be shown.
    owed: u64,
}

impl Results {
    pub(crate) fn new(limit: u64, context: u64) -> Self {
        Self { text: String::new(), matches: 0, files: 0, limit, context }
    }

    pub(crate) fn in_file<'r>(&'r mut self, path: &'r str) -> Hits<'r> {
        Hits { results: self, path, last: 0, owed: 0 }
    }

    pub(crate) fn matches(&self) -> u64 {
        self.matches
    }

    pub(crate) fn files(&self) -> u64 {
        self.files
    }

    /// Whether as many matches were found as may be shown.
    pub(crate) fn limit_reached(&self) -> bool {
        self.matches >= self.limit
    }

    /// Whether the text is as long as a result may be.
    pub(crate) fn text_is_full(&self) -> bool {
        self.text.len() >= MAX_RESULT - LAST_LINE
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

impl Hits<'_> {
    /// Whether nothing more has a place: neither a match nor the context of the last one.
    pub(crate) fn full(&self) -> bool {
        self.results.text_is_full() || (self.results.limit_reached() && self.owed == 0)
    }

    /// How many lines of context a match has on each side.
    pub(crate) fn context(&self) -> u64 {
        self.results.context
    }

    pub(crate) fn owes_context(&self) -> bool {
        self.owed > 0 && !self.results.text_is_full()
    }

    pub(crate) fn context_after(&mut self, line: u64, bytes: &[u8]) {
        self.owed -= 1;
        self.show(line, '-', bytes, None);
    }

    /// How many lines of context before the match in `line` were not shown yet.
    pub(crate) fn context_before(&self, line: u64) -> u64 {
        self.results.context.min(line - 1 - self.last)
    }

    pub(crate) fn context_before_match(&mut self, line: u64, bytes: &[u8]) {
        self.show(line, '-', bytes, None);
    }

    pub(crate) fn matched(&mut self, line: u64, bytes: &[u8], pattern: &Pattern) {
        if self.results.limit_reached() {
            // A match in what is shown as context of the last match that counts.
            self.owed = 0;
            return;
        }
        self.results.matches += 1;
        self.owed = self.results.context;
        let bytes = text::without_end(bytes);
        let place =
            if bytes.len() > MAX_SHOWN_LINE { pattern.find(bytes).map(|found| found.start) } else { None };
        self.show(line, ':', bytes, place);
    }

    fn show(&mut self, line: u64, mark: char, bytes: &[u8], place: Option<usize>) {
        let text = &mut self.results.text;
        if self.last == 0 {
            self.results.files += 1;
            text.push_str(&wording::name(self.path));
            text.push('\n');
        } else if self.results.context > 0 && line > self.last + 1 {
            text.push_str("--\n");
        }
        self.last = line;
        let bytes = text::without_end(bytes);
        let start =
            text::character_before(bytes, place.map_or(0, |place| place.saturating_sub(BEFORE_MATCH)));
        let end = text::character_before(bytes, start + MAX_SHOWN_LINE);
        let before = if start > 0 { "…" } else { "" };
        let after = if end < bytes.len() { "…" } else { "" };
        let _ = writeln!(text, "  {line}{mark} {before}{}{after}", text::lossy(&bytes[start..end]));
    }
}
