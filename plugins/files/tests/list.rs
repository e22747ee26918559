//! What `list_files` promises.

#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

use files::list_files;
use workspace::scratch::Scratch;

fn listed(scratch: &Scratch, path: Option<&str>, depth: Option<u32>) -> String {
    list_files(&scratch.whole(), path, depth).unwrap()
}

#[test]
fn one_entry_a_line_with_sizes_and_slashes() {
    let scratch = Scratch::with([("src/main.rs", "fn main() {}\n"), ("README.md", ""), ("src/a/b", "")]);
    scratch.write("big", vec![b'x'; 8300]);
    assert_eq!(listed(&scratch, None, None), "README.md  0 B\nbig  8.1 KB\nsrc/\n(3 entries)");
    assert_eq!(listed(&scratch, Some("src"), None), "src/a/\nsrc/main.rs  13 B\n(2 entries)");
    assert_eq!(
        listed(&scratch, Some("src/"), Some(2)),
        "src/a/\nsrc/a/b  0 B\nsrc/main.rs  13 B\n(3 entries)"
    );
    assert_eq!(listed(&scratch, Some("src/main.rs"), None), "src/main.rs  13 B");
}

#[test]
fn an_empty_directory_is_said_to_be_empty() {
    let scratch = Scratch::with([]);
    std::fs::create_dir(scratch.path().join("hollow")).unwrap();
    assert_eq!(listed(&scratch, Some("hollow"), None), "(hollow/ is empty)");
}

#[test]
fn ignored_entries_are_named_and_not_listed() {
    let scratch = Scratch::with([(".gitignore", "target/\n"), ("target/x", ""), ("a", "")]);
    assert_eq!(
        listed(&scratch, None, None),
        ".gitignore  8 B\na  0 B\n(2 entries; ignored and not listed: target/)"
    );
    assert_eq!(listed(&scratch, Some("target"), None), "target/x  0 B\n(1 entry)");
}

#[test]
fn only_granted_directories_are_there() {
    let scratch = Scratch::with([("src/a", ""), ("docs/b", ""), ("secret", "")]);
    let workspace = scratch.granting(["src", "docs"]);
    assert_eq!(
        list_files(&workspace, None, None).unwrap(),
        "docs/\nsrc/\n(2 entries; granted to this call: docs/, src/)"
    );
    assert_eq!(
        list_files(&workspace, Some("secret"), None).unwrap_err(),
        "not granted: secret; granted to this call: docs/, src/"
    );
}

#[cfg(unix)]
#[test]
fn links_show_their_target_and_strange_names_stay_on_their_line() {
    let scratch = Scratch::with([("a\nb", ""), ("real", "")]);
    std::os::unix::fs::symlink("real", scratch.path().join("to")).unwrap();
    assert_eq!(listed(&scratch, None, None), "a\\nb  0 B\nreal  0 B\nto -> real\n(3 entries)");
}

#[test]
fn a_large_directory_is_cut_and_counted() {
    let scratch = Scratch::with([]);
    for number in 0..1500 {
        scratch.write(&format!("{number:04}"), "");
    }
    let listed = listed(&scratch, None, None);
    assert!(
        listed.contains("\n0999  0 B\n… 500 more entries: list a directory further down, or use find_files"),
        "{listed}"
    );
    assert!(listed.ends_with("\n(1,000 of 1,500 entries)"), "{listed}");
}

#[test]
fn what_can_not_be_listed_is_refused_in_words() {
    let scratch = Scratch::with([("src/a", "")]);
    let refused = |path, depth| list_files(&scratch.whole(), Some(path), depth).unwrap_err();
    assert_eq!(refused("scr", None), "no such file or directory: scr; nearest: src/");
    assert_eq!(refused("../x", None), "paths are relative to the workspace: ../x leaves it with `..`");
    assert_eq!(refused("/etc", None), "paths are relative to the workspace: /etc is absolute");
    assert_eq!(refused("src", Some(0)), "depth is at least 1");
}
