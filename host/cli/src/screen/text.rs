//! Somebody else's text, made fit to be shown.

use remit_pack::inert;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A text on one line: inert, every run of white space one space.
pub(crate) fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in inert(text).split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// How many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// A text of at most `most` columns, its end replaced by `…` where it is longer.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(1);
    let end = fitting(text, room);
    format!("{}…", text[..end].trim_end())
}

/// The length in bytes of the longest beginning that takes at most `columns`.
fn fitting(text: &str, columns: usize) -> usize {
    let mut taken = 0;
    for (at, c) in text.char_indices() {
        taken += c.width().unwrap_or_default();
        if taken > columns {
            return at;
        }
    }
    text.len()
}

/// A text in lines of at most `columns`, broken at spaces where there are any, each indented by `indent`. Line breaks
/// of its own stay.
pub(crate) fn wrap(text: &str, columns: usize, indent: usize) -> String {
    let room = columns.saturating_sub(indent).max(20);
    let margin = " ".repeat(indent);
    let mut wrapped = String::with_capacity(text.len() + text.len() / 8);
    for (number, paragraph) in text.lines().enumerate() {
        if number > 0 {
            wrapped.push('\n');
        }
        for (number, line) in broken(paragraph, room).into_iter().enumerate() {
            if number > 0 {
                wrapped.push('\n');
            }
            if !line.is_empty() {
                wrapped.push_str(&margin);
                wrapped.push_str(line);
            }
        }
    }
    wrapped
}

/// One line broken into lines of at most `room` columns.
fn broken(text: &str, room: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text.trim_end();
    while rest.width() > room {
        let end = fitting(rest, room);
        // The space behind the last word that fits may itself be the first column that does not.
        let through = rest[end..].chars().next().map_or(end, |c| end + c.len_utf8());
        let at = match rest[..through].rfind(' ') {
            Some(space) if !rest[..space].trim().is_empty() => space,
            // A character that is wider than the room is taken all the same.
            _ if end == 0 => through,
            _ => end,
        };
        lines.push(rest[..at].trim_end());
        rest = rest[at..].trim_start();
    }
    lines.push(rest);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_and_does_nothing() {
        assert_eq!(line("a\n\tb  c\u{1b}[2J\r"), "a b c\\u{1b}[2J\\u{d}");
        assert_eq!(line("  "), "");
    }

    #[test]
    fn a_long_text_is_cut_by_columns() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 5), "abcd…");
        assert_eq!(cut("测试框架", 6), "测试…");
        assert_eq!(cut("abc", 0), "…");
    }

    #[test]
    fn lines_break_at_spaces_where_there_are_any() {
        let text = "one two three four five six\n\nseven 这个项目使用什么测试框架来检查自己的代码";
        let wrapped = wrap(text, 24, 2);
        let expected =
            "  one two three four\n  five six\n\n  seven\n  这个项目使用什么测试框\n  架来检查自己的代码";
        assert_eq!(wrapped, expected);
        assert!(wrapped.lines().all(|line| width(line) <= 24));
    }
}
