use std::path::Path;

use remit_pack::inert_line;

/// How much of a foreign text a message repeats, in characters: a key of a megabyte must not fill the screen.
const MAX_SHOWN: usize = 80;

/// The same for words that explain something.
const MAX_WORDS: usize = 400;

/// A text of somebody else's file as a message may repeat it: on one line, inert, and cut where it is long.
pub(crate) fn shown(text: &str) -> String {
    cut(text, MAX_SHOWN)
}

/// Another part's explanation, which may repeat somebody else's text, as a message may pass it on.
pub(crate) fn shown_words(text: &str) -> String {
    cut(text, MAX_WORDS)
}

/// A path of the user's own, whole, so that it can be copied.
pub(crate) fn shown_path(path: &Path) -> String {
    inert_line(&path.to_string_lossy())
}

fn cut(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    inert_line(&short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_stays_on_its_line_and_does_nothing() {
        assert_eq!(shown("plain 测试"), "plain 测试");
        assert_eq!(shown("a\nb\tc\u{1b}[2J"), "a\\nb\\tc\\u{1b}[2J");
        assert_eq!(shown(&"é".repeat(200)).chars().count(), MAX_SHOWN + 1);
    }
}
