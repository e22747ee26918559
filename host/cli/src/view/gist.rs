//! A result in a few words, whatever tool it is from.

use crate::screen::{bytes, count, cut, line};

/// How many columns the gist of a result may take.
const COLUMNS: usize = 44;

/// How long a single line is that is still a sentence and no data, in bytes.
const MAX_SENTENCE: usize = 400;

/// What came back, in a few words: the only line; or what the result says of itself at its end, as `(14 matches in 3
/// files)`; or how much it is.
pub(crate) fn gist(text: &str) -> String {
    let mut filled = text.lines().filter(|line| !line.trim().is_empty());
    let (first, last) = (filled.next().unwrap_or_default(), filled.next_back());
    let remark = last.unwrap_or(first).trim();
    let remark = remark.strip_prefix('(').and_then(|remark| remark.strip_suffix(')'));
    match (remark, last) {
        (Some(remark), _) => {
            let clause = remark.split([';', '(']).next().unwrap_or(remark);
            cut(&line(clause), COLUMNS)
        }
        (None, None) if first.is_empty() => "nothing".to_owned(),
        (None, None) if first.len() <= MAX_SENTENCE => cut(&line(first), COLUMNS),
        _ => {
            let lines = u64::try_from(text.lines().count()).unwrap_or(u64::MAX);
            let size = bytes(u64::try_from(text.len()).unwrap_or(u64::MAX));
            format!("{}, {size}", count(lines, "line"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::gist;

    #[test]
    fn a_result_is_told_by_its_own_remark_or_by_its_size() {
        assert_eq!(gist("a.rs\n  1: x\n\n(1 match in 1 file; 3 files searched)\n"), "1 match in 1 file");
        assert_eq!(gist("42"), "42");
        assert_eq!(gist(&"none ".repeat(20)), "none none none none none none none none non…");
        assert_eq!(gist(""), "nothing");
        assert_eq!(gist("a\nb\nc\n"), "3 lines, 6 B");
        assert_eq!(gist(&"x".repeat(5000)), "1 line, 5.0 kB");
        assert_eq!(gist("\u{1b}[2J"), "\\u{1b}[2J");
    }
}
