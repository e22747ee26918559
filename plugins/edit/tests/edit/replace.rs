//! What `edit_file` promises.

use edit::edit_file;
use workspace::scratch::Scratch;

/// What is said, and what the file is afterwards.
fn edited(content: &str, old: &str, new: &str) -> (String, String) {
    let scratch = Scratch::with([("file", content)]);
    let said = edit_file(&scratch.whole(), "file", old, new, None).unwrap();
    (said, scratch.read("file"))
}

fn all_edited(content: &str, old: &str, new: &str) -> (String, String) {
    let scratch = Scratch::with([("file", content)]);
    let said = edit_file(&scratch.whole(), "file", old, new, Some(true)).unwrap();
    (said, scratch.read("file"))
}

/// Why it is not done. The file is as it was.
fn refused(content: &str, old: &str, new: &str) -> String {
    let scratch = Scratch::with([("file", content)]);
    let said = edit_file(&scratch.whole(), "file", old, new, None).unwrap_err();
    assert_eq!(scratch.read("file"), content);
    said
}

fn numbered(lines: usize) -> String {
    (1..=lines).map(|line| format!("line {line}\n")).collect()
}

#[test]
fn the_changed_lines_are_shown_with_some_around_them() {
    let (said, file) = edited(&numbered(9), "line 5\n", "five\nand a half\n");
    assert_eq!(
        said,
        "edited file: lines 5-6 of 10 lines\n  2\tline 2\n  3\tline 3\n  4\tline 4\n  5\tfive\n  6\tand a half\n  \
         7\tline 6\n  8\tline 7\n  9\tline 8"
    );
    assert_eq!(file, numbered(9).replace("line 5\n", "five\nand a half\n"));
    assert_eq!(edited("let é = 文;\n", "é = 文", "ü").0, "edited file: line 1 of 1 line\n  1\tlet ü;");
}

#[test]
fn text_can_be_taken_out_and_a_file_emptied() {
    assert_eq!(
        edited(&numbered(3), "line 2\n", ""),
        (
            "edited file: line 2 of 2 lines\n  1\tline 1\n  2\tline 3".to_owned(),
            "line 1\nline 3\n".to_owned()
        )
    );
    assert_eq!(edited("a\n", "a\n", ""), ("edited file: line 1 of 0 lines".to_owned(), String::new()));
}

#[test]
fn a_result_is_short_however_much_is_changed() {
    let (said, _) = edited("x\n", "x\n", &numbered(1000));
    assert!(said.starts_with("edited file: lines 1-1000 of 1,000 lines\n  1\tline 1\n"), "{said}");
    assert!(said.ends_with("\n  60\tline 60\n… 940 more lines"), "{said}");
    let (said, _) = all_edited(&"x\n\n\n\n\n\n\n\n\n\n".repeat(100), "x", "y");
    assert!(said.starts_with("edited file: 100 replacements, lines 1, 11, 21, "), "{said}");
    assert!(said.contains(" and 80 more of 1,000 lines\n  1\ty\n"), "{said}");
    assert!(said.ends_with(" more places"), "{said}");
    let (said, _) = edited("x", "x", &"é".repeat(10_000));
    assert!(said.len() < 500 && said.ends_with("é…"), "{said}");
}

#[test]
fn crlf_stays_where_it_is_and_what_comes_takes_it_on() {
    let (said, file) = edited("a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\ny\n");
    assert_eq!(file, "a\r\nx\r\ny\r\nc\r\n");
    assert_eq!(said, "edited file: lines 2-3 of 4 lines\n  1\ta\n  2\tx\n  3\ty\n  4\tc");
    // Within a line, and where the caller writes CRLF itself.
    assert_eq!(edited("a b\r\n", "a b", "a\nb").1, "a\r\nb\r\n");
    assert_eq!(edited("a\r\nb\r\n", "a\r\nb", "a\r\nc").1, "a\r\nc\r\n");
    assert_eq!(edited("a\nb\n", "a\r\nb", "a\r\nc\r\nd").1, "a\nc\nd\n");
    // Each line of a mixed file keeps its own.
    assert_eq!(edited("a\r\nb\nc\r\nd\n", "a\nb\nc\nd\n", "a\nB\nc\nD\n").1, "a\r\nB\nc\r\nD\n");
    assert_eq!(edited("a\nb\r\nc\n", "b\n", "x\ny\n").1, "a\nx\r\ny\r\nc\n");
}

#[test]
fn the_final_newline_and_the_byte_order_mark_survive() {
    assert_eq!(edited("a\nb", "b", "c").1, "a\nc");
    assert_eq!(edited("a\nb\n", "b", "c").1, "a\nc\n");
    assert_eq!(edited("\u{feff}a\nb\n", "a\n", "x\n").1, "\u{feff}x\nb\n");
    assert_eq!(
        edited("\u{feff}a\r\n", "a", "b"),
        ("edited file: line 1 of 1 line\n  1\tb".to_owned(), "\u{feff}b\r\n".to_owned())
    );
}

#[test]
fn all_places_are_replaced_where_that_is_wanted() {
    let (said, file) = all_edited("a = a\nb\na\n", "a", "aa");
    assert_eq!(file, "aa = aa\nb\naa\n");
    assert_eq!(said, "edited file: 3 replacements, lines 1 and 3 of 3 lines\n  1\taa = aa\n  2\tb\n  3\taa");
    assert_eq!(all_edited("aaa", "aa", "b").1, "ba");
    assert_eq!(all_edited("a\n", "a", "b").1, "b\n");
}

