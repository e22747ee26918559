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

/// A URL without its path and what follows: `https://docs.rs`.
pub(crate) fn origin(url: &str) -> &str {
    let authority = url.find("://").map_or(0, |at| at + "://".len());
    let end = url[authority..].find(['/', '?', '#']).map_or(url.len(), |at| authority + at);
    &url[..end]
}

/// A URL as two can be compared: the origin in small letters and without the scheme's own port, at least `/` as path, no
/// fragment.
pub(super) fn one_url(url: &str) -> String {
    let url = url.trim().split('#').next().unwrap_or_default();
    let (origin, rest) = url.split_at(origin(url).len());
    let origin = origin.to_ascii_lowercase();
    let port = if origin.starts_with("https:") { ":443" } else { ":80" };
    let origin = origin.strip_suffix(port).unwrap_or(&origin);
    let slash = if rest.starts_with('/') { "" } else { "/" };
    format!("{origin}{slash}{rest}")
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
    fn a_url_has_one_spelling() {
        for (url, one) in [
            ("https://Docs.RS", "https://docs.rs/"),
            ("https://docs.rs:443/A?b#c", "https://docs.rs/A?b"),
            ("http://docs.rs:80?q", "http://docs.rs/?q"),
            ("https://docs.rs:80/", "https://docs.rs:80/"),
        ] {
            assert_eq!(one_url(url), one);
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
