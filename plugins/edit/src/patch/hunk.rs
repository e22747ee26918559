use crate::document::End;

/// What a line of a hunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Context,
    Removed,
    Added,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) kind: Kind,
    /// Its text, without the end.
    pub(super) text: String,
    /// How it ends; not at all where `\ No newline at end of file` follows it.
    pub(super) end: Option<End>,
}

/// A piece of a patch: lines that are in a file, and what becomes of them.
#[derive(Clone, Debug)]
pub(super) struct Hunk {
    /// Where its header is in the patch, counted from 1.
    pub(super) at: usize,
    /// The line of the file that it says it begins with, counted from 1. A hunk that only adds lines names the
    /// line before them. None where it doesn't say.
    pub(super) start: Option<usize>,
    pub(super) lines: Vec<Line>,
    /// Whether it has other numbers of lines than its header says.
    pub(super) miscounted: bool,
}

impl Hunk {
    /// The lines that are in the file before.
    pub(super) fn before(&self) -> Vec<&Line> {
        self.lines.iter().filter(|line| line.kind != Kind::Added).collect()
    }

    /// The lines that are in the file afterwards.
    pub(super) fn after(&self) -> Vec<&Line> {
        self.lines.iter().filter(|line| line.kind != Kind::Removed).collect()
    }

    /// How many lines of one kind there are.
    pub(super) fn count(&self, kind: Kind) -> usize {
        self.lines.iter().filter(|line| line.kind == kind).count()
    }

    /// Whether it says of a line that it has no end. Who says so knows about the file's last line.
    pub(super) fn knows_the_end(&self) -> bool {
        self.lines.iter().any(|line| line.end.is_none())
    }

    /// The lines that are in the file before, counted from 0, if it is as the header says.
    pub(super) fn stated(&self) -> Option<usize> {
        let start = self.start?;
        let only_adds = self.lines.iter().all(|line| line.kind == Kind::Added);
        Some(if only_adds { start } else { start.saturating_sub(1) })
    }
}
