//! Which paths no role sees.

use std::borrow::Cow;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};
use thiserror::Error;

/// What is hidden everywhere, unless the ceiling's `reveal` names it: credentials, the history that may hold them,
/// and what the host itself writes. Gitignore patterns, matched without regard to case; a backup of a hidden file
/// (`server.key.bak`, `.env~`) is hidden as the file is.
pub const ALWAYS_HIDDEN: &[&str] = &[
    "*.env",
    ".env*",
    ".git",
    ".hg",
    ".svn",
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
    "*.ppk",
    "*.p8",
    "*.agekey",
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
    ".gem/credentials",
    ".config/gcloud",
    ".config/gh",
    ".password-store",
    ".vault-token",
    ".boto",
    ".s3cfg",
    ".my.cnf",
    ".*_history",
    "kubeconfig",
    "*.kubeconfig",
    "credentials.json",
    "application_default_credentials.json",
    "client_secret*.json",
    "service-account*.json",
    "service_account*.json",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "*.tfstate",
    "*.tfstate.backup",
    "*.tfvars",
    "*.tfvars.json",
];

/// What people and programs put behind a name to keep an older copy.
const BACKUP_ENDINGS: &[&str] = &["bak", "backup", "old", "orig", "save", "copy", "tmp"];

/// What an editor puts behind the name of what it is changing, with a dot in front.
const SWAP_ENDINGS: &[&str] = &["swp", "swo", "swn"];

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
        // The first that says anything decides, so that what is revealed by its own name stays so.
        let decide = |path: &str| match matched(path) {
            Match::Ignore(rule) => Some(Some(rule.original().to_owned())),
            Match::Whitelist(_) => Some(None),
            Match::None => None,
        };
        if let Some(decided) = decide(path) {
            return decided;
        }
        let plain = plain(path);
        if let Cow::Owned(plain) = &plain
            && let Some(decided) = decide(plain)
        {
            return decided;
        }
        match original(&plain) {
            Cow::Owned(original) => decide(&original).flatten(),
            Cow::Borrowed(_) => None,
        }
    }
}

/// What of the built-in list a ceiling reveals, by the rules' own words. A rule counts when the simplest name that it is
/// about can be seen.
///
/// # Errors
///
/// When one of the patterns is none.
pub fn revealed(ceiling: &[String], reveal: &[String]) -> Result<Vec<&'static str>, PatternError> {
    let rules = Hidden::new(ceiling, reveal, &[])?;
    let is_seen = |pattern: &str| rules.hides(&pattern.replace('*', ""), false).is_none();
    Ok(ALWAYS_HIDDEN.iter().copied().filter(|pattern| is_seen(pattern)).collect())
}

/// The path as a forgiving file system would take it: some drop trailing dots and spaces of a name, some ignore
/// zero-width characters. A rule must hold for what the file system opens, not for how the name was spelt.
fn plain(path: &str) -> Cow<'_, str> {
    let odd = |name: &str| name.ends_with(['.', ' ']) || name.chars().any(invisible);
    each_name(path, odd, |name| {
        let seen: String = name.chars().filter(|c| !invisible(*c)).collect();
        seen.trim_end_matches(['.', ' ']).to_owned()
    })
}

/// The path of what this is a backup of.
fn original(path: &str) -> Cow<'_, str> {
    each_name(
        path,
        |name| shorter(name).is_some(),
        |mut name| {
            while let Some(left) = shorter(name) {
                name = left;
            }
            name.to_owned()
        },
    )
}

/// A name without the mark of a backup, if it has one: `a~`, `a.bak`, `#a#`, `.a.swp`.
fn shorter(name: &str) -> Option<&str> {
    let left = match name.strip_suffix('~') {
        Some(left) => left,
        None if name.starts_with('#') => name.strip_prefix('#')?.strip_suffix('#')?,
        None => {
            let (left, ending) = name.rsplit_once('.')?;
            if SWAP_ENDINGS.iter().any(|swap| swap.eq_ignore_ascii_case(ending)) {
                left.strip_prefix('.').unwrap_or(left)
            } else if BACKUP_ENDINGS.iter().any(|backup| backup.eq_ignore_ascii_case(ending)) {
                left
            } else {
                return None;
            }
        }
    };
    (!left.is_empty()).then_some(left)
}

/// The path with each of its names changed, if there is one among them that `is_odd`.
fn each_name<'a>(
    path: &'a str,
    is_odd: impl Fn(&str) -> bool,
    change: impl Fn(&str) -> String,
) -> Cow<'a, str> {
    if !path.split('/').any(is_odd) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(path.split('/').map(change).collect::<Vec<_>>().join("/"))
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
            "prod.env",
            "server.key.bak",
            "tls/Server.Key.OLD~",
            ".server.key.swp",
            "#id_rsa#",
            ".git~/config",
            ".ssh.bak/config",
            "infra/terraform.tfstate",
            "terraform.tfstate.backup",
            "config/secrets.yml",
            "credentials.json",
            ".bash_history",
        ] {
            assert!(rules.hides(path, false).is_some(), "{path:?} must be hidden");
        }
    }

    #[test]
    fn ordinary_files_are_not() {
        let rules = rules(&[], &[], &[]);
        for path in [
            "",
            "src/main.rs",
            ".gitignore",
            ".github/workflows/ci.yml",
            "environment.md",
            "keys.rs",
            "a..b",
            "main.rs~",
            "~",
            "src/secrets.rs",
            "credentials.rs",
            "history.md",
            "notes.bak",
            "....",
            "env.py",
        ] {
            assert_eq!(rules.hides(path, false), None, "{path:?}");
        }
    }

    #[test]
    fn what_is_revealed_by_its_own_name_is_seen_whatever_it_is_a_backup_of() {
        let rules = rules(&[], &[".env.bak"], &[]);
        assert_eq!(rules.hides(".env.bak", false), None);
        assert!(rules.hides(".env", false).is_some() && rules.hides(".env.old", false).is_some());
    }

    #[test]
    fn what_a_ceiling_reveals_of_the_built_in_list_is_known() {
        let of = |reveal: &[&str]| {
            revealed(&[], &reveal.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).unwrap()
        };
        assert_eq!(of(&[".env.example", "docs/"]), [] as [&str; 0]);
        assert_eq!(of(&[".git"]), [".git"]);
        assert_eq!(of(&["*"]), ALWAYS_HIDDEN);
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
