//! What `find_files` promises.

#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

use files::find_files;
use workspace::scratch::Scratch;

fn found(scratch: &Scratch, pattern: &str, path: Option<&str>) -> String {
    find_files(&scratch.whole(), pattern, path).unwrap()
}

#[test]
fn paths_come_in_order_one_a_line() {
    let scratch =
        Scratch::with([("src/main.rs", ""), ("src/a/lib.rs", ""), ("Cargo.toml", ""), ("tests/one.rs", "")]);
    assert_eq!(found(&scratch, "*.rs", None), "src/a/lib.rs\nsrc/main.rs\ntests/one.rs\n(3 matches)");
    assert_eq!(found(&scratch, "**/*.rs", Some("src")), "src/a/lib.rs\nsrc/main.rs\n(2 matches)");
    assert_eq!(found(&scratch, "src/*.rs", None), "src/main.rs\n(1 match)");
    assert_eq!(found(&scratch, "tests", None), "tests/\n(1 match)");
    assert_eq!(found(&scratch, "*.{toml,md}", None), "Cargo.toml\n(1 match)");
}

#[test]
fn nothing_found_says_where_it_looked_and_where_it_did_not() {
    let scratch = Scratch::with([(".gitignore", "target/\n"), ("target/a.py", ""), ("src/a.rs", "")]);
    assert_eq!(
        found(&scratch, "*.py", None),
        "(no matches for \"*.py\" in ./; 3 entries looked at; ignored and not looked into: target/)"
    );
    assert_eq!(found(&scratch, "*.py", Some("target")), "target/a.py\n(1 match)");
}

#[test]
fn many_matches_are_cut_and_counted() {
    let scratch = Scratch::with([]);
    for number in 0..700 {
        scratch.write(&format!("{number:04}"), "");
    }
    let found = found(&scratch, "*", None);
    assert!(
        found.ends_with("\n0499\n(the first 500 of 700 matches; narrow the pattern or the path)"),
        "{found}"
    );
}

#[test]
fn a_bad_pattern_or_path_is_refused_in_words() {
    let scratch = Scratch::with([("src/a", "")]);
    let refused = |pattern, path| find_files(&scratch.whole(), pattern, path).unwrap_err();
    assert!(refused("{a", None).starts_with("not a glob: {a: "));
    assert_eq!(refused("*", Some("src/a")), "not a directory: src/a");
    assert_eq!(refused("*", Some("gone")), "no such file or directory: gone");
}
