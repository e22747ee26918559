use std::fmt::Display;

use remit_sandbox::{CommandPattern, HostGrant};

use super::path::WorkspacePath;
use super::problem::Problem;
use super::reader::{Reader, Section};
use super::section::{Marks, Placed, Position};
use super::shown::shown;

/// How many rules of the built-in list a message names.
const MAX_NAMED: usize = 6;

/// `[ceiling]`: what any role of the file may ever hold. Without one it is the whole workspace, to read; nothing may be
/// written, reached or run unless it says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ceiling {
    read: Vec<WorkspacePath>,
    write: Vec<WorkspacePath>,
    hosts: Vec<HostGrant>,
    commands: Vec<CommandPattern>,
    hidden: Vec<String>,
    reveal: Vec<String>,
    marks: Option<Marks>,
}

impl Ceiling {
    pub(super) fn read_from(reader: &mut Reader<'_>, section: Option<&Section<'_>>) -> Self {
        let Some(section) = section else { return Self::default() };
        let values = |placed: Vec<Placed<String>>| placed.into_iter().map(|placed| placed.value).collect();
        let directories =
            |placed: Vec<Placed<WorkspacePath>>| placed.into_iter().map(|placed| placed.value).collect();
        let read = reader.directories(section, "read");
        let write: Vec<WorkspacePath> = directories(reader.directories(section, "write"));
        check_contradiction(reader, section, &read, &write);
        Self {
            read: if section.has("read") { directories(read) } else { Self::default().read },
            write,
            hosts: reader.hosts(section, "hosts").into_iter().map(|placed| placed.value).collect(),
            commands: reader.commands(section, "commands").into_iter().map(|placed| placed.value).collect(),
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

    /// The directories that roles may be granted to write, or directories within. What may be written may be read too.
    #[must_use]
    pub fn write(&self) -> &[WorkspacePath] {
        &self.write
    }

    /// Whether a role may be granted `path` by its `read`, or by its `write`.
    pub(super) fn holds(&self, key: &str, path: &WorkspacePath) -> bool {
        let within = |directories: &[WorkspacePath]| directories.iter().any(|outer| path.is_within(outer));
        within(&self.write) || key == "read" && within(&self.read)
    }

    /// The hosts that roles may be granted, or parts of them.
    #[must_use]
    pub fn hosts(&self) -> &[HostGrant] {
        &self.hosts
    }

    /// The commands that roles may be granted, or narrower patterns.
    #[must_use]
    pub fn commands(&self) -> &[CommandPattern] {
        &self.commands
    }

    /// Whether a role may be granted the host.
    pub(super) fn holds_host(&self, host: &HostGrant) -> bool {
        self.hosts.iter().any(|outer| outer.covers(host))
    }

    /// Whether a role may be granted the pattern. What can't be proved to lie within is over the ceiling.
    pub(super) fn holds_command(&self, pattern: &CommandPattern) -> bool {
        self.commands.iter().any(|outer| outer.covers(pattern))
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

    /// What of the built-in list `reveal` makes visible, in words; nothing where it only names single files.
    #[must_use]
    pub fn revealed_in_words(&self) -> Option<String> {
        // Patterns that are none are no ceiling's: they were reported.
        let revealed = remit_sandbox::revealed(&self.hidden, &self.reveal).unwrap_or_default();
        let named: Vec<String> = revealed.iter().take(MAX_NAMED).map(|rule| format!("`{rule}`")).collect();
        let more = revealed.len() - named.len();
        match named.join(", ") {
            none if none.is_empty() => None,
            all if more == 0 => Some(all),
            some => Some(format!("{some} and {more} more")),
        }
    }

    /// Where `key` stands; nothing where the file has no `[ceiling]`.
    pub(super) fn at(&self, key: &str) -> Option<Position> {
        Some(self.marks.as_ref()?.at(key))
    }

    /// The line of `key`, else of the header; nothing where the file has no `[ceiling]`.
    #[must_use]
    pub fn line_of(&self, key: &str) -> Option<u32> {
        let marks = self.marks.as_ref()?;
        Some(marks.line_of(key).unwrap_or(marks.line()))
    }

    /// What its `key` lets roles have, and where it says so, for a message.
    pub(super) fn in_words(&self, key: &str) -> String {
        let held = match key {
            "write" => quoted(&self.write),
            "hosts" => quoted(&self.hosts),
            "commands" => quoted(&self.commands),
            _ => quoted(&self.read),
        };
        self.line_of(key).map_or(held.clone(), |line| format!("{held} (line {line})"))
    }
}

impl Default for Ceiling {
    fn default() -> Self {
        Self {
            read: vec![WorkspacePath::workspace()],
            write: Vec::new(),
            hosts: Vec::new(),
            commands: Vec::new(),
            hidden: Vec::new(),
            reveal: Vec::new(),
            marks: None,
        }
    }
}

fn quoted(items: &[impl Display]) -> String {
    match items {
        [] => "empty".to_owned(),
        some => {
            some.iter().map(|item| format!("`{}`", shown(&item.to_string()))).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Reports each directory of `read` that lies inside of one of `write`: the file says of one place that it may be written
/// and that it may not.
pub(super) fn check_contradiction(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    read: &[Placed<WorkspacePath>],
    write: &[WorkspacePath],
) {
    for path in read {
        let around = write.iter().find(|around| path.value != **around && path.value.is_within(around));
        // One that is writable itself is only said twice.
        if let Some(around) = around.filter(|_| !write.contains(&path.value)) {
            let problem =
                Problem::ReadOnlyInside { read: shown(path.value.as_str()), write: shown(around.as_str()) };
            reader.report(path.at, section.key("read"), problem);
        }
    }
}
