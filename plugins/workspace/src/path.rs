//! Paths of the workspace: relative, `/`-separated, `""` for the workspace itself.

use crate::wording;

/// A path that a caller gave, checked and in its shortest form: no `.`, no empty part, no slash at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspacePath(String);

impl WorkspacePath {
    /// Checks a path. No path, `""`, `.` and `/.`-like spellings of the workspace itself are all the workspace.
    ///
    /// # Errors
    /// When the path is absolute, climbs with `..`, or has a NUL in it. The host would refuse it too; here it
    /// is said in words that help.
    pub fn parse(given: Option<&str>) -> Result<Self, String> {
        let given = given.unwrap_or_default();
        let refused =
            |why: &str| Err(format!("paths are relative to the workspace: {} {why}", wording::name(given)));
        if given.starts_with('/') {
            return refused("is absolute");
        }
        if given.contains('\0') {
            return refused("has a NUL in it");
        }
        let mut path = String::with_capacity(given.len());
        for part in given.split('/') {
            match part {
                "" | "." => {}
                ".." => return refused("leaves it with `..`"),
                part => {
                    if !path.is_empty() {
                        path.push('/');
                    }
                    path.push_str(part);
                }
            }
        }
        Ok(Self(path))
    }

    /// The path; `""` is the workspace.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The path of `name` in `directory`.
pub fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// The directory that a path lies in; none for the workspace itself.
pub fn parent(path: &str) -> Option<&str> {
    match path.rsplit_once('/') {
        Some((parent, _)) => Some(parent),
        None if path.is_empty() => None,
        None => Some(""),
    }
}

/// `path` as seen from `directory`, if it lies in it or is it.
pub(crate) fn within<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    if directory.is_empty() {
        return Some(path);
    }
    match path.strip_prefix(directory)? {
        "" => Some(""),
        rest => rest.strip_prefix('/'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_place_are_one_path() {
        for (given, path) in
            [(".", ""), ("", ""), ("./src/", "src"), ("src//main.rs", "src/main.rs"), ("a/./b", "a/b")]
        {
            assert_eq!(WorkspacePath::parse(Some(given)).unwrap().as_str(), path);
        }
        assert_eq!(WorkspacePath::parse(None).unwrap().as_str(), "");
    }

    #[test]
    fn a_path_out_of_the_workspace_is_refused_with_the_reason() {
        for (given, reason) in
            [("/etc/passwd", "absolute"), ("a/../../b", ".."), ("..", ".."), ("a\0b", "NUL")]
        {
            let error = WorkspacePath::parse(Some(given)).unwrap_err();
            assert!(error.starts_with("paths are relative to the workspace: "), "{error}");
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn only_whole_names_lie_within_a_directory() {
        assert_eq!(within("src/a", "src"), Some("a"));
        assert_eq!(within("src", "src"), Some(""));
        assert_eq!(within("srcs/a", "src"), None);
        assert_eq!(within("a", ""), Some("a"));
    }
}
