use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::path::within;
use crate::wording;

/// A pattern for paths, as in `.gitignore`: without a slash it matches names at any depth, with one it starts
/// at the directory that is searched, or at the workspace. `!` in front turns it around.
pub struct Glob {
    matcher: Gitignore,
    negated: bool,
    start: String,
}

impl Glob {
    /// Reads a pattern that is used below the directory `start`.
    ///
    /// # Errors
    /// When the pattern is empty or no glob.
    pub fn parse(pattern: &str, start: &str) -> Result<Self, String> {
        let invalid = |why: &str| format!("not a glob: {}: {why}", wording::name(pattern));
        let (negated, positive) = match pattern.trim().strip_prefix('!') {
            Some(positive) => (true, positive),
            None => (false, pattern.trim()),
        };
        let mut positive = positive;
        while let Some(rest) = positive.strip_prefix("./") {
            positive = rest;
        }
        // What an ignore file would take for a comment or for a second negation is a name here.
        let literal = if positive.starts_with(['#', '!']) { "\\" } else { "" };
        let mut builder = GitignoreBuilder::new("");
        builder
            .add_line(None, &format!("{literal}{positive}"))
            .map_err(|error| invalid(&error.to_string()))?;
        let matcher = builder.build().map_err(|error| invalid(&error.to_string()))?;
        if matcher.is_empty() {
            return Err(invalid("it matches nothing"));
        }
        Ok(Self { matcher, negated, start: start.to_owned() })
    }

    /// Whether the pattern matches this path itself.
    pub fn matches(&self, path: &str, is_directory: bool) -> bool {
        self.any_spelling(path, |path| self.matcher.matched(path, is_directory).is_ignore())
    }

    /// Whether the pattern matches this file, or a directory that it lies in.
    pub fn covers(&self, path: &str) -> bool {
        self.any_spelling(path, |path| self.matcher.matched_path_or_any_parents(path, false).is_ignore())
    }

    /// Asks about the path as seen from the directory that is searched, and from the workspace: a model
    /// writes `host/cli/src/*.rs` where `src/*.rs` was asked for.
    fn any_spelling(&self, path: &str, matches: impl Fn(&str) -> bool) -> bool {
        let from_start = within(path, &self.start).filter(|inner| !inner.is_empty() && *inner != path);
        (from_start.is_some_and(&matches) || matches(path)) != self.negated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glob(pattern: &str, start: &str) -> Glob {
        Glob::parse(pattern, start).unwrap()
    }

    #[test]
    fn a_pattern_without_a_slash_matches_names_at_any_depth() {
        let toml = glob("*.toml", "");
        assert!(toml.matches("Cargo.toml", false) && toml.matches("a/b/Cargo.toml", false));
        assert!(!toml.matches("a/toml", false));
    }

    #[test]
    fn a_pattern_with_a_slash_starts_where_the_search_does_or_at_the_workspace() {
        let sources = glob("src/*.rs", "host/cli");
        assert!(sources.matches("host/cli/src/main.rs", false));
        assert!(!sources.matches("host/cli/src/live/view.rs", false));
        assert!(!sources.matches("host/agent/src/main.rs", false));
        assert!(glob("host/**/*.rs", "host/cli").matches("host/cli/src/main.rs", false));
        assert!(glob("./src/**", "").matches("src/a/b.rs", false));
    }

    #[test]
    fn a_trailing_slash_means_directories_and_covers_what_is_in_them() {
        let tests = glob("tests/", "");
        assert!(tests.matches("a/tests", true) && !tests.matches("a/tests", false));
        assert!(tests.covers("a/tests/one.rs") && !tests.covers("a/one.rs"));
    }

    #[test]
    fn an_exclamation_mark_turns_a_pattern_around() {
        let others = glob("!*.lock", "");
        assert!(others.covers("a/main.rs") && !others.covers("a/Cargo.lock"));
    }

    #[test]
    fn what_is_no_glob_is_refused_by_its_name() {
        for pattern in ["", "!", "{a"] {
            let error = Glob::parse(pattern, "").err().unwrap();
            assert!(error.starts_with(&format!("not a glob: {pattern}: ")), "{error}");
        }
    }
}
