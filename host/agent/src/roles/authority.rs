use std::path::Path;

use thiserror::Error;

use super::beneath::{EntryProblem, open_directory};
use super::load::Roles;
use super::path::{PathProblem, WorkspacePath};
use super::role::Role;
use super::shown::shown;

/// What one agent may touch: its role's grants, within the ceiling, within what every delegation on the way left.
///
/// What its components import limits it once more, where they are instantiated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    read: Vec<WorkspacePath>,
    write: Vec<WorkspacePath>,
    protected: Vec<WorkspacePath>,
    hidden: Vec<String>,
    reveal: Vec<String>,
    role_hidden: Vec<String>,
}

/// What the `task` calls on the way to an agent left of the workspace. Each can only take away.
///
/// The default, which the root starts with, takes nothing away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowing(Option<Vec<WorkspacePath>>);

/// Why a `task` call may not narrow a role to a path. The model that made the call is told this.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cannot narrow {role} to `{path}`: {problem}{}", problem.help().map(|help| format!("; {help}")).unwrap_or_default())]
pub struct NarrowError {
    /// The role that would have been started.
    pub role: String,
    /// The path as the call has it, safe to show.
    pub path: String,
    /// What is wrong.
    pub problem: NarrowProblem,
}

/// What is wrong with a path of a `task` call.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NarrowProblem {
    /// There is none. No path at all and every path are too far apart to guess which is meant.
    #[error("`paths` is empty")]
    None,
    /// It is no path of the workspace.
    #[error(transparent)]
    Path(#[from] PathProblem),
    /// It is not within what the role could touch here without it.
    #[error("it may read {allowed} here ({place})")]
    Outside {
        /// The directories that it could read, in words.
        allowed: String,
        /// The file and line that grant them, `roles.toml:12`.
        place: String,
    },
    /// It is not there, or is no directory: a component is given directories, never single files.
    #[error(transparent)]
    Entry(#[from] EntryProblem),
}

impl NarrowProblem {
    fn help(&self) -> Option<String> {
        match self {
            Self::None => Some("name directories, or leave it out to narrow nothing".to_owned()),
            Self::Path(problem) => Some(problem.help().to_owned()),
            Self::Outside { .. } => None,
            Self::Entry(problem) => problem.help(),
        }
    }
}

impl Narrowing {
    /// Narrows further, for a child of `role`, to `paths`: directories, each within what that child could read, or write,
    /// without them.
    ///
    /// # Errors
    ///
    /// When a path is none of the workspace, lies outside of what the child could read, is no directory, or is reached
    /// over a symbolic link, which could lead out of the directory that it seems to lie in.
    pub fn narrow(
        &self,
        roles: &Roles,
        role: &Role,
        paths: &[String],
        workspace: &Path,
    ) -> Result<Self, NarrowError> {
        let error =
            |path: &str, problem| NarrowError { role: role.name().to_owned(), path: shown(path), problem };
        if paths.is_empty() {
            return Err(error("", NarrowProblem::None));
        }
        let current = Authority::of(roles, role, self);
        let mut narrowed = Vec::new();
        for text in paths {
            let path = WorkspacePath::parse(text).map_err(|problem| error(text, problem.into()))?;
            // Asked first: whether something exists outside of the grant is nobody's to find out.
            let readable = current.readable();
            if !readable.iter().any(|directory| path.is_within(directory)) {
                let allowed = match in_words(&readable) {
                    words if readable.is_empty() => words,
                    words => format!("{words} and nothing else"),
                };
                let place = roles.place_of(role, "read");
                return Err(error(text, NarrowProblem::Outside { allowed, place }));
            }
            open_directory(workspace, &path).map_err(|problem| error(text, problem.into()))?;
            narrowed.push(path);
        }
        Ok(Self(Some(covering(narrowed))))
    }

    /// The directories that are left; nothing where nothing was taken away.
    #[must_use]
    pub fn paths(&self) -> Option<&[WorkspacePath]> {
        self.0.as_deref()
    }
}

impl Authority {
    /// What an agent of `role` may touch.
    #[must_use]
    pub fn of(roles: &Roles, role: &Role, narrowing: &Narrowing) -> Self {
        let ceiling = roles.ceiling();
        let narrowed = |granted: &[WorkspacePath], ceiling: &[WorkspacePath]| {
            let held = intersection(granted, ceiling);
            narrowing.0.as_ref().map_or(held.clone(), |left| intersection(&held, left))
        };
        // What may be written may be read.
        let readable = [ceiling.read(), ceiling.write()].concat();
        Self {
            read: narrowed(role.read(), &readable),
            write: narrowed(role.write(), ceiling.write()),
            protected: roles.protected().to_vec(),
            hidden: ceiling.hidden().to_vec(),
            reveal: ceiling.reveal().to_vec(),
            role_hidden: role.hidden().to_vec(),
        }
    }

    /// The directories that `read` grants, none inside of another.
    #[must_use]
    pub fn read(&self) -> &[WorkspacePath] {
        &self.read
    }

    /// The directories that `write` grants, none inside of another. They may be read too.
    #[must_use]
    pub fn write(&self) -> &[WorkspacePath] {
        &self.write
    }

    /// Every directory that may be read, none inside of another.
    #[must_use]
    pub fn readable(&self) -> Vec<WorkspacePath> {
        covering([&self.read[..], &self.write].concat())
    }

    /// What no grant lets anybody write: see [`Roles::protected`].
    #[must_use]
    pub fn protected(&self) -> &[WorkspacePath] {
        &self.protected
    }

    /// The patterns that the ceiling adds to the built-in list of hidden ones.
    #[must_use]
    pub fn hidden(&self) -> &[String] {
        &self.hidden
    }

    /// The patterns that the ceiling takes from it.
    #[must_use]
    pub fn reveal(&self) -> &[String] {
        &self.reveal
    }

    /// The patterns that the role hides from itself, whatever is revealed.
    #[must_use]
    pub fn role_hidden(&self) -> &[String] {
        &self.role_hidden
    }

    /// What it may read, for a person or a model: `` `src`, `docs` ``.
    #[must_use]
    pub fn in_words(&self) -> String {
        in_words(&self.readable())
    }

    /// What it may write, for a person or a model; nothing if that is nothing.
    #[must_use]
    pub fn writes_in_words(&self) -> Option<String> {
        (!self.write.is_empty()).then(|| in_words(&self.write))
    }
}

fn in_words(directories: &[WorkspacePath]) -> String {
    match directories {
        [] => "nothing".to_owned(),
        some => some.iter().map(|path| format!("`{}`", shown(path.as_str()))).collect::<Vec<_>>().join(", "),
    }
}

/// The directories that lie within both lists.
fn intersection(one: &[WorkspacePath], other: &[WorkspacePath]) -> Vec<WorkspacePath> {
    let mut both = Vec::new();
    for a in one {
        for b in other {
            if a.is_within(b) {
                both.push(a.clone());
            } else if b.is_within(a) {
                both.push(b.clone());
            }
        }
    }
    covering(both)
}

/// The same directories without those that lie within another one, each once, in their order.
fn covering(directories: Vec<WorkspacePath>) -> Vec<WorkspacePath> {
    let mut covering: Vec<WorkspacePath> = Vec::new();
    for directory in directories {
        if !covering.iter().any(|kept| directory.is_within(kept)) {
            covering.retain(|kept| !kept.is_within(&directory));
            covering.push(directory);
        }
    }
    covering
}

#[cfg(test)]
mod tests {
    use super::super::load::BuiltIn;
    use super::super::source::RolesSource;
    use super::*;

    struct Case {
        dir: tempfile::TempDir,
        roles: Roles,
    }

    fn case(text: &str) -> Case {
        let dir = tempfile::tempdir().unwrap();
        for path in ["src/a", "src/b", "docs", "private"] {
            std::fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        std::fs::write(dir.path().join("src/main.rs"), "").unwrap();
        std::os::unix::fs::symlink("../private", dir.path().join("src/link")).unwrap();
        let roles =
            Roles::load(RolesSource::BuiltIn, &BuiltIn { roles: text, plugins: &[] }, dir.path()).unwrap();
        Case { dir, roles }
    }

    impl Case {
        fn narrow(&self, from: &Narrowing, role: &str, paths: &[&str]) -> Result<Narrowing, String> {
            let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            let role = self.roles.get(role).unwrap();
            from.narrow(&self.roles, role, &paths, self.dir.path()).map_err(|error| error.to_string())
        }

        fn read(&self, role: &str, narrowing: &Narrowing) -> Vec<String> {
            let authority = Authority::of(&self.roles, self.roles.get(role).unwrap(), narrowing);
            authority.read().iter().map(ToString::to_string).collect()
        }
    }

    const ROLES: &str = r#"
[roles.wide]
description = "Reads all."
read = ["."]

[roles.source]
description = "Reads sources."
read = ["src", "src/a"]

[roles.docs]
description = "Reads documents."
read = ["docs"]

[roles.blind]
description = "Reads nothing."
"#;

    #[test]
    fn a_role_alone_has_what_it_names() {
        let case = case(ROLES);
        let none = Narrowing::default();
        assert_eq!(case.read("wide", &none), ["."]);
        assert_eq!(case.read("source", &none), ["src"]);
        assert_eq!(case.read("blind", &none), [] as [&str; 0]);
    }

    #[test]
    fn each_delegation_can_only_take_away() {
        let case = case(ROLES);
        let src = case.narrow(&Narrowing::default(), "wide", &["src", "./docs/", "src/b"]).unwrap();
        assert_eq!(case.read("wide", &src), ["src", "docs"]);
        let deeper = case.narrow(&src, "source", &["src/a"]).unwrap();
        assert_eq!(case.read("source", &deeper), ["src/a"]);
        assert_eq!(case.read("wide", &deeper), ["src/a"], "a wider role further down gets no more");
        assert_eq!(case.read("docs", &deeper), [] as [&str; 0], "nor does one that reads elsewhere");
        let error = case.narrow(&deeper, "wide", &["src/b"]).unwrap_err();
        let expected = "cannot narrow wide to `src/b`: it may read `src/a` and nothing else here (built-in roles.toml:4)";
        assert_eq!(error, expected);
    }

    #[test]
    fn a_path_that_is_not_within_is_refused_by_role_path_and_line() {
        let case = case(ROLES);
        for path in ["docs", ".", "srcs", "docs/not-there"] {
            let error = case.narrow(&Narrowing::default(), "source", &[path]).unwrap_err();
            let expected = format!(
                "cannot narrow source to `{path}`: it may read `src` and nothing else here (built-in roles.toml:8)"
            );
            assert_eq!(error, expected);
        }
        let error = case.narrow(&Narrowing::default(), "blind", &["src"]).unwrap_err();
        assert!(error.contains("it may read nothing here (built-in roles.toml:14)"), "{error}");
    }

    #[test]
    fn only_real_directories_narrow() {
        let case = case(ROLES);
        for (path, expected) in [
            (
                "src/main.rs",
                "`src/main.rs` is a file, not a directory; name the directory that holds it, \"src\"",
            ),
            ("src/c", "`src/c` does not exist in the workspace; paths are relative to the workspace"),
            (
                "src/link",
                "`src/link` is a symbolic link; name what it leads to, \"private\", if that is in the workspace",
            ),
            ("src/../private", "`..` may leave the workspace"),
            ("/etc", "an absolute path is outside of the workspace"),
            ("src\\a", "a backslash is no separator here"),
            ("", "an empty path names nothing"),
        ] {
            let error = case.narrow(&Narrowing::default(), "source", &[path]).unwrap_err();
            assert!(error.contains(expected), "{path}: {error}");
        }
        assert!(case.narrow(&Narrowing::default(), "source", &[]).unwrap_err().contains("`paths` is empty"));
    }

    #[test]
    fn what_the_ceiling_and_the_role_hide_goes_along() {
        let case = case(
            "[ceiling]\nread = [\"src\"]\nhidden = [\"*.x\"]\nreveal = [\".env.example\"]\n\
             [roles.a]\ndescription = \"A.\"\nread = [\"src/a\"]\nhidden = [\"*.y\"]\n",
        );
        let authority = Authority::of(&case.roles, case.roles.get("a").unwrap(), &Narrowing::default());
        assert_eq!(authority.hidden(), ["*.x"]);
        assert_eq!(authority.reveal(), [".env.example"]);
        assert_eq!(authority.role_hidden(), ["*.y"]);
        assert_eq!(authority.in_words(), "`src/a`");
        assert_eq!(authority.writes_in_words(), None);
    }

    const WRITING: &str = r#"
[ceiling]
read = ["."]
write = ["src", "docs"]

[roles.editor]
description = "Edits."
read = ["."]
write = ["src"]

[roles.writer]
description = "Writes what it may not read otherwise."
write = ["docs"]
"#;

    impl Case {
        fn touches(&self, role: &str, narrowing: &Narrowing) -> (String, Option<String>) {
            let authority = Authority::of(&self.roles, self.roles.get(role).unwrap(), narrowing);
            (authority.in_words(), authority.writes_in_words())
        }
    }

    #[test]
    fn what_may_be_written_may_be_read_and_is_narrowed_with_it() {
        let case = case(WRITING);
        let words = |reads: &str, writes: Option<&str>| (reads.to_owned(), writes.map(str::to_owned));
        let none = Narrowing::default();
        assert_eq!(case.touches("editor", &none), words("`.`", Some("`src`")));
        assert_eq!(case.touches("writer", &none), words("`docs`", Some("`docs`")));
        let docs = case.narrow(&none, "writer", &["docs"]).unwrap();
        assert_eq!(case.touches("editor", &docs), words("`docs`", None), "nothing is left to write");
        let part = case.narrow(&none, "editor", &["src/a", "docs"]).unwrap();
        assert_eq!(case.touches("editor", &part), words("`src/a`, `docs`", Some("`src/a`")));
        assert_eq!(case.touches("writer", &part), words("`docs`", Some("`docs`")));
    }

    #[test]
    fn the_files_that_say_what_agents_do_are_protected_from_all_of_them() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| std::fs::write(dir.path().join(path), text).unwrap();
        for folder in ["config", "prompts", "plugins/p/wit"] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        write("prompts/a.md", "Do.");
        write("plugins/p.wasm", "a component");
        let text = "plugins.p = { path = \"plugins/p.wasm\", wit = \"plugins/p/wit\" }\n\
                    [roles.a]\ndescription = \"A.\"\nprompt_file = \"prompts/a.md\"\n";
        write("config/own.toml", text);
        std::os::unix::fs::symlink("config/own.toml", dir.path().join("roles.toml")).unwrap();
        let protected = |source| {
            let roles = Roles::load(source, &BuiltIn { roles: text, plugins: &[] }, dir.path()).unwrap();
            let authority = Authority::of(&roles, roles.get("a").unwrap(), &Narrowing::default());
            authority.protected().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let named = ["prompts/a.md", "plugins/p.wasm", "plugins/p/wit"];
        let with = |own: &[&'static str]| [own, &named[..]].concat();
        // A workspace's own file could be made where there is none yet, and would count in the next run.
        assert_eq!(protected(RolesSource::BuiltIn), with(&["roles.toml"]));
        let linked = with(&["roles.toml", "config/own.toml"]);
        assert_eq!(protected(RolesSource::Workspace(dir.path().join("roles.toml"))), linked);
        assert_eq!(protected(RolesSource::File(dir.path().join("config/../roles.toml"))), linked);
    }
}
