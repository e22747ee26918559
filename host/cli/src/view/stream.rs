//! Words as they come, in whole rows: above a line that is typed, nothing can stand that is not finished.

use remit_pack::inert;

use crate::screen::{width, wrap};

/// What has come of a text and has not been shown.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// The row that is not full yet.
    row: String,
    /// Whether anything was shown of the text.
    is_begun: bool,
}

impl Stream {
    /// Takes in a part; gives the rows of at most `columns` columns that are complete by it, each with its line break.
    pub(super) fn push(&mut self, part: &str, columns: usize) -> String {
        let mut rows = String::new();
        for (number, part) in inert(part).split('\n').enumerate() {
            if number > 0 {
                self.end_row(&mut rows, columns);
            }
            self.row.push_str(part);
            if width(&self.row) > columns {
                let wrapped = wrap(&self.row, columns, 0);
                let (full, rest) = wrapped.rsplit_once('\n').unwrap_or(("", &wrapped));
                // A word may go on, but the space behind it is gone once it is wrapped.
                let space = if self.row.ends_with(' ') { " " } else { "" };
                let row = format!("{rest}{space}");
                if !full.is_empty() {
                    self.show(full, &mut rows);
                }
                self.row = row;
            }
        }
        rows
    }

    /// The rest of the text, which is over. The next text is another one.
    pub(super) fn end(&mut self, columns: usize) -> String {
        let mut rows = String::new();
        if !self.row.trim().is_empty() {
            self.end_row(&mut rows, columns);
        }
        *self = Stream::default();
        rows
    }

    fn end_row(&mut self, rows: &mut String, columns: usize) {
        let row = std::mem::take(&mut self.row);
        // Empty lines before the first word are nobody's.
        if self.is_begun || !row.trim().is_empty() {
            self.show(&wrap(&row, columns, 0), rows);
        }
    }

    fn show(&mut self, text: &str, rows: &mut String) {
        if !std::mem::replace(&mut self.is_begun, true) {
            // Apart from what happened before.
            rows.push('\n');
        }
        rows.push_str(text);
        rows.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(parts: &[&str]) -> Vec<String> {
        let mut stream = Stream::default();
        let mut shown: Vec<String> = parts.iter().map(|part| stream.push(part, 20)).collect();
        shown.push(stream.end(20));
        shown
    }

    #[test]
    fn a_row_is_shown_once_it_is_full_and_the_rest_at_the_end() {
        let rows = shown(&["one two ", "three four five", " six", "\n\nseven\u{1b}[2J"]);
        assert_eq!(rows, ["", "\none two three four\n", "", "five six\n\n", "seven\\u{1b}[2J\n"]);
    }

    #[test]
    fn however_it_is_cut_it_reads_the_same() {
        let text = "The framework is pytest (pyproject.toml:5).\n\n  - 测试框架 here, and a_very_long_word_that_has_no_space\nend";
        let whole = shown(&[text]).concat();
        for size in 1..12 {
            let chars: Vec<char> = text.chars().collect();
            let parts: Vec<String> = chars.chunks(size).map(|part| part.iter().collect()).collect();
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            assert_eq!(shown(&parts).concat(), whole, "{size}");
        }
    }

    #[test]
    fn a_text_without_words_is_nothing() {
        assert_eq!(shown(&["\n", " \n"]).concat(), "");
    }
}
