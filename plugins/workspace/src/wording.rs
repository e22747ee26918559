//! How names, numbers and sizes are written for a model.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A name or path that stays on its line and shows what is in it: control characters, line and paragraph
/// separators and marks that change the direction of text are written as escapes.
pub fn name(name: &str) -> Cow<'_, str> {
    if !name.chars().any(must_be_escaped) {
        return Cow::Borrowed(name);
    }
    let mut shown = String::with_capacity(name.len() + 8);
    for c in name.chars() {
        if must_be_escaped(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// A directory's path; the workspace itself is `.`.
pub fn directory(path: &str) -> Cow<'_, str> {
    if path.is_empty() { Cow::Borrowed(".") } else { name(path) }
}

fn must_be_escaped(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A count with its thousands set apart: `1,240`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// A count and its noun: `1 file`, `1,240 files`. The plural is the noun's, given.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A size: `512 B`, `8.1 KB`, `3.0 GB`, in steps of 1024.
pub fn size(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    // In tenths, rounded, so that a component needs no floating-point formatting.
    let mut tenths = u128::from(bytes) * 10;
    for unit in ["KB", "MB", "GB", "TB"] {
        tenths = (tenths + 512) / 1024;
        if tenths < 10_240 || unit == "TB" {
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
    }
    format!("{bytes} B")
}

/// The first few of `names`, and how many more there are: `a, b, c and 4 more`.
pub fn some<'a>(names: impl IntoIterator<Item = &'a str>, shown: usize) -> String {
    let mut text = String::new();
    let mut more = 0;
    for (position, item) in names.into_iter().enumerate() {
        if position >= shown {
            more += 1;
            continue;
        }
        if position > 0 {
            text.push_str(", ");
        }
        text.push_str(&name(item));
    }
    if more > 0 {
        // Writing to a string cannot fail.
        let _ = write!(text, " and {} more", count(more));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_make_a_line_or_turn_the_text_around() {
        assert_eq!(name("a\nb\u{1b}[31m"), "a\\nb\\u{1b}[31m");
        assert_eq!(name("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(name("naïve 文件.rs"), "naïve 文件.rs");
    }

    #[test]
    fn counts_and_sizes() {
        assert_eq!([count(0), count(999), count(1000), count(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([size(0), size(1023), size(1024), size(8300)], ["0 B", "1023 B", "1.0 KB", "8.1 KB"]);
        assert_eq!([size(1 << 20), size(4 << 30), size(u64::MAX)], ["1.0 MB", "4.0 GB", "16777216.0 TB"]);
    }

    #[test]
    fn a_long_list_is_cut_and_counted() {
        assert_eq!(some(["a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(some(["a"], 2), "a");
    }
}
