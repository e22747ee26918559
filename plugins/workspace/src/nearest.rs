//! What to say to somebody who named a path that is not there, or may not change it.

use std::collections::VecDeque;

use crate::path::{join, parent};
use crate::{Failure, Kind, Reason, Walk, Workspace, wording};

/// How many entries are looked at for one of the same name: an answer to a mistake has to stay cheap.
const MAX_LOOKED_AT: usize = 20_000;

/// How many paths are proposed.
const MAX_PROPOSED: usize = 3;

/// From which likeness on, 1 being equality, a name is taken for a slip of the pen.
const LIKENESS: f64 = 0.6;

impl Workspace {
    /// A failure in words, with what might have been meant, or what is granted.
    pub fn explain(&self, failure: &Failure) -> String {
        self.explained(failure, Self::of_this_name)
    }

    /// The same, where ignore files are not asked what might have been meant. A component that needs their
    /// rules for nothing else is a fifth of the size.
    pub fn explain_unruled(&self, failure: &Failure) -> String {
        self.explained(failure, Self::of_this_name_unruled)
    }

    fn explained(&self, failure: &Failure, same: fn(&Self, &str) -> Vec<String>) -> String {
        match failure.reason {
            Reason::NotFound => {
                let nearest = self.nearest(&failure.path, same);
                if nearest.is_empty() {
                    failure.to_string()
                } else {
                    format!(
                        "{failure}; nearest: {}",
                        wording::some(nearest.iter().map(String::as_str), MAX_PROPOSED)
                    )
                }
            }
            Reason::NotGranted => format!("{failure}; granted to this call: {}", in_words(self.grants())),
            Reason::ReadOnly => format!("{failure}; writable for this call: {}", in_words(self.writable())),
            _ => failure.to_string(),
        }
    }

    /// What to add to a result for the whole workspace where only parts of it were granted.
    pub fn partly_granted(&self) -> Option<String> {
        (!self.is_whole()).then(|| format!("granted to this call: {}", in_words(self.grants())))
    }

    /// Entries of this name that no ignore file excludes.
    fn of_this_name(&self, name: &str) -> Vec<String> {
        let Ok(walk) = Walk::new(self, "") else { return Vec::new() };
        walk.take(MAX_LOOKED_AT)
            .filter(|found| !found.ignored && found.path.rsplit('/').next() == Some(name))
            .map(|found| spelled(found.path, found.kind))
            .take(MAX_PROPOSED)
            .collect()
    }

    /// Entries of this name, those first that are nearest to the top: what is ignored tends to lie deep.
    fn of_this_name_unruled(&self, name: &str) -> Vec<String> {
        let mut same = Vec::new();
        let mut left = MAX_LOOKED_AT;
        let mut directories = VecDeque::from([String::new()]);
        while let Some(directory) = directories.pop_front()
            && left > 0
        {
            let Ok(listing) = self.list(&directory, left) else { continue };
            left -= listing.entries.len();
            let mut entries = listing.entries;
            entries.sort_unstable();
            for entry in entries {
                let path = join(&directory, &entry.name);
                if entry.name == name {
                    same.push(spelled(path.clone(), entry.kind));
                }
                if entry.kind == Kind::Directory && !entry.name.starts_with('.') {
                    directories.push_back(path);
                }
            }
            if same.len() >= MAX_PROPOSED {
                break;
            }
        }
        same.truncate(MAX_PROPOSED);
        same
    }

    /// Paths of the same name elsewhere, then names that look alike in the nearest directory that is there.
    fn nearest(&self, path: &str, same: fn(&Self, &str) -> Vec<String>) -> Vec<String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut nearest = same(self, name);
        let mut missing = path;
        while let Some(directory) = parent(missing) {
            if let Ok(listing) = self.list(directory, MAX_LOOKED_AT) {
                let wanted = missing.rsplit('/').next().unwrap_or(missing).to_lowercase();
                let mut alike: Vec<_> = listing
                    .entries
                    .into_iter()
                    .map(|entry| {
                        (strsim::normalized_damerau_levenshtein(&wanted, &entry.name.to_lowercase()), entry)
                    })
                    .filter(|(likeness, _)| *likeness >= LIKENESS)
                    .collect();
                alike.sort_unstable_by(|(a, one), (b, other)| {
                    b.total_cmp(a).then_with(|| one.name.cmp(&other.name))
                });
                nearest.extend(
                    alike.into_iter().map(|(_, entry)| spelled(join(directory, &entry.name), entry.kind)),
                );
                break;
            }
            missing = directory;
        }
        let mut seen = Vec::new();
        nearest.retain(|path| {
            let new = !seen.contains(path);
            if new {
                seen.push(path.clone());
            }
            new
        });
        nearest.truncate(MAX_PROPOSED);
        nearest
    }
}

/// Directories in words.
fn in_words<'a>(paths: impl Iterator<Item = &'a str>) -> String {
    let paths: Vec<_> = paths.map(|path| format!("{}/", wording::directory(path))).collect();
    if paths.is_empty() {
        return "no directory".to_owned();
    }
    wording::some(paths.iter().map(String::as_str), 20)
}

fn spelled(path: String, kind: Kind) -> String {
    if kind == Kind::Directory { path + "/" } else { path }
}

#[cfg(test)]
mod tests {
    use crate::scratch::Scratch;

    fn explained(scratch: &Scratch, path: &str) -> String {
        let workspace = scratch.whole();
        let failure = workspace.stat(path).unwrap_err();
        let explained = workspace.explain(&failure);
        assert_eq!(workspace.explain_unruled(&failure), explained);
        explained
    }

    #[test]
    fn a_wrong_directory_and_a_slip_of_the_pen_are_answered_with_the_right_path() {
        let scratch =
            Scratch::with([("host/cli/src/limits.rs", ""), ("host/cli/src/main.rs", ""), ("README.md", "")]);
        for (given, nearest) in [
            ("src/limits.rs", "host/cli/src/limits.rs"),
            ("host/cli/src/limit.rs", "host/cli/src/limits.rs"),
            ("hots/cli/src", "host/cli/src/, host/"),
            ("readme.md", "README.md"),
        ] {
            let expected = format!("no such file or directory: {given}; nearest: {nearest}");
            assert_eq!(explained(&scratch, given), expected);
        }
        assert_eq!(explained(&scratch, "zzz"), "no such file or directory: zzz");
    }

    #[test]
    fn grants_are_named_where_a_path_is_not_among_them() {
        let scratch = Scratch::with([("src/a", ""), ("docs/b", "")]);
        let workspace = scratch.granting(["src", "docs"]);
        let failure = workspace.stat("tests/a").unwrap_err();
        assert_eq!(workspace.explain(&failure), "not granted: tests/a; granted to this call: docs/, src/");
    }
}
