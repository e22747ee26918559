use std::borrow::Cow;
use std::fmt::Write;

/// The text with every character that acts instead of showing itself turned into a visible escape, such as
/// `\u{1b}`.
///
/// That holds for control characters other than newline and tab (terminal escapes begin with one), for
/// bidirectional controls, which show text in another order than it is stored, and for invisible characters
/// that can carry text past a reader's eyes. Text without any is borrowed as it is.
pub fn inert(text: &str) -> Cow<'_, str> {
    let Some(first) = first_active(text) else {
        return Cow::Borrowed(text);
    };
    let mut shown = String::with_capacity(text.len() + 16);
    shown.push_str(&text[..first]);
    for c in text[first..].chars() {
        if is_active(c) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// The text [`inert`] and on one line: newlines and tabs are escapes too, so that it can't look like lines of its own.
pub fn inert_line(text: &str) -> String {
    inert(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Where the first active character begins. Most text is long and harmless, so only characters whose first
/// byte can begin an active one are decoded.
fn first_active(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(offset) = text.as_bytes()[from..].iter().position(|&byte| MAY_BEGIN_ACTIVE[byte as usize])
    {
        let at = from + offset;
        let c = text[at..].chars().next()?;
        if is_active(c) {
            return Some(at);
        }
        from = at + c.len_utf8();
    }
    None
}

const MAY_BEGIN_ACTIVE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = byte != b'\n' as usize && byte != b'\t' as usize;
        byte += 1;
    }
    table[0x7f] = true;
    // The lead bytes of the characters that `is_active` names.
    table[0xc2] = true;
    table[0xd8] = true;
    table[0xe2] = true;
    table[0xef] = true;
    table[0xf3] = true;
    table
};

/// Whether the character acts instead of showing itself: one that [`inert`] escapes.
pub fn is_active(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        // Bidirectional marks, embeddings, overrides and isolates.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        // Line and paragraph separators end a line for some readers and not for others.
        '\u{2028}' | '\u{2029}' => true,
        // Byte order mark, and tags: invisible copies of ASCII.
        '\u{feff}' | '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_line_within() {
        assert_eq!(inert_line("a\nb\tc\u{1b}[2J"), "a\\nb\\tc\\u{1b}[2J");
    }

    #[test]
    fn harmless_text_is_borrowed() {
        for text in ["", "plain\n\ttext", "naïve — “quoted” 测试框架，完成 🦀", "\u{200d}joined"]
        {
            assert!(matches!(inert(text), Cow::Borrowed(same) if same == text), "{text:?}");
        }
    }

    #[test]
    fn whatever_acts_becomes_visible() {
        assert_eq!(inert("a\u{1b}[31mred\0"), "a\\u{1b}[31mred\\u{0}");
        assert_eq!(inert("é\u{202e}gpj.exe"), "é\\u{202e}gpj.exe");
        assert_eq!(inert("a\r\nb\u{7f}\u{9b}"), "a\\u{d}\nb\\u{7f}\\u{9b}");
    }

    #[test]
    fn every_active_character_is_found_and_none_is_left() {
        for c in '\0'..=char::MAX {
            let text = format!("é{c}é");
            let shown = inert(&text);
            assert_eq!(matches!(shown, Cow::Owned(_)), is_active(c), "{c:?}");
            assert!(!shown.chars().any(is_active), "{c:?}");
        }
    }
}
