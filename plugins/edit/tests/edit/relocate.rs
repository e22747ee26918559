//! What `move` promises.

use edit::relocate;
use workspace::scratch::Scratch;

fn moved(scratch: &Scratch, from: &str, to: &str) -> String {
    relocate(&scratch.whole(), from, to).unwrap()
}

#[test]
fn a_file_is_moved_whatever_is_in_it() {
    let scratch = Scratch::with([("a/one", "1")]);
    scratch.write("image", b"\0\xff");
    assert_eq!(moved(&scratch, "a/one", "b/c/two"), "moved a/one to b/c/two");
    assert_eq!(moved(&scratch, "image", "picture"), "moved image to picture");
    assert_eq!(scratch.paths(), ["a/", "b/", "b/c/", "b/c/two", "picture"]);
    assert_eq!(scratch.read("b/c/two"), "1");
}

#[test]
fn a_directory_is_moved_with_all_that_is_in_it() {
    let scratch =
        Scratch::with([(".gitignore", "ignored\n"), ("a/one", "1"), ("a/b/two", "2"), ("a/ignored", "3")]);
    std::fs::create_dir(scratch.path().join("a/hollow")).unwrap();
    assert_eq!(moved(&scratch, "a", "x/y"), "moved a/ to x/y/ (3 files, 2 directories)");
    assert_eq!(
        scratch.paths(),
        [".gitignore", "x/", "x/y/", "x/y/b/", "x/y/b/two", "x/y/hollow/", "x/y/ignored", "x/y/one"]
    );
    assert_eq!(moved(&scratch, "x/y/b/", "b/"), "moved x/y/b/ to b/ (1 file)");
}

#[test]
fn what_can_not_be_moved_is_refused_in_words_and_stays() {
    let scratch = Scratch::with([("a/one", "1"), ("b/two", "2"), ("file", "")]);
    let before = scratch.paths();
    let refused = |from: &str, to: &str| relocate(&scratch.whole(), from, to).unwrap_err();
    assert_eq!(refused("a/one", "b/two"), "already exists: b/two; delete it first, or choose another path");
    assert_eq!(
        refused("a/one", "b"),
        "already exists: b/; to move it in there, give the whole path as to: b/one"
    );
    assert_eq!(refused("a", "a/c"), "a/ can't be moved into itself: a/c");
    assert_eq!(refused("a", "a/"), "from and to are the same: a");
    assert_eq!(refused("one", "c"), "no such file or directory: one; nearest: a/one");
    assert_eq!(refused("a/one", "file/x"), "not a directory: file");
    assert_eq!(refused(".", "c"), "that is the workspace itself: give the path of something in it");
    assert_eq!(refused("a", "../c"), "paths are relative to the workspace: ../c leaves it with `..`");
    assert_eq!(
        relocate(&scratch.granting(["a"]), "a", "a/b").unwrap_err(),
        "a/ can't be moved into itself: a/b"
    );
    assert_eq!(
        relocate(&scratch.granting(["a", "b"]), "a/one", "c/one").unwrap_err(),
        "not granted: c/one; granted to this call: a/, b/"
    );
    assert_eq!(
        relocate(&scratch.granting(["a", "b"]), "a", "b/a").unwrap_err(),
        "a granted directory, which stays as it is: a"
    );
    assert_eq!(scratch.paths(), before);
}

#[cfg(unix)]
#[test]
fn links_are_not_moved() {
    let scratch = Scratch::with([("a/one", "1")]);
    std::os::unix::fs::symlink("one", scratch.path().join("a/link")).unwrap();
    let refused = |from: &str| relocate(&scratch.whole(), from, "b").unwrap_err();
    assert_eq!(refused("a/link"), "a link, which can't be moved: a/link; move what it leads to");
    assert_eq!(refused("a"), "a/ has links in it, which can't be moved: a/link; move files one by one");
    assert_eq!(scratch.paths(), ["a/", "a/link", "a/one"]);
}
