use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::roles::{Digest, PluginFiles, ROLES_FILE, Roles, shown};

/// The files that decide what agents do, each with the digest of what was read.
///
/// It is made of what is used, not of what lies on the disk: the roles' text, the prompts in the roles, the components'
/// bytes. A file that is swapped after it was read changes nothing any more, and one that is swapped before is another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest(BTreeSet<(String, Digest)>);

/// How a file differs from what was trusted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It has other contents.
    Changed(String),
    /// It was not among the trusted files.
    Added(String),
    /// It is not among the files any more.
    Removed(String),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed(path) => write!(f, "{} changed", shown(path)),
            Self::Added(path) => write!(f, "{} is new", shown(path)),
            Self::Removed(path) => write!(f, "{} is gone", shown(path)),
        }
    }
}

impl Manifest {
    /// The manifest of `roles` and of the plugins' files, as [`Roles::read_plugins`] read them.
    #[must_use]
    pub fn of(roles: &Roles, plugins: &PluginFiles) -> Self {
        let mut files = BTreeSet::new();
        files.insert((ROLES_FILE.to_owned(), Digest::of(roles.text().text().as_bytes())));
        for role in roles.all() {
            if let Some(file) = role.prompt_file() {
                files.insert((file.to_string(), Digest::of(role.prompt().as_bytes())));
            }
        }
        for entry in roles.plugins() {
            let Some(file) = plugins.get(entry.name()) else { continue };
            files.insert((entry.path().to_string(), file.sha256));
            files.extend(file.wit.iter().map(|wit| (wit.path.to_string(), wit.sha256)));
        }
        Self(files)
    }

    pub(super) fn from_files(files: impl IntoIterator<Item = (String, Digest)>) -> Self {
        Self(files.into_iter().collect())
    }

    /// The files, by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, Digest)> {
        self.0.iter().map(|(path, digest)| (path.as_str(), *digest))
    }

    /// How this one differs from `trusted`, by path.
    #[must_use]
    pub fn changes_since(&self, trusted: &Self) -> Vec<Change> {
        let by_path = |manifest: &Self| {
            let mut paths: BTreeMap<String, BTreeSet<Digest>> = BTreeMap::new();
            for (path, digest) in &manifest.0 {
                paths.entry(path.clone()).or_default().insert(*digest);
            }
            paths
        };
        let (now, then) = (by_path(self), by_path(trusted));
        let present = now.iter().filter_map(|(path, digests)| match then.get(path) {
            Some(trusted) if trusted == digests => None,
            Some(_) => Some(Change::Changed(path.clone())),
            None => Some(Change::Added(path.clone())),
        });
        let gone =
            then.keys().filter(|path| !now.contains_key(*path)).map(|path| Change::Removed(path.clone()));
        present.chain(gone).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::{BuiltIn, RolesSource};

    #[test]
    fn it_covers_everything_that_the_file_names() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| std::fs::write(dir.path().join(path), text).unwrap();
        std::fs::create_dir_all(dir.path().join("wit/deps")).unwrap();
        let named = [
            (
                "roles.toml",
                "plugins.p = { path = \"p.wasm\", wit = \"wit\" }\n\
                            roles.a = { description = \"A.\", prompt_file = \"a.md\" }\n",
            ),
            ("a.md", "Do."),
            ("p.wasm", "a component"),
            ("wit/p.wit", "package p:p;"),
            ("wit/deps/q.wit", "package q:q;"),
        ];
        named.iter().for_each(|(path, text)| write(path, text));
        let manifest = || {
            let source = RolesSource::choose(dir.path(), None);
            let roles = Roles::load(source, &BuiltIn { roles: "", plugins: &[] }, dir.path()).unwrap();
            Manifest::of(&roles, &roles.read_plugins(dir.path(), 1000).unwrap())
        };
        let trusted = manifest();
        for (path, text) in named {
            write(path, &format!("{text} # changed"));
            assert_eq!(manifest().changes_since(&trusted), [Change::Changed(path.to_owned())]);
            write(path, text);
        }
        write("wit/new.wit", "package r:r;");
        assert_eq!(manifest().changes_since(&trusted), [Change::Added("wit/new.wit".to_owned())]);
        std::fs::remove_file(dir.path().join("wit/new.wit")).unwrap();
        assert_eq!(manifest(), trusted);
    }

    #[test]
    fn what_changed_is_told_by_path() {
        let manifest = |files: &[(&str, &str)]| {
            Manifest::from_files(
                files.iter().map(|(path, text)| ((*path).to_owned(), Digest::of(text.as_bytes()))),
            )
        };
        let trusted = manifest(&[("roles.toml", "1"), ("a.md", "1"), ("b.wasm", "1")]);
        assert_eq!(trusted.changes_since(&trusted), []);
        let now = manifest(&[("roles.toml", "2"), ("a.md", "1"), ("c\u{1b}.md", "1")]);
        let changes: Vec<String> = now.changes_since(&trusted).iter().map(ToString::to_string).collect();
        assert_eq!(changes, ["c\\u{1b}.md is new", "roles.toml changed", "b.wasm is gone"]);
    }
}
