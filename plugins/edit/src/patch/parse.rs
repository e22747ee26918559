//! Takes a patch apart.

use workspace::wording;

use super::header::{Header, Section};
use super::hunk::{Hunk, Kind, Line};
use crate::document::End;
use crate::shown;

/// Whether a patch has something to say about line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// All of its lines end in CRLF, those that belong to no file too: it went through a program that made
    /// them so.
    Foreign,
    /// What a line of it ends in, the line of the file ends in.
    Own,
}

/// A patch.
#[derive(Debug)]
pub(super) struct Patch {
    pub(super) sections: Vec<Section>,
    pub(super) ends: LineEnds,
}

/// The lines of a patch.
struct Lines<'p>(Vec<&'p str>);

/// The ranges of a hunk's header: where it begins, and how many lines it has before and afterwards.
struct Ranges {
    start: usize,
    old: usize,
    new: usize,
}

impl Patch {
    /// Reads a patch.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let lines = Lines(text.split_terminator('\n').collect());
        let foreign = !lines.0.is_empty() && lines.0.iter().all(|line| line.ends_with('\r'));
        let ends = if foreign { LineEnds::Foreign } else { LineEnds::Own };
        let mut sections = Vec::new();
        let mut header: Option<Header> = None;
        let mut end = |header: Option<Header>| -> Result<(), String> {
            if let Some(header) = header {
                sections.extend(header.finish()?);
            }
            Ok(())
        };
        let mut at = 0;
        while let Some(line) = lines.bare(at) {
            let number = at + 1;
            if let Some(rest) = line.strip_prefix("diff --git ") {
                end(header.replace(Header::git(rest)))?;
            } else if let Some((old, new)) = lines.names(at) {
                if header.as_ref().is_none_or(Header::has_names) {
                    end(header.replace(Header::default()))?;
                }
                header.get_or_insert_default().names(old, new);
                at += 1;
            } else if line.starts_with("@@") {
                let Some(header) = header.as_mut().filter(|header| header.has_a_file()) else {
                    return Err(format!(
                        "line {number} of the patch: a hunk of no file: lines `--- a/path` and `+++ b/path` come \
                         before it"
                    ));
                };
                let (hunk, next) = lines.hunk(at, line)?;
                header.push(hunk);
                at = next;
                continue;
            } else if let Some(header) = &mut header {
                header
                    .extended(line)
                    .map_err(|why| format!("line {number} of the patch: {why}: {}", wording::name(line)))?;
            }
            at += 1;
        }
        end(header)?;
        if sections.is_empty() {
            let envelope = if text.contains("*** Begin Patch") { ", which is another format" } else { "" };
            return Err(format!(
                "this is no unified diff{envelope}: for each file it has `--- a/path` and `+++ b/path`, then hunks, \
                 `@@ -1,3 +1,4 @@` and lines that begin with a space, `-` or `+`"
            ));
        }
        Ok(Self { sections, ends })
    }
}

