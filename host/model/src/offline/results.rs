//! What tools returned. Their formats are read as far as they are understood, and anything else is passed over.

/// A line of a file, as a tool showed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) path: String,
    pub(super) number: u64,
    pub(super) text: String,
}

/// The matches of a search: a path on a line, then its lines as `42: text`, and lines around them as `43- text`. A line
/// of the form `path:42:text` is understood too.
pub(super) fn matches(text: &str) -> Vec<Line> {
    let mut path: Option<&str> = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        if let Some((number, text)) = numbered(line, &[':', '-']) {
            if let Some(path) = path {
                lines.push(Line { path: path.to_owned(), number, text: text.to_owned() });
            }
        } else if let Some((before, rest)) = line.split_once(':')
            && let Some((number, text)) = numbered(rest, &[':'])
            && !before.contains(char::is_whitespace)
        {
            lines.push(Line { path: before.to_owned(), number, text: text.to_owned() });
        } else if line != "--" {
            path = as_path(line);
        }
    }
    lines
}

/// The lines of a file that was read: `42`, a tab, the text.
pub(super) fn lines_of(path: &str, text: &str) -> Vec<Line> {
    let lines = text.lines().filter_map(|line| numbered(line, &['\t']));
    lines.map(|(number, text)| Line { path: path.to_owned(), number, text: text.to_owned() }).collect()
}

/// The files of a listing: one path a line, sizes after two spaces.
pub(super) fn paths(text: &str) -> Vec<String> {
    text.lines().filter_map(as_path).filter(|path| !path.ends_with('/')).map(str::to_owned).collect()
}

/// A number, one of the signs, and the rest of the line.
fn numbered<'a>(line: &'a str, signs: &[char]) -> Option<(u64, &'a str)> {
    let line = line.trim_start_matches(' ');
    let digits = line.find(|char: char| !char.is_ascii_digit())?;
    let rest = line[digits..].strip_prefix(signs)?;
    let number = line[..digits].parse().ok()?;
    Some((number, rest.strip_prefix(' ').unwrap_or(rest)))
}

fn as_path(line: &str) -> Option<&str> {
    // Sizes stand after two spaces, the targets of links after an arrow.
    let path = line.split("  ").next()?.split(" -> ").next()?.trim();
    let path = path.strip_prefix("./").unwrap_or(path);
    let is_remark = path.is_empty() || path.starts_with(['(', '[', '…']);
    (!is_remark).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str, number: u64, text: &str) -> Line {
        Line { path: path.into(), number, text: text.into() }
    }

    #[test]
    fn matches_are_read_with_their_paths() {
        let text = "host/agent/src/budget.rs\n  42: let max_turns = 3;\n--\n  43-     more\n\nsrc/x.rs\n  7: a: b\n\
                    (14 matches in 3 files)\n  9: of no file\nsrc/y.rs:8:inline\n";
        assert_eq!(
            matches(text),
            [
                line("host/agent/src/budget.rs", 42, "let max_turns = 3;"),
                line("host/agent/src/budget.rs", 43, "    more"),
                line("src/x.rs", 7, "a: b"),
                line("src/y.rs", 8, "inline"),
            ]
        );
        assert!(matches("no matches").is_empty());
    }

    #[test]
    fn a_read_file_is_its_numbered_lines() {
        let text = "a.py · lines 1-2 of 240 · 8.1 KB\n   1\timport os\n   2\t\n(238 more lines; start=3)\n";
        assert_eq!(lines_of("a.py", text), [line("a.py", 1, "import os"), line("a.py", 2, "")]);
    }

    #[test]
    fn a_listing_is_its_files() {
        assert_eq!(
            paths("src/\n./a b.rs  1.2 KB\nlink -> elsewhere\nsrc/c.rs\n\n(3 entries)\n"),
            ["a b.rs", "link", "src/c.rs"]
        );
    }
}
