use std::fmt;

use thiserror::Error;

/// A directory or file of the workspace as `roles.toml` and `task` calls name it: relative, `/`-separated, without
/// `..`, in its one spelling. `.` is the workspace itself.
///
/// It says nothing about what is there. Whoever looks follows no link on the way, so that what lies within a directory
/// by its name lies within it in truth.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspacePath(String);

/// Why a text is no path that may be granted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathProblem {
    /// No text at all.
    #[error("an empty path names nothing")]
    Empty,
    /// It begins with `/`, or with `~`, which would be a name like any other and surely was not meant so.
    #[error("an absolute path is outside of the workspace")]
    Absolute,
    /// One of its parts is `..`.
    #[error("`..` may leave the workspace, and is refused even where it would not")]
    Parent,
    /// It has a backslash.
    #[error("a backslash is no separator here")]
    Backslash,
    /// It has a NUL or another control character.
    #[error("a path has no control characters")]
    Control,
}

impl PathProblem {
    /// What to write instead.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Empty => "write \".\" for the whole workspace",
            Self::Absolute | Self::Parent => "write the path from the workspace on, as in \"src\"",
            Self::Backslash => "separate with `/`",
            Self::Control => "remove them",
        }
    }
}

impl WorkspacePath {
    /// Reads a path, dropping `.` parts and doubled or trailing slashes.
    ///
    /// # Errors
    ///
    /// When it is empty, absolute, has `..`, a backslash or a control character.
    pub fn parse(text: &str) -> Result<Self, PathProblem> {
        if text.is_empty() {
            return Err(PathProblem::Empty);
        }
        if text.starts_with('/') || text == "~" || text.starts_with("~/") {
            return Err(PathProblem::Absolute);
        }
        if text.contains('\\') {
            return Err(PathProblem::Backslash);
        }
        if text.chars().any(char::is_control) {
            return Err(PathProblem::Control);
        }
        let mut parts = Vec::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => return Err(PathProblem::Parent),
                part => parts.push(part),
            }
        }
        Ok(if parts.is_empty() { Self::workspace() } else { Self(parts.join("/")) })
    }

    /// The workspace itself, `.`.
    #[must_use]
    pub fn workspace() -> Self {
        Self(".".to_owned())
    }

    /// The path, `/`-separated; `.` for the workspace.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is `directory` or below it.
    #[must_use]
    pub fn is_within(&self, directory: &Self) -> bool {
        directory.0 == "."
            || self.0.strip_prefix(&directory.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The directory that holds it; `.` for a name at the top and for the workspace.
    #[must_use]
    pub fn parent(&self) -> Self {
        self.0.rsplit_once('/').map_or_else(Self::workspace, |(parent, _)| Self(parent.to_owned()))
    }

    /// `name` in this directory. The name is one that the file system gave.
    pub(super) fn join(&self, name: &str) -> Self {
        if self.0 == "." { Self(name.to_owned()) } else { Self(format!("{}/{name}", self.0)) }
    }

    /// The names on the way, none for the workspace itself.
    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|part| *part != ".")
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text).unwrap()
    }

    #[test]
    fn a_path_has_one_spelling() {
        for (written, read) in [
            (".", "."),
            ("./", "."),
            ("src", "src"),
            ("./src//a/./b/", "src/a/b"),
            ("a..b", "a..b"),
            ("~a", "~a"),
        ] {
            assert_eq!(path(written).as_str(), read);
        }
    }

    #[test]
    fn what_could_leave_the_workspace_is_refused() {
        for (written, problem) in [
            ("", PathProblem::Empty),
            ("/", PathProblem::Absolute),
            ("/etc", PathProblem::Absolute),
            ("~", PathProblem::Absolute),
            ("~/x", PathProblem::Absolute),
            ("..", PathProblem::Parent),
            ("a/../b", PathProblem::Parent),
            ("a/..", PathProblem::Parent),
            ("a\\b", PathProblem::Backslash),
            ("a\0b", PathProblem::Control),
            ("a\nb", PathProblem::Control),
        ] {
            assert_eq!(WorkspacePath::parse(written), Err(problem), "{written:?}");
        }
    }

    #[test]
    fn within_goes_by_whole_names() {
        assert!(path("src").is_within(&path(".")));
        assert!(path(".").is_within(&path(".")));
        assert!(path("src/a").is_within(&path("src")));
        assert!(path("src").is_within(&path("src")));
        assert!(!path("src2").is_within(&path("src")));
        assert!(!path(".").is_within(&path("src")));
        assert!(!path("src").is_within(&path("src/a")));
    }

    #[test]
    fn a_parent_is_never_outside() {
        assert_eq!(path("a/b").parent(), path("a"));
        assert_eq!(path("a").parent(), path("."));
        assert_eq!(path(".").parent(), path("."));
    }
}
