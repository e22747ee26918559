//! A diff from one text to another, applied to the one, makes the other.

use edit::{apply_patch, edit_file};
use proptest::prelude::*;
use similar::TextDiff;
use workspace::scratch::Scratch;

/// Lines of few kinds, so that texts share many and repeat some; some look like parts of a diff.
const LINES: [&str; 8] = ["", "a", "b", " b", "-- x", "++ y", "@@ -1 +1 @@", "é\u{feff}"];

/// Texts whose lines end in these ways; a last line without an end.
fn text(ends: &'static [&'static str], last: &'static [&'static str]) -> impl Strategy<Value = String> {
    let line = (prop::sample::select(&LINES[..]), prop::sample::select(ends))
        .prop_map(|(line, end)| format!("{line}{end}"));
    (prop::collection::vec(line, 0..20), prop::sample::select(last))
        .prop_map(|(lines, last)| lines.concat() + last)
}

fn alike() -> impl Strategy<Value = String> {
    text(&["\n"], &["", "end"])
}

/// A carriage return may stand for itself, before a line's end. (At the end of all the crate does not say that a
/// newline is missing.)
fn mixed() -> impl Strategy<Value = String> {
    text(&["\n", "\r\n", "\r\r\n"], &["", "end"])
}

fn applied(a: &str, b: &str, context: usize) -> String {
    // The crate's own notion of a line ends at a lone carriage return too.
    let [old, new] = [a, b].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let diff = TextDiff::configure()
        .newline_terminated(true)
        .diff_slices(&old, &new)
        .unified_diff()
        .context_radius(context)
        .header("a/file", "b/file")
        .missing_newline_hint(true)
        .to_string();
    let scratch = Scratch::with([("file", a)]);
    if !diff.is_empty() {
        let said = apply_patch(&scratch.whole(), &diff);
        assert!(said.is_ok(), "{said:?}\n{diff}");
    }
    scratch.read("file")
}

proptest! {
    // A failure is told by its input, and no file is written beside the tests.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_diff_of_lines_that_end_alike_is_exact(
        a in alike(),
        b in alike(),
        context in 0..4_usize,
    ) {
        prop_assert_eq!(applied(&a, &b, context), b);
    }

    #[test]
    fn a_diff_of_lines_that_end_in_both_ways_is_exact(
        a in mixed(),
        b in mixed(),
        context in 1..4_usize,
    ) {
        prop_assert_eq!(applied(&a, &b, context), b);
    }

    #[test]
    fn an_edit_is_what_replacing_the_text_would_be(
        before in alike(),
        after in alike(),
        old in "[x-z\n]{1,6}",
        new in "[x-z\n]{0,6}",
    ) {
        let content = format!("{before}<{old}>{after}");
        let scratch = Scratch::with([("file", content.as_str())]);
        let (old, new) = (format!("<{old}>"), format!("<{new}>"));
        prop_assume!(old != new);
        edit_file(&scratch.whole(), "file", &old, &new, None).unwrap();
        prop_assert_eq!(scratch.read("file"), content.replacen(&old, &new, 1));
    }
}