impl<'p> Lines<'p> {
    /// A line without its end.
    fn bare(&self, at: usize) -> Option<&'p str> {
        self.0.get(at).map(|line| line.strip_suffix('\r').unwrap_or(line))
    }

    /// The names in this line and the next one, if these are `---` and `+++`.
    fn names(&self, at: usize) -> Option<(&'p str, &'p str)> {
        let old = self.bare(at)?.strip_prefix("--- ")?;
        Some((old, self.bare(at + 1)?.strip_prefix("+++ ")?))
    }

    /// The hunk whose header is at this line, and the line after its last one.
    fn hunk(&self, at: usize, header: &str) -> Result<(Hunk, usize), String> {
        let ranges = ranges(header).map_err(|()| {
            format!(
                "line {} of the patch: not a hunk's header: {}; it is as `@@ -12,5 +12,6 @@`",
                at + 1,
                wording::name(header)
            )
        })?;
        let counted = ranges.as_ref().and_then(|ranges| self.counted(at + 1, ranges));
        let miscounted = counted.is_none() && ranges.is_some();
        let (lines, next) = match counted {
            Some(counted) => counted,
            None => self.uncounted(at + 1)?,
        };
        if lines.is_empty() {
            return Err(format!("line {} of the patch: a hunk without lines", at + 1));
        }
        let start = ranges.map(|ranges| ranges.start);
        Ok((Hunk { at: at + 1, start, lines, miscounted }, next))
    }

    /// As many lines as the header says, if what follows them can be no line of the hunk.
    fn counted(&self, mut at: usize, ranges: &Ranges) -> Option<(Vec<Line>, usize)> {
        let (mut old, mut new) = (ranges.old, ranges.new);
        let mut lines = Vec::new();
        while old > 0 || new > 0 {
            if self.ends_the_last(at, &mut lines) {
                at += 1;
                continue;
            }
            let line = line_of_hunk(self.0.get(at)?)?;
            if line.kind != Kind::Added {
                old = old.checked_sub(1)?;
            }
            if line.kind != Kind::Removed {
                new = new.checked_sub(1)?;
            }
            lines.push(line);
            at += 1;
        }
        if self.ends_the_last(at, &mut lines) {
            at += 1;
        }
        let follows = self.bare(at).unwrap_or_default();
        let more = follows.starts_with([' ', '+', '-']) && self.names(at).is_none() && follows != "-- ";
        (!more).then_some((lines, at))
    }

    /// All lines up to what can be none of the hunk.
    fn uncounted(&self, mut at: usize) -> Result<(Vec<Line>, usize), String> {
        let mut lines = Vec::new();
        // Empty lines at the end are none of the hunk: an empty line of a file begins with a space.
        let mut certain = 0;
        while let Some(bare) = self.bare(at) {
            let ended = ["@@", "diff --git ", "Index: ", "```"].iter().any(|end| bare.starts_with(end));
            if ended || self.names(at).is_some() || (bare == "-- " && at + 2 >= self.0.len()) {
                break;
            }
            if !self.ends_the_last(at, &mut lines) {
                let Some(line) = line_of_hunk(self.0[at]) else {
                    return Err(format!(
                        "line {} of the patch: a line of a hunk begins with a space, `-` or `+`: {}",
                        at + 1,
                        shown::quoted(bare, "").0
                    ));
                };
                lines.push(line);
            }
            at += 1;
            if !bare.is_empty() {
                certain = lines.len();
            }
        }
        lines.truncate(certain);
        Ok((lines, at))
    }

    /// Whether this line says that the one before it has no end, which is then taken from it.
    fn ends_the_last(&self, at: usize, lines: &mut [Line]) -> bool {
        if !self.0.get(at).is_some_and(|line| line.starts_with('\\')) {
            return false;
        }
        if let Some(last) = lines.last_mut()
            && last.end.take() == Some(End::CrLf)
            // Where the patch itself is written with CRLF, that was the patch's own.
            && !self.0[at].ends_with('\r')
        {
            last.text.push('\r');
        }
        true
    }
}

fn line_of_hunk(line: &str) -> Option<Line> {
    let (line, end) = match line.strip_suffix('\r') {
        Some(line) => (line, End::CrLf),
        None => (line, End::Lf),
    };
    let kind = match line.as_bytes().first() {
        // The space of an empty line gets lost easily.
        None | Some(b' ') => Kind::Context,
        Some(b'-') => Kind::Removed,
        Some(b'+') => Kind::Added,
        Some(_) => return None,
    };
    Some(Line { kind, text: line.get(1..).unwrap_or_default().to_owned(), end: Some(end) })
}

/// Reads `@@ -12,5 +12,6 @@`, where `,1` may be left out. None for a header that has no numbers at all.
fn ranges(header: &str) -> Result<Option<Ranges>, ()> {
    let rest = header.trim_start_matches('@').trim_start();
    let Some(rest) = rest.strip_prefix('-') else {
        return if rest.starts_with('+') { Err(()) } else { Ok(None) };
    };
    let mut ranges = rest.split_whitespace();
    let range = |range: &str| -> Result<(usize, usize), ()> {
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        Ok((start.parse().map_err(drop)?, count.parse().map_err(drop)?))
    };
    let (start, old) = range(ranges.next().ok_or(())?)?;
    let (_, new) = range(ranges.next().and_then(|range| range.strip_prefix('+')).ok_or(())?)?;
    Ok(Some(Ranges { start, old, new }))
}
