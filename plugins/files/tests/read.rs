//! What `read_file` promises.

#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

use std::fs::File;

use files::read_file;
use workspace::scratch::Scratch;

fn read(scratch: &Scratch, start: Option<u32>, lines: Option<u32>) -> String {
    read_file(&scratch.whole(), "file", start, lines).unwrap()
}

fn numbered(lines: u32) -> String {
    (1..=lines).map(|line| format!("line {line}\n")).collect()
}

#[test]
fn lines_come_with_their_numbers() {
    let scratch = Scratch::with([("file", "one\n\ttwo\n\nfour")]);
    assert_eq!(
        read(&scratch, None, None),
        "file · lines 1-4 of 4 · 14 B\n  1\tone\n  2\t\ttwo\n  3\t\n  4\tfour"
    );
    assert_eq!(
        read(&scratch, Some(2), Some(1)),
        "file · lines 2-2 of 4 · 14 B\n  2\t\ttwo\n… 2 more lines: call again with start=3"
    );
    assert_eq!(read(&scratch, Some(0), Some(9)), read(&scratch, None, None));
}

#[test]
fn a_long_file_says_how_to_go_on_and_going_on_reaches_its_end() {
    let scratch = Scratch::with([("file", numbered(1640).as_str())]);
    let first = read(&scratch, None, None);
    assert!(first.starts_with("file · lines 1-400 of 1640 · "), "{first}");
    assert!(first.ends_with("\n  400\tline 400\n… 1,240 more lines: call again with start=401"), "{first}");
    let last = read(&scratch, Some(1601), None);
    assert!(last.starts_with("file · lines 1601-1640 of 1640 · "), "{last}");
    assert!(last.ends_with("\n  1640\tline 1640"), "{last}");
}

#[test]
fn lines_that_cross_the_parts_of_a_read_are_whole() {
    let text = numbered(100_000);
    let scratch = Scratch::with([("file", text.as_str())]);
    for start in (1..100_000).step_by(399) {
        let shown = read(&scratch, Some(start), Some(399));
        for (offset, line) in shown.lines().skip(1).take(399).enumerate() {
            let number = start as usize + offset;
            if number <= 100_000 {
                assert_eq!(line, format!("  {number}\tline {number}"));
            }
        }
    }
}

#[test]
fn a_result_stays_under_its_limit_however_many_lines_are_wanted() {
    let scratch = Scratch::with([("file", "x".repeat(100).as_str())]);
    scratch.write("file", format!("{}\n", "x".repeat(100)).repeat(5000));
    let shown = read(&scratch, None, Some(5000));
    assert!(shown.len() < 32 * 1024);
    let last = shown.lines().count() - 2;
    assert!(shown.ends_with(&format!("call again with start={}", last + 1)), "{shown}");
}

#[test]
fn a_file_of_one_line_is_cut_and_says_so() {
    let scratch = Scratch::with([]);
    scratch.write("file", "é".repeat(1 << 20));
    let shown = read(&scratch, None, None);
    assert!(shown.starts_with("file · lines 1-1 of 1 · 2.0 MB\n  1\téé"), "{}", &shown[..80]);
    assert!(shown.ends_with("é… [line of 2.0 MB, cut]"), "{}", &shown[shown.len() - 80..]);
    assert!(shown.len() < 3000 && !shown.contains('\u{fffd}'));
}

#[test]
fn a_huge_file_is_not_read_to_its_end() {
    let scratch = Scratch::with([]);
    scratch.write("file", numbered(1000));
    // A hole: the file is 4 GiB long and takes no space, and reading it all would be noticed.
    File::options().write(true).open(scratch.path().join("file")).unwrap().set_len(4 << 30).unwrap();
    let shown = read(&scratch, None, Some(2));
    assert_eq!(
        shown,
        "file · lines 1-2 of many · 4.0 GB\n  1\tline 1\n  2\tline 2\n… more lines: call again with start=3"
    );
    let far = read_file(&scratch.whole(), "file", Some(2000), None).unwrap_err();
    assert_eq!(far, "file: line 2000 is more than 1.0 GB into the file, and too far to read");
}

#[test]
fn what_is_no_text_is_said_and_not_shown() {
    let scratch = Scratch::with([]);
    scratch.write("file", b"\x7fELF\x02\x01\x01\0\0\0");
    assert_eq!(read(&scratch, None, None), "file · binary · 10 B: not shown");
    scratch.write("file", "");
    assert_eq!(read(&scratch, None, None), "file · empty");
    scratch.write("file", b"caf\xe9\n");
    assert_eq!(
        read(&scratch, None, None),
        "file · lines 1-1 of 1 · 5 B · not UTF-8: what can't be shown is \u{fffd}\n  1\tcaf\u{fffd}"
    );
    scratch.write("file", "a\r\nb\r\n");
    assert_eq!(read(&scratch, None, None), "file · lines 1-2 of 2 · 6 B · lines end in CRLF\n  1\ta\n  2\tb");
}

#[test]
fn what_can_not_be_read_is_refused_in_words() {
    let scratch = Scratch::with([("src/main.rs", "one\n"), (".hidden/x", "")]);
    let refused = |path, start, lines| read_file(&scratch.whole(), path, start, lines).unwrap_err();
    assert_eq!(refused("main.rs", None, None), "no such file or directory: main.rs; nearest: src/main.rs");
    assert_eq!(refused("src", None, None), "a directory, not a file: src; list_files shows what is in it");
    assert_eq!(refused("src/main.rs", Some(2), None), "src/main.rs has 1 line: start=2 is past its end");
    assert_eq!(refused("src/main.rs", None, Some(0)), "lines is at least 1");
    assert_eq!(
        refused("/etc/passwd", None, None),
        "paths are relative to the workspace: /etc/passwd is absolute"
    );
    assert_eq!(refused("src/main.rs/x", None, None), "not a directory: src/main.rs/x");
}
