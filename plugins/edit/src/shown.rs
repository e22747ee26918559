//! Lines of a file as they are shown to a model.

use std::fmt::Write as _;
use std::ops::Range;

use workspace::wording;

use crate::document::Document;
use crate::write::BYTE_ORDER_MARK;

/// How many lines are shown around each change.
const CONTEXT: usize = 3;

/// How many lines are shown of all changes together: who wants more can read the file.
const MAX_LINES: usize = 60;

/// How much of a line is shown, in characters.
const MAX_LINE: usize = 200;

/// How many characters of a quoted line are shown before the place that matters.
const BEFORE: usize = 60;

/// How many characters of a line are quoted.
const MAX_QUOTED: usize = 160;

/// How many numbers a list has.
const MAX_LISTED: usize = 20;

/// These lines, counted from 0 and in order, with some around them, each with its number in front.
pub(crate) fn lines(document: &Document, places: &[Range<usize>]) -> String {
    let mut windows: Vec<Range<usize>> = Vec::new();
    for place in places {
        let window = place.start.saturating_sub(CONTEXT)..place.end + CONTEXT;
        match windows.last_mut() {
            Some(last) if window.start <= last.end => last.end = last.end.max(window.end),
            _ => windows.push(window),
        }
    }
    let mut shown = String::new();
    let mut left = MAX_LINES;
    let mut lines = document.lines().enumerate();
    let count = document.line_count();
    for (position, window) in windows.iter().enumerate() {
        let window = window.start..window.end.min(count);
        if left == 0 {
            let more = (windows.len() - position) as u64;
            let _ = write!(shown, "\n… {}", wording::counted(more, "more place", "more places"));
            return shown;
        }
        if position > 0 {
            shown.push_str("\n  …");
        }
        for (line, text) in lines.by_ref() {
            if line < window.start {
                continue;
            }
            if line >= window.end {
                break;
            }
            if left == 0 {
                let more = (window.end - line) as u64;
                let _ = write!(shown, "\n… {}", wording::counted(more, "more line", "more lines"));
                break;
            }
            left -= 1;
            let text = text.trim_start_matches(BYTE_ORDER_MARK);
            let _ = match text.char_indices().nth(MAX_LINE) {
                Some((end, _)) => write!(shown, "\n  {}\t{}…", line + 1, &text[..end]),
                None => write!(shown, "\n  {}\t{text}", line + 1),
            };
            if line + 1 == window.end {
                break;
            }
        }
    }
    shown
}

/// Two lines in quotes, with whatever can't be seen in them as escapes, from a little before the place where
/// they differ.
pub(crate) fn quoted(one: &str, other: &str) -> (String, String) {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(BEFORE);
    (quote(one, from), quote(other, from))
}

fn quote(line: &str, from: usize) -> String {
    let mut quoted = String::from(if from > 0 { "…\"" } else { "\"" });
    let mut characters = line.chars().skip(from);
    for c in characters.by_ref().take(MAX_QUOTED) {
        let mut buffer = [0; 4];
        // Spaces of other widths look like a space, and are none.
        if c.is_whitespace() && c != ' ' {
            quoted.extend(c.escape_default());
        } else {
            quoted.push_str(&wording::name(c.encode_utf8(&mut buffer)));
        }
    }
    quoted.push_str(if characters.next().is_some() { "\"…" } else { "\"" });
    quoted
}

/// Line numbers in words, in order: `line 4`, `lines 4, 18 and 40`.
pub(crate) fn numbers(lines: &[usize]) -> String {
    let mut numbers: Vec<_> = lines.iter().take(MAX_LISTED).map(usize::to_string).collect();
    if lines.len() > MAX_LISTED {
        numbers.push(format!("{} more", wording::count((lines.len() - MAX_LISTED) as u64)));
    }
    match numbers.split_last() {
        Some((last, [])) => format!("line {last}"),
        Some((last, others)) => format!("lines {} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// A range of lines in words; both ends belong to it.
pub(crate) fn span(first: usize, last: usize) -> String {
    if last > first { format!("lines {first}-{last}") } else { format!("line {first}") }
}
