use remit_pack::inert;

/// How long the summary of a result is, in bytes.
const SUMMARY_BYTES: usize = 160;

/// A result as it enters the messages, and whether it is cut.
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) cut: bool,
}

/// Makes a result ready for the messages: inert, and of at most `limit` bytes, the mark of a cut included unless it alone
/// is longer.
pub(super) fn shown(text: &str, limit: usize) -> Shown {
    let text = inert(text);
    if text.len() <= limit {
        return Shown { text: text.into_owned(), cut: false };
    }
    let mark = |shown: usize| {
        format!(
            "\n[cut: {shown} of {} bytes are shown. To see the rest, ask for less at a time: a narrower path or pattern, or \
             a range.]",
            text.len()
        )
    };
    let room = limit.saturating_sub(mark(text.len()).len());
    let mut end = text.floor_char_boundary(room);
    // Whole lines, where that does not cost much.
    if let Some(line) = text[..end].rfind('\n')
        && line >= end / 4 * 3
    {
        end = line;
    }
    Shown { text: format!("{}{}", &text[..end], mark(end)), cut: true }
}

/// The first line of a result that says something, shortened.
pub(super) fn summary(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    crate::report::bounded(line, SUMMARY_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_shown_whole_and_inert() {
        let result = shown("a\u{1b}[31m\nb", 20);
        assert_eq!((result.text.as_str(), result.cut), ("a\\u{1b}[31m\nb", false));
    }

    #[test]
    fn what_does_not_fit_is_cut_between_characters_and_says_how_to_go_on() {
        let text = "é".repeat(10_000);
        for limit in 200..260 {
            let result = shown(&text, limit);
            assert!(result.cut && result.text.len() <= limit, "{limit}: {}", result.text.len());
            assert!(result.text.starts_with("éé") && result.text.contains("of 20000 bytes are shown"));
        }
        assert!(shown(&text, 0).text.starts_with("\n[cut: 0 of 20000"));
    }

    #[test]
    fn lines_are_kept_whole_where_they_are_short() {
        let text = "a line of text\n".repeat(100);
        let result = shown(&text, 400);
        assert!(result.text.contains("a line of text\n[cut: "), "{}", result.text);
    }

    #[test]
    fn a_summary_is_the_first_line_that_says_something() {
        assert_eq!(summary("\n  14 hits\nmore"), "14 hits");
        assert_eq!(summary(""), "");
    }
}
