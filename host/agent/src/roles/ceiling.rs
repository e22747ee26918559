use super::path::WorkspacePath;
use super::reader::{Reader, Section};
use super::section::{Marks, Placed};

/// `[ceiling]`: what any role of the file may ever hold. Without one it is the whole workspace, to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ceiling {
    read: Vec<WorkspacePath>,
    hidden: Vec<String>,
    reveal: Vec<String>,
    marks: Option<Marks>,
}

impl Ceiling {
    pub(super) fn read_from(reader: &mut Reader<'_>, section: Option<&Section<'_>>) -> Self {
        let Some(section) = section else { return Self::default() };
        let values = |placed: Vec<Placed<String>>| placed.into_iter().map(|placed| placed.value).collect();
        let read = if section.has("read") {
            reader.directories(section, "read").into_iter().map(|placed| placed.value).collect()
        } else {
            Self::default().read
        };
        Self {
            read,
            hidden: values(reader.patterns(section, "hidden")),
            reveal: values(reader.patterns(section, "reveal")),
            marks: Some(section.marks.clone()),
        }
    }

    /// The directories that roles may be granted to read, or directories within.
    #[must_use]
    pub fn read(&self) -> &[WorkspacePath] {
        &self.read
    }

    /// Gitignore patterns that are hidden from every role, beside the built-in list.
    #[must_use]
    pub fn hidden(&self) -> &[String] {
        &self.hidden
    }

    /// Gitignore patterns that are taken from the built-in list.
    #[must_use]
    pub fn reveal(&self) -> &[String] {
        &self.reveal
    }

    /// The line of `key`, else of the header; nothing where the file has no `[ceiling]`.
    #[must_use]
    pub fn line_of(&self, key: &str) -> Option<u32> {
        let marks = self.marks.as_ref()?;
        Some(marks.line_of(key).unwrap_or(marks.line()))
    }

    /// What it lets roles read and where it says so, for a message.
    pub(super) fn in_words(&self) -> String {
        let directories = match self.read.as_slice() {
            [] => "empty".to_owned(),
            some => some.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", "),
        };
        self.line_of("read").map_or(directories.clone(), |line| format!("{directories} (line {line})"))
    }
}

impl Default for Ceiling {
    fn default() -> Self {
        Self { read: vec![WorkspacePath::workspace()], hidden: Vec::new(), reveal: Vec::new(), marks: None }
    }
}
