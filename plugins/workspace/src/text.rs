//! What is in a file: text or not, and a line of it as it is shown.

use std::borrow::Cow;

/// The longest result, in bytes. A role's default limit is 32 KB for one result, and what is over it is an
/// error and not cut: the end of a result says how to go on.
pub const MAX_RESULT: usize = 30_000;

/// How much of a file's start tells text from other data.
const LOOKED_AT: usize = 8 << 10;

/// Whether this is the start of a binary file: text has no NUL.
pub fn is_binary(start: &[u8]) -> bool {
    start[..start.len().min(LOOKED_AT)].contains(&0)
}

/// A line without its end, `\n` or `\r\n`.
pub fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The text of these bytes; what is no UTF-8 becomes `�`.
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The last place at or before `at` where no character is cut in two.
pub fn character_before(bytes: &[u8], at: usize) -> usize {
    let mut at = at.min(bytes.len());
    // A character has at most three bytes after its first; more of them are no UTF-8 and may be cut anywhere.
    for _ in 0..3 {
        if at == 0 || at == bytes.len() || bytes[at] & 0xc0 != 0x80 {
            break;
        }
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_leaves_characters_whole() {
        let text = "aé文😀".as_bytes();
        let cuts: Vec<_> = (0..=text.len()).map(|at| character_before(text, at)).collect();
        assert_eq!(cuts, [0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10]);
        assert!(cuts.iter().all(|cut| std::str::from_utf8(&text[..*cut]).is_ok()));
    }

    #[test]
    fn line_ends_of_both_kinds_are_taken_off() {
        assert_eq!(without_end(b"a\r\n"), b"a");
        assert_eq!(without_end(b"a\n"), b"a");
        assert_eq!(without_end(b"a"), b"a");
        assert_eq!(without_end(b"\n"), b"");
    }
}
