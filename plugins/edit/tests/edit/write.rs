//! What `write_file` promises.

use edit::write_file;
use workspace::scratch::Scratch;

fn written(scratch: &Scratch, path: &str, content: &str) -> String {
    let said = write_file(&scratch.whole(), path, content).unwrap();
    assert_eq!(scratch.read(path), content);
    said
}

#[test]
fn a_new_file_is_created_with_the_directories_above_it() {
    let scratch = Scratch::with([("src/main.rs", "")]);
    assert_eq!(written(&scratch, "src/lib.rs", "one\ntwo\n"), "created src/lib.rs: 2 lines, 8 B");
    assert_eq!(
        written(&scratch, "a/b/c", "x"),
        "created a/b/c: 1 line, 1 B; new directory: a/ and those in it"
    );
    assert_eq!(written(&scratch, "docs/x", ""), "created docs/x: 0 lines, 0 B; new directory: docs/");
}

#[test]
fn a_file_is_replaced_and_what_it_was_is_said() {
    let scratch = Scratch::with([("a", "one\ntwo\n"), ("empty", "")]);
    assert_eq!(written(&scratch, "a", "three\n"), "replaced a: 1 line, 6 B; before: 2 lines, 8 B");
    assert_eq!(written(&scratch, "./a", "three\n"), "a is so already: 1 line, 6 B");
    assert_eq!(written(&scratch, "empty", "é\n"), "replaced empty: 1 line, 3 B; before: 0 lines, 0 B");
    scratch.write("image", b"\x89PNG\0\0");
    assert_eq!(written(&scratch, "image", "text\n"), "replaced image: 1 line, 5 B; before: 6 B, no text");
}

#[test]
fn what_nobody_sees_and_gets_lost_is_said() {
    let scratch = Scratch::with([("a", "\u{feff}one\r\ntwo\r\n")]);
    assert_eq!(
        written(&scratch, "a", "one\ntwo"),
        "replaced a: 2 lines, 7 B; before: 2 lines, 13 B; it began with a byte order mark, and does no more; \
         its lines ended in CRLF, and end in LF now; its last line ended in a newline, and does no more"
    );
}

#[test]
fn what_can_not_be_written_is_refused_in_words() {
    let scratch = Scratch::with([("src/a", "old")]);
    let refused = |path: &str, content: &str| write_file(&scratch.whole(), path, content).unwrap_err();
    assert_eq!(refused("src", "x"), "a directory, not a file: src");
    assert_eq!(refused("src/a/b", "x"), "not a directory: src/a");
    assert_eq!(refused("new/", "x"), "new/ names a directory: give the path of a file");
    assert_eq!(refused(".", "x"), "that is the workspace itself: give the path of something in it");
    assert_eq!(refused("../a", "x"), "paths are relative to the workspace: ../a leaves it with `..`");
    assert_eq!(
        refused("src/a", &"x".repeat((16 << 20) + 1)),
        "src/a would have 16.0 MB, and files of more than 16.0 MB are not written"
    );
    assert_eq!(
        write_file(&scratch.granting(["src"]), "b", "x").unwrap_err(),
        "not granted: b; granted to this call: src/"
    );
    assert_eq!((scratch.read("src/a"), scratch.paths().len()), ("old".to_owned(), 2));
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_mode_and_a_link_stays_one() {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    let scratch = Scratch::with([("run.sh", "old\n")]);
    fs::set_permissions(scratch.path().join("run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    symlink("run.sh", scratch.path().join("link")).unwrap();
    written(&scratch, "link", "new\n");
    assert_eq!(scratch.read("run.sh"), "new\n");
    assert!(fs::symlink_metadata(scratch.path().join("link")).unwrap().is_symlink());
    assert_eq!(fs::metadata(scratch.path().join("run.sh")).unwrap().permissions().mode() & 0o777, 0o755);
}
