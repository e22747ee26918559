//! Finds the place of each hunk in a file.

use std::ops::Range;

use workspace::wording;

use super::hunk::{Hunk, Kind, Line};
use super::parse::LineEnds;
use crate::document::{Document, End, Splice};
use crate::nearest::Nearest;
use crate::shown;
use crate::write::BYTE_ORDER_MARK;

/// A file's lines, by where they begin.
struct Target<'d> {
    document: &'d Document,
    lines: Vec<&'d str>,
    /// One more than there are lines: the last one is the text's end.
    starts: Vec<usize>,
}

/// The document with the hunks applied, and what there is to say about it.
pub(super) fn fit(
    document: &Document,
    hunks: &[Hunk],
    ends: LineEnds,
) -> Result<(Document, Vec<String>), String> {
    let target = Target::of(document);
    let mut splices: Vec<Splice> = Vec::new();
    let mut notes = Vec::new();
    let (mut drift, mut floor, mut stated_before) = (0, 0, 0);
    for (position, hunk) in hunks.iter().enumerate() {
        let number = position + 1;
        let stated = hunk.stated();
        if stated.is_some_and(|stated| stated < stated_before) {
            floor = 0;
        }
        let expected = stated.map(|stated| stated.saturating_add_signed(drift));
        let at = target
            .find(hunk, expected, floor)
            .map_err(|why| format!("hunk {number} (line {} of the patch) {why}", hunk.at))?;
        if let Some(stated) = stated {
            drift = at as isize - stated as isize;
            stated_before = stated;
            if Some(at) != expected {
                let way = if at > stated { "down" } else { "up" };
                let lines = wording::counted(at.abs_diff(stated) as u64, "line", "lines");
                notes.push(format!("hunk {number} found at line {}, {lines} further {way}", at + 1));
            }
        }
        if hunk.miscounted {
            notes.push(format!("hunk {number} has other numbers of lines than its header says"));
        }
        floor = target.splice(hunk, at, ends, &mut splices).unwrap_or(at);
    }
    if splices.windows(2).any(|pair| pair[0].range.end > pair[1].range.start) {
        return Err("two hunks change the same lines".to_owned());
    }
    Ok((document.splice(&splices).0, notes))
}

impl<'d> Target<'d> {
    fn of(document: &'d Document) -> Self {
        let lines: Vec<_> = document.lines().collect();
        let mut starts = Vec::with_capacity(lines.len() + 1);
        let mut start = 0;
        for line in &lines {
            starts.push(start);
            start += line.len() + 1;
        }
        starts.push(document.text().len());
        Self { document, lines, starts }
    }

    /// Where the hunk's lines are, counted from 0: where they are expected, or else at the only place where
    /// they are, from `floor` on.
    fn find(&self, hunk: &Hunk, expected: Option<usize>, floor: usize) -> Result<usize, String> {
        let old = hunk.before();
        let knows_the_end = hunk.knows_the_end();
        let fits = |at: usize| at >= floor && self.has(&old, at, knows_the_end);
        if let Some(expected) = expected
            && fits(expected)
        {
            return Ok(expected);
        }
        let count = wording::counted(self.lines.len() as u64, "line", "lines");
        if old.is_empty() {
            return Err(match expected {
                Some(_) => format!("adds lines where none are: the file has {count}"),
                None => {
                    "adds lines and says not where: give its header numbers, or lines around it".to_owned()
                }
            });
        }
        let places: Vec<_> = (floor..self.lines.len()).filter(|at| fits(*at)).map(|at| at + 1).collect();
        match places[..] {
            [only] => Ok(only - 1),
            [] => Err(match (0..floor).find(|at| self.has(&old, *at, knows_the_end)) {
                Some(above) => format!(
                    "is at line {}, and the hunk before it goes further: put them in order, and what changes the \
                     same lines into one",
                    above + 1
                ),
                None => self.mismatch(hunk, &old, expected),
            }),
            _ => Err(format!(
                "fits at {}{}: give it the right line, or more lines around it",
                shown::numbers(&places),
                expected.map(|at| format!(", and not at line {}", at + 1)).unwrap_or_default()
            )),
        }
    }

    /// Whether these lines are in the file at line `at`, which is counted from 0.
    fn has(&self, wanted: &[&Line], at: usize, knows_the_end: bool) -> bool {
        let Some(lines) = at.checked_add(wanted.len()).and_then(|end| self.lines.get(at..end)) else {
            return false;
        };
        lines.iter().zip(wanted).zip(at..).all(|((line, wanted), at)| {
            (*line == wanted.text || (at == 0 && line.strip_prefix(BYTE_ORDER_MARK) == Some(&wanted.text)))
                && (!knows_the_end || self.ends(at) == wanted.end.is_some())
        })
    }

    /// Whether the line has an end; only the last one can have none.
    fn ends(&self, at: usize) -> bool {
        at < self.document.ends().len()
    }

