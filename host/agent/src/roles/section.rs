use std::collections::BTreeMap;
use std::fmt;

/// A place in the file: both numbers count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character in the line.
    pub column: u32,
}

impl Position {
    /// Where a file begins.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A value and the place where the file says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// What is said.
    pub value: T,
    /// Where.
    pub at: Position,
}

/// Where a table and its keys stand in the file, so that a refusal can name the line to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks {
    pub(super) header: Position,
    pub(super) keys: BTreeMap<String, Position>,
}

impl Marks {
    /// The line of the table's header.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.header.line
    }

    /// The line of `key`, where the table has it.
    #[must_use]
    pub fn line_of(&self, key: &str) -> Option<u32> {
        self.keys.get(key).map(|at| at.line)
    }

    pub(super) fn at(&self, key: &str) -> Position {
        self.keys.get(key).copied().unwrap_or(self.header)
    }
}

/// The beginnings of a text's lines, to turn an offset into a [`Position`].
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let after_each_newline = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self { text, starts: std::iter::once(0).chain(after_each_newline).collect() }
    }

    /// The place of the byte at `offset`; past the end is the end.
    pub(super) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        // An offset inside of a character, which no parser should give, counts as the character's beginning.
        let before =
            self.text.char_indices().skip_while(|(i, _)| *i < start).take_while(|(i, _)| *i < offset);
        let column = before.filter(|(_, c)| *c != '\u{feff}').count() + 1;
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position { line: small(line), column: small(column) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let lines = Lines::new("\u{feff}a = 1\r\n描述 = \"é\" x\n");
        for (offset, line, column) in [(0, 1, 1), (3, 1, 1), (7, 1, 5), (10, 2, 1), (17, 2, 4), (99, 3, 1)] {
            assert_eq!(lines.position(offset), Position { line, column }, "{offset}");
        }
        assert_eq!(Lines::new("").position(0), Position::START);
    }
}
