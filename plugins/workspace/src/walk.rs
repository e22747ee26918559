use crate::ignored::Rules;
use crate::path::join;
use crate::{Entry, Failure, Kind, Workspace, wording};

/// The most entries of one directory that are looked at. A folder of a million files would fill the
/// component's memory before a line of it is shown.
const MAX_DIRECTORY: usize = 100_000;

/// The most entries that one walk looks at: each is a call into the host, which counts them.
const MAX_WALK: usize = 400_000;

/// An entry that a walk came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its path, relative to the workspace.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// Whether an ignore file excludes it. A directory that is excluded is not entered.
    pub ignored: bool,
}

/// A walk through a directory and those in it: depth first, names in order, links not followed. `.git` is
/// passed over without a word; who names it as the start sees into it, if the host shows it at all.
pub struct Walk<'w> {
    workspace: &'w Workspace,
    levels: Vec<Level>,
    depth: usize,
    looked_at: usize,
    /// A directory that was returned and is entered when the next entry is asked for.
    next: Option<String>,
    gaps: Gaps,
}

/// What a walk did not see.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    /// Directories that can't be listed.
    pub unreadable: Vec<Failure>,
    /// How many names are no UTF-8, and can't be named to the host.
    pub unnamed: u64,
    /// Directories with more entries than are looked at.
    pub cut: Vec<String>,
    /// Whether the walk ended before it had seen everything.
    pub ended_early: bool,
}

impl Gaps {
    /// What there is to say about it, a clause each; nothing where everything was seen.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.unreadable.is_empty() {
            notes.push(format!(
                "not readable: {}",
                wording::some(self.unreadable.iter().map(|gap| gap.path.as_str()), 5)
            ));
        }
        if self.unnamed > 0 {
            notes.push(format!("{} not UTF-8", wording::counted(self.unnamed, "name is", "names are")));
        }
        for directory in &self.cut {
            let most = wording::count(MAX_DIRECTORY as u64);
            notes.push(format!("only {most} entries of {}/ were looked at", wording::directory(directory)));
        }
        if self.ended_early {
            notes.push(format!("ended after {} entries: narrow the path", wording::count(MAX_WALK as u64)));
        }
        notes
    }
}

struct Level {
    directory: String,
    entries: std::vec::IntoIter<Entry>,
    rules: Rules,
}

impl<'w> Walk<'w> {
    /// Begins in the directory `start`, with its entries.
    ///
    /// # Errors
    /// When that directory can't be listed.
    pub fn new(workspace: &'w Workspace, start: &str) -> Result<Self, Failure> {
        let mut walk = Self {
            workspace,
            levels: Vec::new(),
            depth: usize::MAX,
            looked_at: 0,
            next: None,
            gaps: Gaps::default(),
        };
        walk.enter(start, Rules::above(workspace, start))?;
        Ok(walk)
    }

    /// Goes no deeper than so many levels; 1 is the start's own entries.
    #[must_use]
    pub fn depth(mut self, levels: usize) -> Self {
        self.depth = levels;
        self
    }

    /// What was not seen so far.
    pub fn gaps(&self) -> &Gaps {
        &self.gaps
    }

    fn enter(&mut self, directory: &str, above: Rules) -> Result<(), Failure> {
        let listing = self.workspace.list(directory, MAX_DIRECTORY)?;
        let mut entries = listing.entries;
        self.gaps.unnamed += listing.unreadable as u64;
        if listing.cut {
            self.gaps.cut.push(directory.to_owned());
        }
        let rules = above.enter(self.workspace, directory, &entries);
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        self.levels.push(Level { directory: directory.to_owned(), entries: entries.into_iter(), rules });
        Ok(())
    }
}

