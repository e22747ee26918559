//! What to say to somebody who named a path that is not there.

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
        match failure.reason {
            Reason::NotFound => {
                let nearest = self.nearest(&failure.path);
                if nearest.is_empty() {
                    failure.to_string()
                } else {
                    format!(
                        "{failure}; nearest: {}",
                        wording::some(nearest.iter().map(String::as_str), MAX_PROPOSED)
                    )
                }
            }
            Reason::NotGranted => format!("{failure}; granted to this call: {}", self.granted_in_words()),
            _ => failure.to_string(),
        }
    }

    /// What to add to a result for the whole workspace where only parts of it were granted.
    pub fn partly_granted(&self) -> Option<String> {
        (!self.is_whole()).then(|| format!("granted to this call: {}", self.granted_in_words()))
    }

    /// The granted directories, in words.
    fn granted_in_words(&self) -> String {
        let paths: Vec<_> = self.grants().map(|path| format!("{}/", wording::directory(path))).collect();
        if paths.is_empty() {
            return "no directory".to_owned();
        }
        wording::some(paths.iter().map(String::as_str), 20)
    }

    /// Paths of the same name elsewhere, then names that look alike in the nearest directory that is there.
    fn nearest(&self, path: &str) -> Vec<String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut nearest = Vec::new();
        if let Ok(walk) = Walk::new(self, "") {
            let same = walk
                .take(MAX_LOOKED_AT)
                .filter(|found| !found.ignored && found.path.rsplit('/').next() == Some(name))
                .map(|found| spelled(found.path, found.kind));
            nearest.extend(same.take(MAX_PROPOSED));
        }
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
                alike.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.name.cmp(&other.name)));
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

fn spelled(path: String, kind: Kind) -> String {
    if kind == Kind::Directory { path + "/" } else { path }
}

#[cfg(test)]
mod tests {
    use crate::scratch::Scratch;

    fn explained(scratch: &Scratch, path: &str) -> String {
        let workspace = scratch.whole();
        workspace.explain(&workspace.stat(path).unwrap_err())
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
