//! One file's lines, searched while they are read.

use workspace::{File, Reason, text};

use crate::hits::Hits;
use crate::pattern::Pattern;

/// The longest line that is searched as one, in bytes; what follows is searched as if it began a line.
const MAX_LINE: usize = 1 << 20;

/// How searching a file ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Scanned {
    /// At its end, or where no further hit was wanted.
    Whole,
    /// At so many bytes, as far as was allowed.
    Part,
    /// It is no text.
    Binary,
}

/// A part of a file that is in memory: the last lines that were searched, which may become context, then lines
/// that were not.
struct Window {
    bytes: Vec<u8>,
    /// Where the lines begin that were not searched.
    fresh: usize,
    /// The number of the line at `fresh`.
    line: u64,
}

/// Searches a file, up to `most` bytes of it, and hands what it finds to `hits`.
pub(crate) fn scan(
    file: &File,
    pattern: &Pattern,
    most: u64,
    hits: &mut Hits<'_>,
) -> Result<Scanned, Reason> {
    let mut parts = file.parts();
    let mut window = Window { bytes: Vec::new(), fresh: 0, line: 1 };
    loop {
        let part = parts.next()?;
        let ended = part.is_none() || parts.ended();
        let first = window.bytes.is_empty() && window.line == 1;
        match part {
            Some(part) if first && text::is_binary(&part) => return Ok(Scanned::Binary),
            Some(part) if window.bytes.is_empty() => window.bytes = part,
            Some(part) => window.bytes.extend_from_slice(&part),
            None => {}
        }
        let too_far = parts.offset() >= most && !ended;
        let end = if ended || too_far {
            window.bytes.len()
        } else {
            match memchr::memrchr(b'\n', &window.bytes[window.fresh..]) {
                Some(end) => window.fresh + end + 1,
                None if window.bytes.len() - window.fresh > MAX_LINE => window.bytes.len(),
                None => continue,
            }
        };
        window.search(end, pattern, hits);
        if hits.full() || ended {
            return Ok(Scanned::Whole);
        }
        if too_far {
            return Ok(Scanned::Part);
        }
        window.forget(hits.context());
    }
}

impl Window {
    /// Searches the lines from `fresh` to `end`.
    fn search(&mut self, end: usize, pattern: &Pattern, hits: &mut Hits<'_>) {
        let text = &self.bytes[..end];
        // `at` is where the next line begins that was neither shown nor passed over, `line` is its number.
        let (mut at, mut line) = (self.fresh, self.line);
        while !hits.full() {
            let found = pattern.next_line(text, at);
            let before = found.as_ref().map_or(end, |found| found.start);
            // What is owed to the match before comes first; the lines up to this match are passed over.
            let mut shown = at;
            let mut shown_line = line;
            while shown < before && hits.owes_context() {
                let next = line_end(text, shown);
                hits.context_after(shown_line, &text[shown..next]);
                shown = next;
                shown_line += 1;
            }
            let Some(found) = found else { break };
            line += newlines(&text[at..found.start]);
            let first = first_context_line(text, found.start, hits.context_before(line));
            let mut context_line = line - newlines(&text[first..found.start]);
            let mut context = first;
            while context < found.start {
                let next = line_end(text, context);
                hits.context_before_match(context_line, &text[context..next]);
                context = next;
                context_line += 1;
            }
            hits.matched(line, &text[found.clone()], pattern);
            at = line_end(text, found.start);
            line += u64::from(at > found.end);
        }
        self.line += newlines(&text[self.fresh..]);
        self.fresh = end;
    }

    /// Drops what no further match can need: all but the last `context` lines that were searched.
    fn forget(&mut self, context: u64) {
        let keep = first_context_line(&self.bytes, self.fresh, context);
        self.bytes.drain(..keep);
        self.fresh -= keep;
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Where the line that begins at `start` ends, its `\n` included.
fn line_end(text: &[u8], start: usize) -> usize {
    memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |end| start + end + 1)
}

/// Where the first of the `lines` lines before `start` begins, `start` being the start of a line.
fn first_context_line(text: &[u8], start: usize, lines: u64) -> usize {
    let mut first = start;
    for _ in 0..lines {
        if first == 0 {
            break;
        }
        first = memchr::memrchr(b'\n', &text[..first - 1]).map_or(0, |end| end + 1);
    }
    first
}
