//! What `grep` promises.

#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

use search::Grep;
use workspace::scratch::Scratch;

fn grep(scratch: &Scratch, grep: Grep) -> String {
    grep.run(&scratch.whole()).unwrap()
}

fn of(pattern: &str) -> Grep {
    Grep { pattern: pattern.to_owned(), ..Grep::default() }
}

#[test]
fn matches_come_by_file_with_their_line_numbers() {
    let scratch = Scratch::with([
        ("src/a.rs", "fn one() {}\n\nfn two() {}\n"),
        ("src/b.rs", "fn three() {}"),
        ("README.md", "nothing\n"),
    ]);
    assert_eq!(
        grep(&scratch, of(r"^fn \w+")),
        "src/a.rs\n  1: fn one() {}\n  3: fn two() {}\nsrc/b.rs\n  1: fn three() {}\n(3 matches in 2 files)"
    );
    assert_eq!(
        grep(&scratch, Grep { path: Some("src/b.rs".into()), ..of("fn") }),
        "src/b.rs\n  1: fn three() {}\n(1 match in 1 file)"
    );
}

#[test]
fn no_match_says_where_it_looked() {
    let scratch = Scratch::with([("host/a", "x\n"), ("host/b", "y\n"), ("c", "z\n")]);
    assert_eq!(
        grep(&scratch, Grep { path: Some("host".into()), ..of("nope") }),
        "no matches for \"nope\" in host/ (2 files searched)"
    );
    assert_eq!(grep(&scratch, of("nope")), "no matches for \"nope\" in ./ (3 files searched)");
}

#[test]
fn context_is_shown_once_and_groups_are_set_apart() {
    let text: String = (1..=20)
        .map(|line| format!("{line}{}\n", if [5, 7, 15].contains(&line) { " hit" } else { "" }))
        .collect();
    let scratch = Scratch::with([("file", text.as_str())]);
    assert_eq!(
        grep(&scratch, Grep { context: Some(2), ..of("hit") }),
        "file\n  3- 3\n  4- 4\n  5: 5 hit\n  6- 6\n  7: 7 hit\n  8- 8\n  9- 9\n--\n  13- 13\n  14- 14\n  15: 15 hit\n  \
         16- 16\n  17- 17\n(3 matches in 1 file)"
    );
    assert_eq!(
        grep(&scratch, Grep { context: Some(1), limit: Some(1), ..of("hit") }),
        "file\n  4- 4\n  5: 5 hit\n  6- 6\n(limit of 1 match reached; narrow the pattern, path or glob, or raise limit)"
    );
}

#[test]
fn context_at_the_ends_of_a_file_is_what_there_is() {
    let scratch = Scratch::with([("file", "hit\nb\nc\nhit")]);
    assert_eq!(
        grep(&scratch, Grep { context: Some(20), ..of("hit") }),
        "file\n  1: hit\n  2- b\n  3- c\n  4: hit\n(2 matches in 1 file)"
    );
}

/// A file of many reads, against the plain answer.
#[test]
fn lines_and_context_that_cross_the_parts_of_a_read_are_whole() {
    let lines: Vec<String> = (1..=60_000u64)
        .map(|line| {
            format!("{line} {}", if line.wrapping_mul(2_654_435_761) % 97 == 0 { "hit" } else { "text" })
        })
        .collect();
    let scratch = Scratch::with([("file", lines.join("\n").as_str())]);
    let hits: Vec<usize> = (0..lines.len()).filter(|line| lines[*line].ends_with("hit")).collect();
    // The limits of a result allow for some hundred lines at once: looked at from many places.
    for skipped in (0..hits.len()).step_by(60) {
        let wanted = &hits[skipped..hits.len().min(skipped + 60)];
        let numbers: Vec<_> = wanted.iter().map(|line| (line + 1).to_string()).collect();
        let pattern = format!("^({}) hit", numbers.join("|"));
        let mut expected = String::from("file\n");
        let mut last = None;
        for line in wanted.iter().flat_map(|line| line.saturating_sub(2)..=(line + 2).min(lines.len() - 1)) {
            if last.is_some_and(|last| line <= last) {
                continue;
            }
            if last.is_some_and(|last| line > last + 1) {
                expected.push_str("--\n");
            }
            let mark = if wanted.contains(&line) { ':' } else { '-' };
            expected.push_str(&format!("  {}{mark} {}\n", line + 1, lines[line]));
            last = Some(line);
        }
        expected.push_str(&format!("({} matches in 1 file)", wanted.len()).replace("(1 matches", "(1 match"));
        assert_eq!(grep(&scratch, Grep { context: Some(2), ..of(&pattern) }), expected);
    }
}

#[test]
fn ignored_files_and_binary_files_are_left_out() {
    let scratch = Scratch::with([(".gitignore", "target/\n"), ("target/a", "hit"), ("a", "hit")]);
    scratch.write("b", b"hit\0hit");
    assert_eq!(grep(&scratch, of("hit")), "a\n  1: hit\n(1 match in 1 file; 1 binary file skipped)");
    assert_eq!(
        grep(&scratch, Grep { path: Some("target".into()), ..of("hit") }),
        "target/a\n  1: hit\n(1 match in 1 file)"
    );
}

#[test]
fn a_glob_chooses_files_and_an_exclamation_mark_leaves_them_out() {
    let scratch = Scratch::with([("a.rs", "hit"), ("b.py", "hit"), ("tests/c.rs", "hit")]);
    let with = |glob: &str| grep(&scratch, Grep { glob: Some(glob.into()), ..of("hit") });
    assert_eq!(with("*.rs"), "a.rs\n  1: hit\ntests/c.rs\n  1: hit\n(2 matches in 2 files)");
    assert_eq!(with("!*.rs"), "b.py\n  1: hit\n(1 match in 1 file)");
    assert_eq!(with("tests/"), "tests/c.rs\n  1: hit\n(1 match in 1 file)");
    assert_eq!(with("*.go"), "no matches for \"hit\" in ./ (0 files searched)");
}