#[test]
fn what_is_there_several_times_is_refused_with_its_lines() {
    assert_eq!(
        refused("x\na\n\nx\nx = x\n", "x", "y"),
        "old is in file 4 times, at lines 1, 4 and 5: add lines around it until it is there once, or set all"
    );
    assert_eq!(
        refused("a\nx\nx\nx\n", "x\nx\n", "y\n"),
        "old is in file 2 times, at lines 2 and 3: add lines around it until it is there once, or set all"
    );
    assert_eq!(
        refused("a\n\nb\na\n\nb\n", "\nb", "\nc"),
        "old is in file 2 times, at lines 3 and 6: add lines around it until it is there once, or set all"
    );
}

#[test]
fn white_space_that_differs_is_shown() {
    assert_eq!(
        refused("fn a() {\n\tb();\n}\n", "fn a() {\n    b();\n}\n", "x"),
        "old is not in file. Nearest: lines 1-3, but for white space; first difference in line 2:\n  file \
         \"\\tb();\"\n  old  \"    b();\""
    );
    assert_eq!(
        refused("a\nfoo(a,  b) \nc\n", "foo(a, b)\nc\n", "x"),
        "old is not in file. Nearest: lines 2-3, but for white space; first difference in line 2:\n  file \
         \"foo(a,  b) \"\n  old  \"foo(a, b)\""
    );
    assert_eq!(
        refused("let a\u{a0}= 1;\n", "let a = 1;", "x"),
        "old is not in file. Nearest: line 1, but for white space; first difference in line 1:\n  file \"let \
         a\\u{a0}= 1;\"\n  old  \"let a = 1;\""
    );
    assert_eq!(
        refused("a\nb\n", "\n\na\n", "x"),
        "old is not in file. Nearest: line 1, but for blank lines around it"
    );
}

#[test]
fn the_first_line_that_differs_is_shown() {
    let file = "fn one() {\n    first();\n}\n\nfn two() {\n    second(1);\n    third();\n}\n";
    assert_eq!(
        refused(file, "fn two() {\n    second(2);\n    third();\n}\n", "x"),
        "old is not in file. Nearest: lines 5-8; first difference in line 6:\n  file \"    second(1);\"\n  old  \
         \"    second(2);\""
    );
    assert_eq!(
        refused(file, "    thrid();", "x"),
        "old is not in file. Nearest: line 7; first difference in line 7:\n  file \"    third();\"\n  old  \"    \
         thrid();\""
    );
    assert_eq!(
        refused(file, "    third();\n}\n\nfn three() {\n", "x"),
        "old is not in file. Nearest: lines 7-8; the file has no line where old has \"\""
    );
    assert_eq!(
        refused(file, "nothing like it at all", "x"),
        "old is not in file, nor anything like it: read the file"
    );
    let long = format!("{}1{}\n", "a ".repeat(400), "b ".repeat(400));
    let said = refused(&long, &long.replace('1', "2"), "x");
    assert!(said.len() < 600 && said.contains("a 1b ") && said.contains("a 2b "), "{said}");
}

#[test]
fn the_usual_mistakes_are_named() {
    assert_eq!(
        refused("one\ntwo\n", "  1\tone\n  2\ttwo", "x"),
        "old is not in file with line numbers in front of its lines: give the lines without them"
    );
    assert_eq!(
        refused("one\ntwo\n", "one\\ntwo", "x"),
        "old is not in file with its backslashes: give line ends, tabs and quotes as they are"
    );
    assert!(
        refused("let b = 1;\n", "let a = 1;", "let b = 1;")
            .starts_with("old is not in file; new is there already. Nearest: line 1; ")
    );
    assert_eq!(refused("", "a", "b"), "old is not in file: the file is empty; write_file writes it");
    assert_eq!(
        refused("a\n", "", "b"),
        "old is empty: give the text to replace, or write the whole file with write_file"
    );
    assert_eq!(refused("a\n", "a", "a"), "old and new are the same: there is nothing to change");
    assert_eq!(
        refused("a\r\n", "a\r\n", "a\n"),
        "old and new differ only in line ends, and a file keeps those that it has; write_file writes a file with \
         the ones that it is given"
    );
}

#[test]
fn what_is_no_text_or_not_there_is_refused_in_words() {
    let scratch = Scratch::with([("src/main.rs", "a\n")]);
    scratch.write("image", [b'x', 0].repeat(5000));
    scratch.write("latin", b"caf\xe9\n");
    scratch.write("large", vec![b'x'; (16 << 20) + 1]);
    let refused = |path: &str| edit_file(&scratch.whole(), path, "a", "b", None).unwrap_err();
    assert_eq!(refused("image"), "image is binary (9.8 KB): only text is edited");
    assert_eq!(refused("latin"), "latin is not UTF-8 (5 B): only UTF-8 text is edited");
    assert_eq!(refused("large"), "large has 16.0 MB, and files of more than 16.0 MB are not edited");
    assert_eq!(refused("src"), "a directory, not a file: src");
    assert_eq!(refused("main.rs"), "no such file or directory: main.rs; nearest: src/main.rs");
    assert_eq!(refused("/etc/passwd"), "paths are relative to the workspace: /etc/passwd is absolute");
}
