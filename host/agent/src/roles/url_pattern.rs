//! Which requests a rule is about: `https://docs.rs`, `https://api.github.com/repos/*`, or `*` for every one.

use remit_sandbox::HostGrant;

use crate::ledger::origin;

/// An origin, as `hosts` names it, and a path in which `*` stands for anything, slashes included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UrlPattern {
    /// Nothing stands for every origin.
    origin: Option<HostGrant>,
    /// With a query, if it has one; empty for every path.
    path: String,
}

impl UrlPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text == "*" {
            return Ok(Self { origin: None, path: String::new() });
        }
        let (origin, path) = split(text);
        let origin = HostGrant::new(origin, &[]).map_err(|problem| problem.to_string())?;
        Ok(Self { origin: Some(origin), path: one_spelling(path) })
    }

    /// Whether it is about `url`. With `any_case` letters of the path may be large or small, and a URL that can't be
    /// understood matches: so a deny also holds for what a server might take for the same.
    pub(super) fn matches(&self, url: &str, any_case: bool) -> bool {
        let (origin, path) = split(url);
        let is_there = match (&self.origin, HostGrant::new(origin, &[])) {
            (None, _) => true,
            (Some(own), Ok(origin)) => own.covers(&origin),
            (Some(_), Err(_)) => any_case,
        };
        if !is_there || self.path.is_empty() {
            return is_there;
        }
        let path = one_spelling(if path.is_empty() { "/" } else { path });
        if any_case { fits(&self.path.to_lowercase(), &path.to_lowercase()) } else { fits(&self.path, &path) }
    }
}

/// A URL's origin, and its path with what follows; a fragment, which is never sent, is neither.
pub(super) fn split(url: &str) -> (&str, &str) {
    let url = url.split('#').next().unwrap_or_default();
    url.split_at(origin(url).len())
}

/// A path with plain characters not escaped, and without `.` and `..`: what a server takes for the same path.
fn one_spelling(path: &str) -> String {
    let decoded = unescaped(path);
    let (path, query) = decoded.split_at(decoded.find('?').unwrap_or(decoded.len()));
    let mut parts: Vec<&str> = Vec::new();
    for (number, part) in path.split('/').enumerate() {
        match part {
            "." => {}
            ".." if parts.len() > 1 => drop(parts.pop()),
            ".." => {}
            // Doubled slashes are kept by some servers and not by others.
            "" if number > 0 && parts.last() == Some(&"") => {}
            part => parts.push(part),
        }
    }
    let ends_with_dots = path.ends_with("/.") || path.ends_with("/..");
    let slash = if ends_with_dots || parts.as_slice() == [""] && !path.is_empty() { "/" } else { "" };
    format!("{}{slash}{query}", parts.join("/"))
}

/// Every `%41` of a letter, digit, `-`, `.`, `_` or `~` as the character itself.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        plain.push_str(&rest[..at]);
        let escape = rest.get(at..at + 3).unwrap_or("%");
        let code = escape.get(1..).and_then(|digits| u8::from_str_radix(digits, 16).ok()).map(char::from);
        match code.filter(|c| c.is_ascii_alphanumeric() || "-._~".contains(*c)) {
            Some(c) => plain.push(c),
            None => plain.push_str(escape),
        }
        rest = &rest[at + escape.len()..];
    }
    plain + rest
}

/// Whether `text` is `pattern`, each `*` of which stands for anything.
fn fits(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, url: &str) -> [bool; 2] {
        let pattern = UrlPattern::parse(pattern).unwrap();
        [false, true].map(|any_case| pattern.matches(url, any_case))
    }

    #[test]
    fn a_pattern_is_about_its_origin_and_below_it_its_path() {
        for (pattern, url) in [
            ("*", "http://anything.example:8080/x?y"),
            ("https://docs.rs", "https://docs.rs/serde/latest/"),
            ("https://docs.rs", "https://DOCS.rs:443"),
            ("https://docs.rs/", "https://docs.rs"),
            ("https://docs.rs/*", "https://docs.rs/serde"),
            ("https://docs.rs/**", "https://docs.rs/serde/x?y=1"),
            ("https://*.wikipedia.org/wiki/*", "https://de.wikipedia.org/wiki/Rust"),
            ("https://docs.rs/*/latest", "https://docs.rs/a/b/latest"),
            ("https://docs.rs/a*b*c", "https://docs.rs/abbc"),
            ("https://docs.rs/admin*", "https://docs.rs/x/../%61dmin/users"),
            ("https://docs.rs/admin*", "https://docs.rs//admin"),
            ("https://docs.rs/a/", "https://docs.rs/a/b/.."),
        ] {
            assert_eq!(matches(pattern, url), [true; 2], "{pattern} {url}");
        }
        for (pattern, url) in [
            ("https://docs.rs", "http://docs.rs/"),
            ("https://docs.rs", "https://docs.rs.evil.example/"),
            ("https://docs.rs", "https://docs.rs:8443/"),
            ("https://docs.rs", "https://evil.example/https://docs.rs/"),
            ("https://docs.rs/a", "https://docs.rs/ab"),
            ("https://docs.rs/a*b", "https://docs.rs/a"),
            ("https://docs.rs/ab*ba", "https://docs.rs/aba"),
        ] {
            assert_eq!(matches(pattern, url), [false; 2], "{pattern} {url}");
        }
    }

    #[test]
    fn a_deny_also_holds_for_other_letters_and_for_what_cannot_be_understood() {
        assert_eq!(matches("https://docs.rs/admin*", "https://docs.rs/ADMIN"), [false, true]);
        assert_eq!(matches("https://docs.rs", "nonsense"), [false, true]);
    }

    #[test]
    fn what_names_no_origin_is_no_pattern() {
        for text in ["docs.rs", "https://", "ftp://docs.rs", "https://docs.rs:0x/"] {
            assert!(UrlPattern::parse(text).is_err(), "{text}");
        }
    }
}
