//! Where in a text that is nearest to it which is not there.

use memchr::memmem;

use crate::document::lines;
use crate::shown;

/// How many lines of a text are looked at: an answer to a mistake has to stay cheap.
const MAX_LINES: usize = 200_000;

/// How many lines of what is wanted are searched.
const MAX_TELLING: usize = 64;

/// A line counts for no more than this many of its bytes.
const MAX_WEIGHT: usize = 40;

/// How much of a line is compared with others, in bytes.
const MAX_COMPARED: usize = 400;

/// From which share of equal pairs of bytes on a line is like another, in hundredths.
const LIKENESS: usize = 55;

/// The place that is nearest to what is wanted.
pub(crate) struct Nearest<'t> {
    /// The first and the last line, counted from 1.
    first: usize,
    last: usize,
    /// Whether nothing but white space differs.
    only_whitespace: bool,
    difference: Option<Difference<'t>>,
}

/// The first line that differs.
struct Difference<'t> {
    line: usize,
    /// None before the text's start and after its end.
    found: Option<&'t str>,
    wanted: &'t str,
}

impl<'t> Nearest<'t> {
    /// Searches.
    pub(crate) fn find(text: &'t str, wanted: &'t str) -> Option<Self> {
        Self::but_for_whitespace(text, wanted).or_else(|| Self::by_lines(text, wanted))
    }

    /// In words, what is wanted being called `label` there.
    pub(crate) fn describe(&self, label: &str) -> String {
        let place = shown::span(self.first, self.last);
        let Some(difference) = &self.difference else {
            return format!("{place}, but for blank lines around it");
        };
        let why = if self.only_whitespace { ", but for white space" } else { "" };
        let line = difference.line;
        let Some(found) = difference.found else {
            let (wanted, _) = shown::quoted(difference.wanted, "");
            return format!("{place}{why}; the file has no line where {label} has {wanted}");
        };
        let (found, wanted) = shown::quoted(found, difference.wanted);
        let width = label.len().max(4);
        format!(
            "{place}{why}; first difference in line {line}:\n  {:width$} {found}\n  {:width$} {wanted}",
            "file", label
        )
    }

    /// Where all is the same but for white space.
    fn but_for_whitespace(text: &'t str, wanted: &'t str) -> Option<Self> {
        let squeezed_wanted = squeezed(wanted);
        if squeezed_wanted.is_empty() {
            return None;
        }
        let start = memmem::find(squeezed(text).as_bytes(), squeezed_wanted.as_bytes())?;
        let end = start + squeezed_wanted.len();
        let (mut line, mut seen, mut first, mut last) = (1, 0, None, 1);
        for c in text.chars() {
            if c == '\n' {
                line += 1;
            }
            if c.is_whitespace() {
                continue;
            }
            if seen >= start {
                first.get_or_insert(line);
            }
            seen += c.len_utf8();
            if seen >= end {
                last = line;
                break;
            }
        }
        let first = first?;
        let blank = lines(wanted).take_while(|line| line.trim().is_empty()).count();
        let wanted: Vec<_> = lines(wanted).skip(blank).collect();
        let found: Vec<_> = lines(text).skip(first - 1).take(wanted.len()).collect();
        let difference = difference(&found, &wanted, 0, first);
        Some(Self { first, last, only_whitespace: true, difference })
    }

    /// Where most lines are the same, or else the line that is most like the first of those wanted.
    fn by_lines(text: &'t str, wanted: &'t str) -> Option<Self> {
        let wanted: Vec<_> = lines(wanted).collect();
        let found: Vec<_> = lines(text).take(MAX_LINES).collect();
        let offset = by_votes(&found, &wanted).or_else(|| by_likeness(&found, &wanted))?;
        let first = usize::try_from(offset).unwrap_or(0);
        let last = usize::try_from(offset + wanted.len() as isize).unwrap_or(0).min(found.len());
        let difference = difference(&found, &wanted, offset, 1);
        Some(Self { first: first + 1, last, only_whitespace: false, difference })
    }
}

/// The first of `wanted` that is not in `found`, where its first line lies at `offset`; `found` begins with the
/// line `number`. The text that is wanted may begin and end within a line.
fn difference<'t>(
    found: &[&'t str],
    wanted: &[&'t str],
    offset: isize,
    number: usize,
) -> Option<Difference<'t>> {
    for (position, wanted_line) in wanted.iter().enumerate() {
        let at = offset + position as isize;
        let found_line = usize::try_from(at).ok().and_then(|at| found.get(at)).copied();
        let same = found_line.is_some_and(|found| match (position == 0, position + 1 == wanted.len()) {
            (true, true) => found.contains(wanted_line),
            (true, false) => found.ends_with(wanted_line),
            (false, true) => found.starts_with(wanted_line),
            (false, false) => found == *wanted_line,
        });
        if !same {
            let line = usize::try_from(number as isize + at).unwrap_or(number);
            return Some(Difference { line, found: found_line, wanted: wanted_line });
        }
    }
    None
}

/// Where the most lines are the same, each counted by its length.
fn by_votes(found: &[&str], wanted: &[&str]) -> Option<isize> {
    // A lone bracket is everywhere.
    let telling: Vec<_> = wanted
        .iter()
        .map(|line| line.trim())
        .enumerate()
        .filter(|(_, line)| line.contains(char::is_alphanumeric))
        .take(MAX_TELLING)
        .collect();
    // By how far down the first of the wanted lines lies; those that would lie before the start come first.
    let mut votes = vec![0_usize; found.len() + wanted.len()];
    for (number, line) in found.iter().map(|line| line.trim()).enumerate() {
        for (position, _) in telling.iter().filter(|(_, wanted)| *wanted == line) {
            votes[number + wanted.len() - position] += line.len().min(MAX_WEIGHT);
        }
    }
    let most = votes.iter().copied().max().filter(|most| *most > 0)?;
    let offset = votes.iter().position(|votes| *votes == most)?;
    Some(offset as isize - wanted.len() as isize)
}

/// Where the line is that is most like the first of `wanted` with anything in it.
fn by_likeness(found: &[&str], wanted: &[&str]) -> Option<isize> {
    let (position, line) =
        wanted.iter().map(|line| line.trim()).enumerate().find(|(_, line)| line.len() > 2)?;
    let pairs: Vec<_> = start(line).windows(2).map(pair).collect();
    let mut best = None;
    let mut most = pairs.len() * LIKENESS / 100;
    let mut present = [false; 4096];
    for (number, candidate) in found.iter().map(|line| line.trim()).enumerate() {
        // A long line has a little of everything.
        if candidate.len() < line.len() / 2 || candidate.len() > 3 * line.len() + 40 {
            continue;
        }
        present.fill(false);
        for window in start(candidate).windows(2) {
            present[pair(window)] = true;
        }
        let same = pairs.iter().filter(|pair| present[**pair]).count();
        if same > most {
            most = same;
            best = Some(number as isize - position as isize);
        }
    }
    best
}

/// As much of a line as is compared.
fn start(line: &str) -> &[u8] {
    &line.as_bytes()[..line.len().min(MAX_COMPARED)]
}

/// A number below 4096 for two bytes.
fn pair(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |pair, byte| (pair << 6) ^ usize::from(*byte)) & 0xfff
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
