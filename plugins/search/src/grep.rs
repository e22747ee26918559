use std::fmt::Write as _;

use workspace::{Failure, Glob, Kind, Reason, Walk, Workspace, WorkspacePath, wording};

use crate::hits::Results;
use crate::pattern::Pattern;
use crate::scan::{Scanned, scan};

/// How many matching lines are shown where the caller does not say.
const DEFAULT_LIMIT: u32 = 100;

/// The most matching lines that a caller may ask for.
const MAX_LIMIT: u32 = 1000;

/// The most lines of context on each side.
const MAX_CONTEXT: u32 = 20;

/// How much of each file is searched when many are, in bytes: one huge log must not use up the time of the call.
const MAX_OF_EACH: u64 = 32 << 20;

/// How much of a file is searched that was named itself.
const MAX_OF_NAMED: u64 = 1 << 30;

/// The arguments of `grep` in the plugin's WIT.
#[derive(Debug, Default)]
pub struct Grep {
    /// The regular expression.
    pub pattern: String,
    /// Where to search; everywhere, where there is none.
    pub path: Option<String>,
    /// Which files to search.
    pub glob: Option<String>,
    /// How many lines to show around each match.
    pub context: Option<u32>,
    /// How many matching lines to show.
    pub limit: Option<u32>,
    /// Whether upper and lower case are the same.
    pub ignore_case: Option<bool>,
}

/// A search that is going on.
struct Search<'w> {
    workspace: &'w Workspace,
    pattern: Pattern,
    results: Results,
    searched: u64,
    binary: u64,
    unreadable: u64,
    /// Files that were too long to be searched to their end.
    parts: Vec<String>,
}

impl Grep {
    /// Searches.
    ///
    /// # Errors
    /// What is to be told to the model.
    pub fn run(self, workspace: &Workspace) -> Result<String, String> {
        let path = WorkspacePath::parse(self.path.as_deref())?;
        let path = path.as_str();
        let glob = self.glob.as_deref().map(|glob| Glob::parse(glob, path)).transpose()?;
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let context = self.context.unwrap_or(0).min(MAX_CONTEXT);
        let mut search = Search {
            workspace,
            pattern: Pattern::compile(&self.pattern, self.ignore_case.unwrap_or(false))?,
            results: Results::new(limit.into(), context.into()),
            searched: 0,
            binary: 0,
            unreadable: 0,
            parts: Vec::new(),
        };

        let stat = workspace.stat(path).map_err(|failure| workspace.explain(&failure))?;
        let mut notes = Vec::new();
        if stat.kind == Kind::Directory {
            let mut walk = Walk::new(workspace, path).map_err(|failure| workspace.explain(&failure))?;
            for found in &mut walk {
                if found.kind != Kind::File || found.ignored {
                    continue;
                }
                if glob.as_ref().is_some_and(|glob| !glob.covers(&found.path)) {
                    continue;
                }
                match search.file(&found.path, MAX_OF_EACH) {
                    Ok(()) => {}
                    // It went between the listing and now: then it is not there to be searched.
                    Err(failure) if failure.reason == Reason::NotFound => {}
                    Err(_) => search.unreadable += 1,
                }
                if search.ended() {
                    break;
                }
            }
            notes = walk.gaps().notes();
        } else {
            search.file(path, MAX_OF_NAMED).map_err(|failure| workspace.explain(&failure))?;
        }
        Ok(search.report(&self.pattern, path, stat.kind, limit, notes))
    }
}

impl Search<'_> {
    fn file(&mut self, path: &str, most: u64) -> Result<(), Failure> {
        let file = self.workspace.open(path)?;
        let scanned = scan(&file, &self.pattern, most, &mut self.results.in_file(path))
            .map_err(|reason| Failure { path: path.to_owned(), reason })?;
        match scanned {
            Scanned::Whole => self.searched += 1,
            Scanned::Part => {
                self.searched += 1;
                self.parts.push(path.to_owned());
            }
            Scanned::Binary => self.binary += 1,
        }
        Ok(())
    }

    fn ended(&self) -> bool {
        self.results.limit_reached() || self.results.text_is_full()
    }

    fn report(mut self, pattern: &str, path: &str, kind: Kind, limit: u32, gaps: Vec<String>) -> String {
        let mut notes = Vec::new();
        if self.binary > 0 {
            notes.push(format!("{} skipped", wording::counted(self.binary, "binary file", "binary files")));
        }
        if self.unreadable > 0 {
            notes.push(format!("{} not readable", wording::counted(self.unreadable, "file", "files")));
        }
        if !self.parts.is_empty() {
            let names = wording::some(self.parts.iter().map(String::as_str), 5);
            notes.push(format!("too large, only the start was searched: {names}"));
        }
        notes.extend(gaps);

        let (matches, files) = (self.results.matches(), self.results.files());
        if matches == 0 {
            notes.insert(0, format!("{} searched", wording::counted(self.searched, "file", "files")));
            if path.is_empty() {
                notes.extend(self.workspace.partly_granted());
            }
            let slash = if kind == Kind::Directory { "/" } else { "" };
            let (pattern, path) = (wording::name(pattern), wording::directory(path));
            return format!("no matches for \"{pattern}\" in {path}{slash} ({})", notes.join("; "));
        }
        let found = format!(
            "{} in {}",
            wording::counted(matches, "match", "matches"),
            wording::counted(files, "file", "files")
        );
        let total = if self.results.text_is_full() {
            format!("{found}, then the result was full; narrow the pattern, path or glob")
        } else if self.results.limit_reached() {
            let raise = if limit < MAX_LIMIT { ", or raise limit" } else { "" };
            format!(
                "limit of {} reached; narrow the pattern, path or glob{raise}",
                wording::counted(limit.into(), "match", "matches")
            )
        } else {
            found
        };
        notes.insert(0, total);
        let mut text = std::mem::replace(&mut self.results, Results::new(0, 0)).into_text();
        let _ = write!(text, "({})", notes.join("; "));
        text
    }
}
