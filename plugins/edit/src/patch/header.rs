//! The lines above a file's hunks: which file it is, and what becomes of it as a whole.

use workspace::wording;

use super::hunk::Hunk;
use crate::place;

/// What becomes of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Its hunks are applied. Where the patch has two names for it, it is the one that is there.
    Change {
        path: String,
        or: Option<String>,
    },
    Create {
        path: String,
    },
    Delete {
        path: String,
    },
    Move {
        from: String,
        to: String,
    },
}

/// A part of a patch that is for one file.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) operation: Operation,
    pub(super) hunks: Vec<Hunk>,
    /// Whether it would change the file's mode too.
    pub(super) mode: bool,
}

/// The same, while it is being read.
#[derive(Debug, Default)]
pub(super) struct Header {
    /// What `diff --git` says.
    git: Option<(String, String)>,
    /// What `---` and `+++` say. No name is `/dev/null`.
    names: Option<(Option<String>, Option<String>)>,
    renamed_from: Option<String>,
    renamed_to: Option<String>,
    created: bool,
    deleted: bool,
    mode: bool,
    hunks: Vec<Hunk>,
}

impl Header {
    /// Begins with the rest of a line `diff --git`.
    pub(super) fn git(rest: &str) -> Self {
        Self { git: git_names(rest), ..Self::default() }
    }

    /// Begins with, or goes on with, the rests of the lines `---` and `+++`.
    pub(super) fn names(&mut self, old: &str, new: &str) {
        self.names = Some((name(old), name(new)));
    }

    /// Whether the lines `---` and `+++` were there.
    pub(super) fn has_names(&self) -> bool {
        self.names.is_some()
    }

    /// Whether it is known which file hunks are for.
    pub(super) fn has_a_file(&self) -> bool {
        self.names.is_some() || self.git.is_some()
    }

    pub(super) fn push(&mut self, hunk: Hunk) {
        self.hunks.push(hunk);
    }

    /// Takes what git says between `diff --git` and `---`.
    pub(super) fn extended(&mut self, line: &str) -> Result<(), &'static str> {
        let path = |rest: &str| Some(unquoted(rest));
        if line.starts_with("new file mode") {
            self.created = true;
        } else if line.starts_with("deleted file mode") {
            self.deleted = true;
        } else if line.starts_with("old mode") || line.starts_with("new mode") {
            self.mode = true;
        } else if let Some(rest) = line.strip_prefix("rename from ") {
            self.renamed_from = path(rest);
        } else if let Some(rest) = line.strip_prefix("rename to ") {
            self.renamed_to = path(rest);
        } else if line.starts_with("copy from ") {
            return Err("copies are not made: give the copy as a new file");
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            return Err("binary files are not patched");
        }
        Ok(())
    }

    /// What the section says, and nothing where it says nothing.
    pub(super) fn finish(self) -> Result<Option<Section>, String> {
        let (old, new) = match self.names {
            Some((old, new)) => (old, new),
            None => match self.git {
                Some((old, new)) => (Some(old), Some(new)),
                None => match (&self.renamed_from, &self.renamed_to) {
                    // A name that could not be read from the first line is said again.
                    (Some(_), Some(_)) => (None, None),
                    _ => return Ok(None),
                },
            },
        };
        let (old, new) = stripped(old, new);
        let operation = match (self.renamed_from, self.renamed_to, old, new) {
            (Some(from), Some(to), ..) => Operation::Move { from: path(&from)?, to: path(&to)? },
            (.., None, None) => return Err("a file's old and new name are both /dev/null".to_owned()),
            (.., None, Some(new)) => Operation::Create { path: path(&new)? },
            (.., Some(old), None) => Operation::Delete { path: path(&old)? },
            (.., Some(_), Some(new)) if self.created => Operation::Create { path: path(&new)? },
            (.., Some(old), Some(_)) if self.deleted => Operation::Delete { path: path(&old)? },
            (.., Some(old), Some(new)) => {
                if self.hunks.is_empty() && !self.mode {
                    return Ok(None);
                }
                let or = if old == new { None } else { Some(path(&old)?) };
                Operation::Change { path: path(&new)?, or }
            }
        };
        Ok(Some(Section { operation, hunks: self.hunks, mode: self.mode }))
    }
}

fn path(given: &str) -> Result<String, String> {
    place::file_path(given).map_err(|why| format!("a file's name in the patch: {why}"))
}

/// The names without `a/` and `b/`, if both have them.
fn stripped(old: Option<String>, new: Option<String>) -> (Option<String>, Option<String>) {
    let marked = |name: &Option<String>, mark| name.as_ref().is_none_or(|name| name.starts_with(mark));
    if !marked(&old, "a/") || !marked(&new, "b/") {
        return (old, new);
    }
    let strip = |name: Option<String>| name.map(|name| name[2..].to_owned());
    (strip(old), strip(new))
}

/// The two names behind `diff --git`. Without quotes nothing but their being equal tells where the first ends.
fn git_names(rest: &str) -> Option<(String, String)> {
    let rest = rest.trim_end();
    if rest.starts_with('"') || rest.ends_with('"') {
        let (old, new) = match rest.strip_suffix('"').and_then(|rest| rest.rfind(" \"")) {
            Some(gap) => rest.split_at(gap),
            None => rest.split_once("\" ").map(|(old, new)| (&rest[..old.len() + 1], new))?,
        };
        return Some((unquoted(old), unquoted(new.trim_start())));
    }
    let half = rest.len() / 2;
    let (old, new) = (rest.get(..half)?, rest.get(half..)?.strip_prefix(' ')?);
    let bare = |name: &str| name.split_once('/').map(|(_, bare)| bare.to_owned());
    (old == new || bare(old) == bare(new)).then(|| (old.to_owned(), new.to_owned()))
}

/// The name in a line `---` or `+++`, without the time that may follow a tab.
fn name(rest: &str) -> Option<String> {
    let name = rest.split('\t').next().unwrap_or(rest).trim_end();
    (name != "/dev/null").then(|| unquoted(name))
}

/// A name that git put in quotes, with its escapes read. One without quotes is as it is.
fn unquoted(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else {
        return name.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                }
                bytes.push(value as u8);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| wording::name(name).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(name: &str) -> Option<String> {
        Some(name.to_owned())
    }

    #[test]
    fn names_lose_their_marks_quotes_and_times() {
        let mut header = Header::default();
        header.names("a/src/x y.rs\t2024-01-01 10:00:00", "b/src/x y.rs\t");
        assert_eq!(header.names, Some((some("a/src/x y.rs"), some("b/src/x y.rs"))));
        assert_eq!(stripped(some("a/x"), some("b/x")), (some("x"), some("x")));
        assert_eq!(stripped(None, some("b/x")), (None, some("x")));
        // A directory `a` is one, if no `b` stands against it.
        assert_eq!(stripped(some("a/x"), some("a/x")), (some("a/x"), some("a/x")));
        assert_eq!(name("/dev/null\t1970"), None);
        assert_eq!(unquoted(r#""caf\303\251 \"x\"\n""#), "café \"x\"\n");
    }

    #[test]
    fn names_are_found_in_the_first_line_of_git() {
        let names = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        assert_eq!(git_names("a/x y b/x y"), names("a/x y", "b/x y"));
        assert_eq!(git_names(r#""a/\303\251" "b/\303\251""#), names("a/é", "b/é"));
        assert_eq!(git_names("a/one b/another"), None);
    }
}