    fn mismatch(&self, hunk: &Hunk, old: &[&Line], expected: Option<usize>) -> String {
        let place = expected.map_or("anywhere".to_owned(), |at| format!("at line {} or elsewhere", at + 1));
        let new = hunk.after();
        if hunk.count(Kind::Added) > 0 && (0..self.lines.len()).any(|at| self.has(&new, at, false)) {
            return format!(
                "does not fit {place}, and its new lines are there: it seems to be applied already"
            );
        }
        if (0..self.lines.len()).any(|at| self.has(old, at, false)) {
            return "does not fit: its lines are there, but whether the file ends in a newline is not as it says"
                .to_owned();
        }
        let wanted: Vec<_> = old.iter().map(|line| line.text.as_str()).collect();
        if let Some(nearest) = Nearest::find(self.document.text(), &wanted.join("\n")) {
            return format!("does not fit {place}. Nearest: {}", nearest.describe("patch"));
        }
        // Nothing is like it: the first line that is not as it should be.
        let first = expected.unwrap_or(0);
        let other = wanted.iter().zip(first..).find(|(wanted, at)| self.lines.get(*at) != Some(wanted));
        match other.map(|(wanted, at)| (wanted, at, self.lines.get(at))) {
            Some((wanted, at, Some(found))) => {
                let (found, wanted) = shown::quoted(found, wanted);
                format!("does not fit {place}: line {}\n  file  {found}\n  patch {wanted}", at + 1)
            }
            _ => {
                let count = wording::counted(self.lines.len() as u64, "line", "lines");
                format!("does not fit {place}: the file has {count}")
            }
        }
    }

    /// Adds what the hunk changes when its lines are at `at`. Says the line after the last one that goes.
    fn splice(&self, hunk: &Hunk, at: usize, ends: LineEnds, splices: &mut Vec<Splice>) -> Option<usize> {
        let literal = self.speaks_of_ends(hunk, at, ends);
        let mut next = at;
        let mut changed = None;
        for run in hunk.lines.chunk_by(|a, b| (a.kind == Kind::Context) == (b.kind == Kind::Context)) {
            if run[0].kind == Kind::Context {
                next += run.len();
                continue;
            }
            let first = next;
            next += run.iter().filter(|line| line.kind == Kind::Removed).count();
            changed = Some(next);
            let added: Vec<_> = run.iter().filter(|line| line.kind == Kind::Added).collect();
            let mut text = String::new();
            for line in &added {
                text.push_str(&line.text);
                if line.end.is_some() {
                    text.push('\n');
                }
            }
            let mut range = self.starts[first]..self.starts[next];
            if first == 0
                && self.lines.first().is_some_and(|line| line.starts_with(BYTE_ORDER_MARK))
                && !hunk.lines.iter().any(|line| line.text.starts_with(BYTE_ORDER_MARK))
            {
                range.start = BYTE_ORDER_MARK.len_utf8();
            }
            let mut given = literal.then(|| added.iter().filter_map(|line| line.end).collect::<Vec<_>>());
            if !hunk.knows_the_end() && self.reaches_a_bare_end(&range) {
                keep_bare_end(self.document.text(), &mut range, &mut text);
                given = None;
            }
            // Nearly always the end: who writes hunks in order has them sorted.
            let place = splices.partition_point(|splice| splice.range.start <= range.start);
            splices.insert(place, Splice { range, text, ends: given });
        }
        changed
    }

    /// Whether the range ends where the file does, and the file's last line has no end.
    fn reaches_a_bare_end(&self, range: &Range<usize>) -> bool {
        let text = self.document.text();
        range.end == text.len() && !text.is_empty() && !text.ends_with('\n')
    }

    /// Whether the lines that the hunk adds end as they do in the patch. A patch whose lines end in LF was often
    /// written for a file without a look at its ends.
    fn speaks_of_ends(&self, hunk: &Hunk, at: usize, ends: LineEnds) -> bool {
        if self.lines.is_empty() {
            return true;
        }
        let old = hunk.before();
        if old.is_empty() {
            let crlf = hunk.lines.iter().any(|line| line.end == Some(End::CrLf));
            return crlf && ends == LineEnds::Own;
        }
        old.iter().zip(at..).all(|(line, at)| match (line.end, self.document.ends().get(at)) {
            (Some(patch), Some(file)) => patch == *file,
            _ => true,
        })
    }
}

/// Lets a file end without a newline, as it did, where a patch says nothing about it.
fn keep_bare_end(old: &str, range: &mut Range<usize>, new: &mut String) {
    if new.ends_with('\n') {
        new.pop();
        if range.start == old.len() {
            new.insert(0, '\n');
        }
    } else if range.start > 0 {
        // The last lines go, and with them the end of the line before.
        range.start -= 1;
    }
}
