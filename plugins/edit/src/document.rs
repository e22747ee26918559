use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr_iter;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Lf,
    CrLf,
}

/// The text of a file. Its lines end in `\n` here, so that a piece of text is found in it whatever its lines
/// end in; how each of them ended is kept beside it.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    text: String,
    /// Of each `\n` in the text.
    ends: Vec<End>,
}

/// A piece of a document and what takes its place.
pub(crate) struct Splice {
    /// The bytes of the document's text that go.
    pub(crate) range: Range<usize>,
    /// What comes.
    pub(crate) text: String,
    /// How the lines of the new text end; where it is not said, as those in whose place they come, or else
    /// as their neighbours.
    pub(crate) ends: Option<Vec<End>>,
}

impl Document {
    /// Takes a text apart.
    pub(crate) fn parse(text: String) -> Self {
        let bytes = text.as_bytes();
        let ends: Vec<_> = memchr_iter(b'\n', bytes)
            .map(|at| if at > 0 && bytes[at - 1] == b'\r' { End::CrLf } else { End::Lf })
            .collect();
        let text = if ends.contains(&End::CrLf) { text.replace("\r\n", "\n") } else { text };
        Self { text, ends }
    }

    /// The text, all lines of which end in `\n`.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// How the lines end, one after the other. A last line without an end has none here.
    pub(crate) fn ends(&self) -> &[End] {
        &self.ends
    }

    /// The lines, without their ends.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        lines(&self.text)
    }

    /// How many lines there are. The last one need not have an end.
    pub(crate) fn line_count(&self) -> usize {
        self.ends.len() + usize::from(!self.text.is_empty() && !self.text.ends_with('\n'))
    }

    /// The text with the ends that its lines have.
    pub(crate) fn written(&self) -> Cow<'_, str> {
        let crlf = self.ends.iter().filter(|end| **end == End::CrLf).count();
        if crlf == 0 {
            return Cow::Borrowed(&self.text);
        }
        let mut text = String::with_capacity(self.text.len() + crlf);
        let mut at = 0;
        for (newline, end) in memchr_iter(b'\n', self.text.as_bytes()).zip(&self.ends) {
            text.push_str(&self.text[at..newline]);
            text.push_str(if *end == End::CrLf { "\r\n" } else { "\n" });
            at = newline + 1;
        }
        text.push_str(&self.text[at..]);
        Cow::Owned(text)
    }

    /// The document with these pieces replaced, which are in order and do not overlap; and the lines, counted
    /// from 0, that each came to be. A piece that only went is an empty range.
    pub(crate) fn splice(&self, splices: &[Splice]) -> (Self, Vec<Range<usize>>) {
        let mut text = String::with_capacity(self.text.len());
        let mut ends = Vec::with_capacity(self.ends.len());
        let mut places = Vec::with_capacity(splices.len());
        let mut at = 0;
        // Which of the old ends comes next.
        let mut next = 0;
        for splice in splices {
            let kept = &self.text[at..splice.range.start];
            let kept_ends = newlines(kept);
            text.push_str(kept);
            ends.extend_from_slice(&self.ends[next..next + kept_ends]);
            next += kept_ends;

            let replaced = &self.ends[next..next + newlines(&self.text[splice.range.clone()])];
            next += replaced.len();
            let first = ends.len();
            match &splice.ends {
                Some(given) => ends.extend_from_slice(given),
                None => {
                    let before = ends.last().copied();
                    let own = self.ends.get(next).copied();
                    let whole_lines =
                        splice.text.ends_with('\n') && (text.is_empty() || text.ends_with('\n'));
                    let around = if whole_lines { before.or(own) } else { own.or(before) };
                    let other = replaced.last().copied().or(around).unwrap_or(End::Lf);
                    let inherited =
                        (0..newlines(&splice.text)).map(|line| replaced.get(line).copied().unwrap_or(other));
                    ends.extend(inherited);
                }
            }
            text.push_str(&splice.text);
            let ended = splice.text.is_empty() || splice.text.ends_with('\n');
            places.push(first..ends.len() + usize::from(!ended));
            at = splice.range.end;
        }
        text.push_str(&self.text[at..]);
        ends.extend_from_slice(&self.ends[next..]);
        (Self { text, ends }, places)
    }
}

/// The lines of a text in which they end in `\n`. What `str::lines` does to a `\r` would be wrong here.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line))
}

/// A text with `\n` in the place of each `\r\n`.
pub(crate) fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// How many lines of a text have an end.
pub(crate) fn newlines(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spliced(text: &str, range: Range<usize>, new: &str) -> String {
        let splice = Splice { range, text: new.to_owned(), ends: None };
        Document::parse(text.to_owned()).splice(&[splice]).0.written().into_owned()
    }

    #[test]
    fn a_document_is_written_as_it_was_read() {
        for text in ["", "a", "a\n", "a\r\nb\nc\r\r\nd\r", "\r\n", "\n\r\n", "\u{feff}a\r\n"] {
            assert_eq!(Document::parse(text.to_owned()).written(), text);
        }
    }

    #[test]
    fn new_lines_end_as_those_that_they_replace_or_as_their_neighbours() {
        // In the place of lines that end differently.
        assert_eq!(spliced("a\r\nb\nc\r\n", 0..4, "x\ny\nz\n"), "x\r\ny\nz\nc\r\n");
        // Within a line, at a line's start, and in a file without an end.
        assert_eq!(spliced("a\nbc\r\n", 3..3, "\n"), "a\nb\r\nc\r\n");
        assert_eq!(spliced("a\r\nb\n", 2..2, "x\n"), "a\r\nx\r\nb\n");
        assert_eq!(spliced("a\r\nb", 3..3, "\nc"), "a\r\nb\r\nc");
        assert_eq!(spliced("a\r\n", 0..0, "x\n"), "x\r\na\r\n");
        assert_eq!(spliced("", 0..0, "x\n"), "x\n");
    }

    #[test]
    fn the_new_lines_are_said() {
        let document = Document::parse("a\nb\nc\nd".to_owned());
        let splice = |range, text: &str| Splice { range, text: text.to_owned(), ends: None };
        let (new, places) = document.splice(&[
            splice(0..2, ""),
            splice(2..3, "B"),
            splice(4..6, "x\ny\n"),
            splice(6..7, "D"),
        ]);
        assert_eq!(new.text(), "B\nx\ny\nD");
        assert_eq!(places, [0..0, 0..1, 1..3, 3..4]);
        assert_eq!(new.line_count(), 4);
    }
}