#[test]
fn only_granted_directories_are_searched() {
    let scratch = Scratch::with([("src/a", "hit"), ("docs/b", "hit"), ("secret", "hit")]);
    let workspace = scratch.granting(["src", "docs"]);
    assert_eq!(
        of("hit").run(&workspace).unwrap(),
        "docs/b\n  1: hit\nsrc/a\n  1: hit\n(2 matches in 2 files)"
    );
    assert_eq!(
        Grep { path: Some("secret".into()), ..of("hit") }.run(&workspace).unwrap_err(),
        "not granted: secret; granted to this call: docs/, src/"
    );
}

#[test]
fn a_long_line_is_cut_around_its_match() {
    let line = format!("{}needle{}", "é".repeat(5000), "文".repeat(5000));
    let scratch = Scratch::with([("file", line.as_str())]);
    let found = grep(&scratch, of("needle"));
    assert!(found.starts_with("file\n  1: …éé") && found.contains("éneedle文"), "{found}");
    assert!(found.ends_with("文…\n(1 match in 1 file)"), "{found}");
    assert!(found.len() < 500 && !found.contains('\u{fffd}'), "{found}");
}

#[test]
fn results_stay_under_their_limit_and_say_why_they_end() {
    let scratch = Scratch::with([("file", format!("hit {}\n", "x".repeat(400)).repeat(2000).as_str())]);
    let limited = grep(&scratch, of("hit"));
    assert!(
        limited
            .ends_with("\n(limit of 100 matches reached; narrow the pattern, path or glob, or raise limit)")
            || limited.contains("the result was full"),
        "{limited}"
    );
    let full = grep(&scratch, Grep { limit: Some(1000), context: Some(20), ..of("hit") });
    assert!(full.len() < 32 * 1024);
    assert!(
        full.ends_with(" matches in 1 file, then the result was full; narrow the pattern, path or glob)"),
        "{full}"
    );
}

#[test]
fn case_and_line_ends_are_as_asked() {
    let scratch = Scratch::with([("file", "Hit\r\nhit\r\nmiss\r\n")]);
    assert_eq!(grep(&scratch, of("^hit$")), "file\n  2: hit\n(1 match in 1 file)");
    assert_eq!(
        grep(&scratch, Grep { ignore_case: Some(true), ..of("^hit$") }),
        "file\n  1: Hit\n  2: hit\n(2 matches in 1 file)"
    );
}

#[test]
fn patterns_that_match_nothing_at_all_match_each_line_once() {
    let scratch = Scratch::with([("file", "a\n\nb\n")]);
    for pattern in ["x*", "^", "$"] {
        assert_eq!(
            grep(&scratch, of(pattern)),
            "file\n  1: a\n  2: \n  3: b\n(3 matches in 1 file)",
            "{pattern}"
        );
    }
    assert_eq!(grep(&scratch, of("^$")), "file\n  2: \n(1 match in 1 file)");
    assert_eq!(grep(&scratch, of(r"a\s+b")), "no matches for \"a\\s+b\" in ./ (1 file searched)");
}

#[test]
fn a_match_never_goes_beyond_its_line() {
    let scratch = Scratch::with([("file", "call(a,\n  b)\ncall(c)\n  \nend")]);
    for (pattern, lines) in [
        (r"\([^)]*\)", vec![3]),
        (r"[^x]+", vec![1, 2, 3, 4, 5]),
        (r"(?s)call.*b", vec![]),
        (r",\s*b", vec![]),
        (r"^\s+$", vec![4]),
        (r"\Aend\z", vec![5]),
        (r"\D\S$|^\W+b", vec![1, 2, 3, 5]),
        (r"(?-u)\xff|[^\x00-\x60]{3}", vec![1, 3, 5]),
    ] {
        let found = grep(&scratch, of(pattern));
        let numbers: Vec<usize> = found
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split_once(": ")?.0.parse().ok())
            .collect();
        assert_eq!(numbers, lines, "{pattern}");
    }
    let error = Grep { pattern: r"a\nb".to_owned(), ..Grep::default() }.run(&scratch.whole()).unwrap_err();
    assert_eq!(error, r#"pattern "a\nb": a match lies within one line, and this asks for a line's end"#);
}

#[test]
fn a_bad_pattern_or_path_is_refused_in_words() {
    let scratch = Scratch::with([("file", "")]);
    let refused = |grep: Grep| grep.run(&scratch.whole()).unwrap_err();
    assert!(refused(of("a(")).contains("unclosed group"));
    assert_eq!(
        refused(of(r"(\w{1000}){1000}")),
        r#"pattern "(\w{1000}){1000}": it is too large: its repetitions multiply"#
    );
    assert!(refused(of(&format!("{}a{}", "(".repeat(500), ")".repeat(500)))).contains("nest"));
    assert_eq!(refused(of("")), "pattern is empty");
    assert_eq!(
        refused(Grep { path: Some("fil".into()), ..of("a") }),
        "no such file or directory: fil; nearest: file"
    );
    assert!(refused(Grep { glob: Some("{a".into()), ..of("a") }).starts_with("not a glob: {a: "));
}

#[test]
fn a_line_longer_than_memory_allows_is_searched_in_pieces() {
    let scratch = Scratch::with([]);
    scratch.write("file", format!("{}needle{}\nneedle\n", "x".repeat(3 << 20), "y".repeat(3 << 20)));
    let found = grep(&scratch, of("needle"));
    assert!(found.ends_with("\n  2: needle\n(2 matches in 1 file)"), "{found}");
}
