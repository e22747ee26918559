/// A path in its one spelling, as the ledger has it: `./a//b/../c/` is `a/c`, the workspace is `.`. Nothing where it leads
/// out of the workspace, or is empty.
pub(crate) fn one_spelling(path: &str) -> Option<String> {
    let path = path.trim();
    if path.is_empty() || path.starts_with('/') {
        return None;
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// Whether `path` stands in `text` by itself, and is not a part of another path or word. In front of it may be `./`, behind
/// it a `/`.
pub(super) fn stands_in(path: &str, text: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '~');
    text.match_indices(path).any(|(at, _)| {
        let mut before = text[..at].chars().rev();
        let begins = match before.next() {
            None => true,
            Some('/') => before.next() == Some('.') && before.next().is_none_or(|c| !joins(c)),
            Some(c) => !joins(c),
        };
        let mut after = text[at + path.len()..].chars();
        let ends = match after.next() {
            None => true,
            // The end of a sentence, or of a directory's name.
            Some('.' | '/') => after.next().is_none_or(|c| !joins(c)),
            Some(c) => !joins(c),
        };
        begins && ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_spelling() {
        for (path, one) in [
            ("a/b", Some("a/b")),
            ("./a//b/../c/", Some("a/c")),
            (" a ", Some("a")),
            ("./", Some(".")),
            ("a/..", Some(".")),
            ("..", None),
            ("a/../../b", None),
            ("/etc/passwd", None),
            ("", None),
        ] {
            assert_eq!(one_spelling(path).as_deref(), one, "{path}");
        }
    }

    #[test]
    fn a_path_stands_in_a_text_by_itself() {
        for text in
            ["a.rs", "see a.rs.", "`a.rs`:3", "./a.rs", "(a.rs)", "x\na.rs\ty", "a.rs/ here", "b, a.rs:1"]
        {
            assert!(stands_in("a.rs", text), "{text}");
        }
        for text in ["ba.rs", "a.rsx", "src/a.rs", "a.rs.bak", "../a.rs", "a.rs/b", "-a.rs", "x./a.rs"] {
            assert!(!stands_in("a.rs", text), "{text}");
        }
    }
}
