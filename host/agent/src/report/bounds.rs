//! How long the parts of a report may be. A report is what a parent reads instead of everything that its child read, so
//! it is short by construction: a child that is told to repeat a file, by its parent or by the file, can't.

use remit_pack::inert;

/// The longest summary, in bytes.
pub(super) const SUMMARY_BYTES: usize = 8 * 1024;

/// The longest reason, warning or question, in bytes.
pub(super) const SENTENCE_BYTES: usize = 600;

/// The longest path or URL, in bytes.
pub(super) const PLACE_BYTES: usize = 1024;

/// The most places of evidence.
pub(super) const MAX_EVIDENCE: usize = 50;

/// The most warnings, and the most open questions, of a child.
pub(super) const MAX_SENTENCES: usize = 20;

/// The most changed files that are named.
pub(super) const MAX_CHANGES: usize = 100;

/// The most commands that are named.
pub(super) const MAX_VERIFICATION: usize = 100;

/// The most hosts that are named.
pub(super) const MAX_HOSTS: usize = 50;

const CUT: &str = " […]";

/// The text, inert and trimmed, in at most `bytes` bytes; a mark shows where it was cut.
pub(crate) fn bounded(text: &str, bytes: usize) -> String {
    let text = text.trim();
    // An escape is longer than what it stands for, so the beginning that is looked at is always enough.
    let head = &text[..text.floor_char_boundary(bytes.saturating_add(1))];
    let shown = inert(head);
    if head.len() == text.len() && shown.len() <= bytes {
        return shown.into_owned();
    }
    let end = shown.floor_char_boundary(bytes.saturating_sub(CUT.len()));
    format!("{}{CUT}", shown[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_stays_as_it_is() {
        assert_eq!(bounded("  测试\n", 6), "测试");
        assert_eq!(bounded("", 0), "");
    }

    #[test]
    fn a_long_one_is_cut_at_a_character_and_marked() {
        let text = "é".repeat(100);
        for bytes in 6..80 {
            let cut = bounded(&text, bytes);
            assert!(cut.len() <= bytes && cut.ends_with(CUT), "{bytes}: {cut}");
        }
    }

    #[test]
    fn escapes_count() {
        let cut = bounded(&"\u{1b}".repeat(100), 60);
        assert!(cut.len() <= 60 && cut.starts_with("\\u{1b}\\u{1b}") && cut.ends_with(CUT), "{cut}");
    }
}