impl Iterator for Walk<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        if let Some(directory) = self.next.take() {
            let above = self.levels.last().map(|level| level.rules.clone()).unwrap_or_default();
            if let Err(failure) = self.enter(&directory, above) {
                self.gaps.unreadable.push(failure);
            }
        }
        loop {
            let level = self.levels.last_mut()?;
            let Some(entry) = level.entries.next() else {
                self.levels.pop();
                continue;
            };
            if self.looked_at == MAX_WALK {
                self.gaps.ended_early = true;
                return None;
            }
            self.looked_at += 1;
            let is_directory = entry.kind == Kind::Directory;
            if is_directory && entry.name == ".git" {
                continue;
            }
            let path = join(&level.directory, &entry.name);
            let ignored = level.rules.exclude(&path, is_directory);
            if is_directory && !ignored && self.levels.len() < self.depth {
                self.next = Some(path.clone());
            }
            return Some(Found { path, kind: entry.kind, ignored });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    /// The walk, an entry a word: `/` after directories, `!` before what is ignored.
    fn walked(walk: Walk<'_>) -> Vec<String> {
        walk.map(|found| {
            let ignored = if found.ignored { "!" } else { "" };
            let slash = if found.kind == Kind::Directory { "/" } else { "" };
            format!("{ignored}{}{slash}", found.path)
        })
        .collect()
    }

    #[test]
    fn entries_come_in_order_and_git_not_at_all() {
        let scratch = Scratch::with([
            ("b/two", ""),
            ("b/one", ""),
            ("a", ""),
            (".git/config", ""),
            (".github/ci.yml", ""),
        ]);
        let workspace = scratch.whole();
        let walk = Walk::new(&workspace, "").unwrap();
        assert_eq!(walked(walk), [".github/", ".github/ci.yml", "a", "b/", "b/one", "b/two"]);
        assert_eq!(walked(Walk::new(&workspace, "").unwrap().depth(1)), [".github/", "a", "b/"]);
        assert_eq!(walked(Walk::new(&workspace, ".git").unwrap()), [".git/config"]);
    }

    #[test]
    fn ignore_files_hold_for_what_is_below_them_and_the_nearest_decides() {
        let scratch = Scratch::with([
            (".gitignore", "/target/\n*.log\nsecret\n"),
            ("target/debug/x", ""),
            ("a.log", ""),
            ("sub/.gitignore", "!keep.log\n"),
            ("sub/keep.log", ""),
            ("sub/other.log", ""),
            ("sub/target/y", ""),
            ("sub/deep/keep.log", ""),
        ]);
        let workspace = scratch.whole();
        assert_eq!(
            walked(Walk::new(&workspace, "").unwrap()),
            [
                ".gitignore",
                "!a.log",
                "sub/",
                "sub/.gitignore",
                "sub/deep/",
                "sub/deep/keep.log",
                "sub/keep.log",
                "!sub/other.log",
                "sub/target/",
                "sub/target/y",
                "!target/",
            ]
        );
        // The rules above the start hold too, and the start itself is seen into whatever they say of it.
        assert_eq!(walked(Walk::new(&workspace, "sub/deep").unwrap()), ["sub/deep/keep.log"]);
        assert_eq!(walked(Walk::new(&workspace, "target").unwrap()), ["target/debug/", "target/debug/x"]);
    }

    #[test]
    fn an_ignore_file_counts_for_more_than_a_gitignore_file() {
        let scratch = Scratch::with([
            (".ignore", "!wanted.log\nfixtures/\n"),
            (".gitignore", "*.log\n"),
            ("wanted.log", ""),
            ("fixtures/a", ""),
        ]);
        let workspace = scratch.whole();
        let walk = Walk::new(&workspace, "").unwrap();
        assert_eq!(walked(walk), [".gitignore", ".ignore", "!fixtures/", "wanted.log"]);
    }

    #[test]
    fn a_gitignore_that_is_no_text_excludes_nothing() {
        let scratch = Scratch::with([("a", "")]);
        scratch.write(".gitignore", [0xff, 0xfe, b'[', b'\n', b'{', b'\n']);
        let workspace = scratch.whole();
        assert_eq!(walked(Walk::new(&workspace, "").unwrap()), [".gitignore", "a"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let scratch = Scratch::with([("real/file", "")]);
        std::os::unix::fs::symlink("real", scratch.path().join("link")).unwrap();
        std::os::unix::fs::symlink(".", scratch.path().join("loop")).unwrap();
        let workspace = scratch.whole();
        assert_eq!(walked(Walk::new(&workspace, "").unwrap()), ["link", "loop", "real/", "real/file"]);
        assert_eq!(walked(Walk::new(&workspace, "link").unwrap()), ["link/file"]);
    }

    #[test]
    fn where_parts_are_granted_the_walk_finds_the_way_to_them() {
        let scratch = Scratch::with([
            (".gitignore", "*.log\n"),
            ("src/main.rs", ""),
            ("src/a.log", ""),
            ("docs/book/intro.md", ""),
            ("docs/draft.md", ""),
            ("secret", ""),
        ]);
        let workspace = scratch.granting(["src", "docs/book"]);
        assert_eq!(
            walked(Walk::new(&workspace, "").unwrap()),
            ["docs/", "docs/book/", "docs/book/intro.md", "src/", "src/a.log", "src/main.rs"]
        );
        assert_eq!(walked(Walk::new(&workspace, "docs").unwrap()), ["docs/book/", "docs/book/intro.md"]);
        assert!(Walk::new(&workspace, "tests").is_err());
    }
}
