//! `.gitignore` and `.ignore` files, those of the directories above included, as far as they were granted.

use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::path::{join, parent, within};
use crate::{Entry, Workspace};

/// The longest ignore file that is read, in bytes: a file that takes longer to compile than a search takes
/// is no ignore file.
const MAX_IGNORE_FILE: usize = 1 << 20;

/// The rules that hold in a directory. Cheap to clone; a directory without rules of its own shares those above.
#[derive(Clone, Default)]
pub(crate) struct Rules(Option<Rc<Level>>);

struct Level {
    above: Rules,
    directory: String,
    /// In the order of their weight: `.ignore` counts for more than `.gitignore`, of whatever directory.
    files: [Gitignore; 2],
}

const FILES: [&str; 2] = [".ignore", ".gitignore"];

impl Rules {
    /// The rules of all directories above `path`.
    pub(crate) fn above(workspace: &Workspace, path: &str) -> Self {
        let mut directories = Vec::new();
        let mut below = path;
        while let Some(directory) = parent(below) {
            directories.push(directory);
            below = directory;
        }
        let mut rules = Self::default();
        for directory in directories.into_iter().rev() {
            rules = rules.with(directory, FILES.map(|file| read(workspace, directory, file)));
        }
        rules
    }

    /// The rules in `directory`, below these. Only ignore files among its `entries` are opened.
    pub(crate) fn enter(&self, workspace: &Workspace, directory: &str, entries: &[Entry]) -> Self {
        let files = FILES.map(|file| {
            let there = entries.iter().any(|entry| entry.name == file);
            if there { read(workspace, directory, file) } else { Gitignore::empty() }
        });
        self.with(directory, files)
    }

    /// Whether the rules exclude the path of this file or directory. A directory's contents are not asked for
    /// when the directory is excluded.
    pub(crate) fn exclude(&self, path: &str, is_directory: bool) -> bool {
        for file in 0..FILES.len() {
            let mut rules = self;
            while let Some(level) = &rules.0 {
                let inner = within(path, &level.directory).unwrap_or(path);
                match level.files[file].matched(inner, is_directory) {
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                    Match::None => rules = &level.above,
                }
            }
        }
        false
    }

    fn with(&self, directory: &str, files: [Gitignore; 2]) -> Self {
        if files.iter().all(Gitignore::is_empty) {
            return self.clone();
        }
        Self(Some(Rc::new(Level { above: self.clone(), directory: directory.to_owned(), files })))
    }
}

/// An ignore file that can't be read, or a line that is no pattern, excludes nothing.
fn read(workspace: &Workspace, directory: &str, name: &str) -> Gitignore {
    let Ok(file) = workspace.open(&join(directory, name)) else { return Gitignore::empty() };
    let Ok(bytes) = file.read_up_to(MAX_IGNORE_FILE) else { return Gitignore::empty() };
    let mut builder = GitignoreBuilder::new("");
    for line in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines() {
        // The builder has already taken in what was right.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
