//! Which paths no role sees.

use std::borrow::Cow;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};
use thiserror::Error;

/// What is hidden everywhere, unless the ceiling's `reveal` names it: credentials, the history that may hold them,
/// and what the host itself writes. Gitignore patterns, matched without regard to case.
pub const ALWAYS_HIDDEN: &[&str] = &[
    ".env*",
    ".git",
    ".remit",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    ".docker/config.json",
    ".cargo/credentials*",
];

/// A pattern that is not a gitignore pattern.
#[derive(Debug, Error)]
#[error("{pattern:?} is not a gitignore pattern: {reason}")]
pub struct PatternError {
    /// The pattern as it was written.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

/// The rules of one role: the built-in list, the ceiling's own, what the ceiling reveals, and the role's own.
#[derive(Debug)]
pub(crate) struct Hidden {
    rules: Gitignore,
}

impl Hidden {
    /// No rules, for grants that reach no file.
    pub(crate) fn none() -> Self {
        Self { rules: Gitignore::empty() }
    }

    /// Later rules win, as in a `.gitignore`: a role's own rules come last, so that nothing reveals them.
    pub(crate) fn new(ceiling: &[String], reveal: &[String], role: &[String]) -> Result<Self, PatternError> {
        let mut builder = GitignoreBuilder::new("");
        let fail = |pattern: &str, reason: ignore::Error| PatternError {
            pattern: pattern.to_owned(),
            reason: reason.to_string(),
        };
        builder.case_insensitive(true).map_err(|e| fail("", e))?;
        for pattern in ALWAYS_HIDDEN.iter().copied().chain(ceiling.iter().map(String::as_str)) {
            builder.add_line(None, pattern).map_err(|e| fail(pattern, e))?;
        }
        for pattern in reveal {
            builder.add_line(None, &format!("!{pattern}")).map_err(|e| fail(pattern, e))?;
        }
        for pattern in role {
            builder.add_line(None, pattern).map_err(|e| fail(pattern, e))?;
        }
        Ok(Self { rules: builder.build().map_err(|e| fail("", e))? })
    }

    /// The rule that hides `path` itself. Its parents are not looked at.
    pub(crate) fn hides_entry(&self, path: &str, is_dir: bool) -> Option<String> {
        self.first(path, |path| self.rules.matched(path, is_dir))
    }

    /// The rule that hides `path`, relative to the workspace, or a directory above it.
    pub(crate) fn hides(&self, path: &str, is_dir: bool) -> Option<String> {
        if path.is_empty() {
            return None;
        }
        self.first(path, |path| self.rules.matched_path_or_any_parents(path, is_dir))
    }

    fn first<'a>(&'a self, path: &str, matched: impl Fn(&str) -> Match<&'a Glob>) -> Option<String> {
        let hit = |path: &str| match matched(path) {
            Match::Ignore(rule) => Some(rule.original().to_owned()),
            _ => None,
        };
        hit(path).or_else(|| match plain(path) {
            Cow::Owned(plain) => hit(&plain),
            Cow::Borrowed(_) => None,
        })
    }
}

/// The path as a forgiving file system would take it: some drop trailing dots and spaces of a name, some ignore
/// zero-width characters. A rule must hold for what the file system opens, not for how the name was spelt.
fn plain(path: &str) -> Cow<'_, str> {
    let odd = |name: &str| name.ends_with(['.', ' ']) || name.chars().any(invisible);
    if !path.split('/').any(odd) {
        return Cow::Borrowed(path);
    }
    let names = path.split('/').map(|name| {
        let seen: String = name.chars().filter(|c| !invisible(*c)).collect();
        seen.trim_end_matches(['.', ' ']).to_owned()
    });
    Cow::Owned(names.collect::<Vec<_>>().join("/"))
}

fn invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(ceiling: &[&str], reveal: &[&str], role: &[&str]) -> Hidden {
        let owned = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        Hidden::new(&owned(ceiling), &owned(reveal), &owned(role)).unwrap()
    }

    #[test]
    fn secrets_are_hidden_in_every_spelling() {
        let rules = rules(&[], &[], &[]);
        for path in [
            ".env",
            ".ENV",
            ".env.local",
            "a/b/.env",
            ".git/config",
            ".Git/config",
            "sub/.git",
            "id_rsa",
            "k/ID_RSA",
            ".env.",
            ".env ",
            ".git./config",
            ".git /config",
            ".gi\u{200c}t/config",
            "tls/server.pem",
            ".remit/sessions/x",
        ] {
            assert!(rules.hides(path, false).is_some(), "{path:?} must be hidden");
        }
    }

    #[test]
    fn ordinary_files_are_not() {
        let rules = rules(&[], &[], &[]);
        for path in
            ["", "src/main.rs", ".gitignore", ".github/workflows/ci.yml", "environment.md", "keys.rs", "a..b"]
        {
            assert_eq!(rules.hides(path, false), None, "{path:?}");
        }
    }

    #[test]
    fn the_ceiling_reveals_but_never_what_a_role_hides() {
        let rules = rules(&["secrets/"], &[".env.example"], &["*.example"]);
        assert_eq!(rules.hides("secrets/a/b", false).as_deref(), Some("secrets/"));
        assert_eq!(rules.hides(".env.example", false).as_deref(), Some("*.example"));
        let ceiling_only = Hidden::new(&[], &[".env.example".into()], &[]).unwrap();
        assert_eq!(ceiling_only.hides(".env.example", false), None);
        assert_eq!(ceiling_only.hides(".env", false).as_deref(), Some(".env*"));
    }

    #[test]
    fn the_rule_is_named() {
        assert_eq!(rules(&[], &[], &[]).hides("x/.git/config", false).as_deref(), Some(".git"));
    }
}
