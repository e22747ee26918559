//! Which requests a rule is about: `https://docs.rs`, `https://api.github.com/repos/*`, or `*` for every one.

use remit_sandbox::HostGrant;

use crate::ledger::origin;

/// How many times a path is decoded: more than servers behind each other do.
const DECODED_TIMES: usize = 4;

/// An origin, as `hosts` names it, and a path in which `*` stands for anything, slashes included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UrlPattern {
    /// Nothing stands for every origin.
    origin: Option<HostGrant>,
    /// With a query, if it has one; empty for every path.
    path: String,
    /// The same as a server would have it that takes as much as any for the same.
    loosest: String,
}

impl UrlPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text == "*" {
            return Ok(Self { origin: None, path: String::new(), loosest: String::new() });
        }
        let (origin, path) = split(text);
        let origin = HostGrant::new(origin, &[]).map_err(|problem| problem.to_string())?;
        Ok(Self { origin: Some(origin), path: one_spelling(path), loosest: loosest(path).to_lowercase() })
    }

    /// Whether it is about `url`. With `any_case` that may be by any way in which a server might read the path, and a URL that
    /// can't be understood matches: so a deny also holds for what a server might take for the same. Without, a path that can be
    /// read in several ways matches nothing: so no allow holds for what a server might take for another.
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
        let path = if path.is_empty() { "/" } else { path };
        let plain = one_spelling(path);
        if !any_case {
            return !is_ambiguous(path) && fits(&self.path, &plain);
        }
        fits(&self.path.to_lowercase(), &plain.to_lowercase())
            || fits(&self.loosest, &loosest(path).to_lowercase())
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

/// Whether servers differ in how they read it: in what they decode, take for a separator or cut off.
fn is_ambiguous(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let escaped =
        path.match_indices('%').filter_map(|(at, _)| u8::from_str_radix(path.get(at + 1..at + 3)?, 16).ok());
    let mut special = escaped.filter(|byte| b"/\\.%;?#".contains(byte) || byte.is_ascii_control());
    path.contains("//") || path.contains([';', '\\']) || special.next().is_some()
}

/// The path as a server would have it that decodes it as often as it can, takes `\` for `/` and several of them for one, and
/// drops parameters and what can't be seen.
fn loosest(path: &str) -> String {
    let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
    let mut decoded = path.to_owned();
    for _ in 0..DECODED_TIMES {
        let once = decoded_once(&decoded);
        if once == decoded {
            break;
        }
        decoded = once;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in decoded.split(['/', '\\']).map(|part| part.split(';').next().unwrap_or_default()) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let is_folder = decoded.ends_with(['/', '\\']) && !parts.is_empty();
    format!("/{}{}{query}", parts.join("/"), if is_folder { "/" } else { "" })
}

/// Every escape as what it stands for, and nothing that can't be seen.
fn decoded_once(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits =
            after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes.retain(|byte| !byte.is_ascii_control());
    String::from_utf8_lossy(&bytes).into_owned()
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
    fn what_servers_read_in_several_ways_is_denied_by_each_and_allowed_by_none() {
        for url in [
            "//admin",
            "///admin/",
            "/x/..%2fadmin",
            "/%2e%2fadmin",
            "/x/%2e%2e/admin",
            "/x\\..\\admin",
            "/x/..%5cadmin",
            "/;v=1/admin",
            "/x/..;/admin",
            "/%2561dmin",
            "/%252561dmin",
            "/adm%00in",
            "/.%09/admin",
            "/%61dmin;x",
        ] {
            let denied = matches("https://docs.rs/admin*", &format!("https://docs.rs{url}"))[1];
            assert!(denied, "{url}");
        }
        for url in [
            "/ok//x",
            "/ok/..%2ftext",
            "/ok/%252e%252e/text",
            "/ok/..;/text",
            "/ok/.%09./text",
            "/ok/..%5ctext",
        ] {
            assert!(!matches("https://docs.rs/ok/*", &format!("https://docs.rs{url}"))[0], "{url}");
        }
        for url in ["/ok/a%20b", "/ok/%C3%A9?q=//;%2f", "/ok/a/b.c"] {
            assert!(matches("https://docs.rs/ok/*", &format!("https://docs.rs{url}"))[0], "{url}");
        }
    }

    #[test]
    fn what_names_no_origin_is_no_pattern() {
        for text in ["docs.rs", "https://", "ftp://docs.rs", "https://docs.rs:0x/"] {
            assert!(UrlPattern::parse(text).is_err(), "{text}");
        }
    }
}
