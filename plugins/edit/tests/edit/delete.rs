//! What `delete` promises.

use edit::delete;
use workspace::scratch::Scratch;

#[test]
fn a_file_and_an_empty_directory_go() {
    let scratch = Scratch::with([("a/one", "12345")]);
    let workspace = scratch.whole();
    assert_eq!(delete(&workspace, "a/one", None).unwrap(), "deleted a/one (5 B)");
    assert_eq!(delete(&workspace, "a/", None).unwrap(), "deleted a/ (it was empty)");
    assert!(scratch.paths().is_empty());
}

#[test]
fn a_directory_goes_with_all_that_is_in_it_only_where_that_is_wanted() {
    let scratch = Scratch::with([("a/one", ""), ("a/b/two", ""), ("a/b/c/three", ""), ("d", "")]);
    let workspace = scratch.whole();
    for recursive in [None, Some(false)] {
        assert_eq!(
            delete(&workspace, "a", recursive).unwrap_err(),
            "a/ is not empty (3 files, 2 directories): set recursive to delete all that is in it"
        );
    }
    assert_eq!(scratch.paths().len(), 7);
    assert_eq!(
        delete(&workspace, "a", Some(true)).unwrap(),
        "deleted a/ (3 files, 2 directories): a/one, a/b/two, a/b/c/three"
    );
    assert_eq!(scratch.paths(), ["d"]);
}

#[test]
fn what_can_not_be_deleted_is_refused_in_words() {
    let scratch = Scratch::with([("src/a", ""), ("b", "")]);
    let refused = |path: &str| delete(&scratch.whole(), path, Some(true)).unwrap_err();
    assert_eq!(refused(""), "that is the workspace itself: give the path of something in it");
    assert_eq!(refused("a"), "no such file or directory: a; nearest: src/a");
    assert_eq!(refused("a/../.."), "paths are relative to the workspace: a/../.. leaves it with `..`");
    let parts = scratch.granting(["src"]);
    assert_eq!(delete(&parts, "b", None).unwrap_err(), "not granted: b; granted to this call: src/");
    assert_eq!(
        delete(&parts, "src", Some(true)).unwrap_err(),
        "a granted directory, which stays as it is: src"
    );
    assert_eq!(scratch.paths(), ["b", "src/", "src/a"]);
}

#[cfg(unix)]
#[test]
fn a_link_goes_and_what_it_leads_to_stays() {
    let scratch = Scratch::with([("a/one", ""), ("b/two", "")]);
    let link = |name: &str| std::os::unix::fs::symlink("../a", scratch.path().join(name)).unwrap();
    link("b/link");
    let workspace = scratch.whole();
    let said = delete(&workspace, "b/link", Some(true)).unwrap();
    assert_eq!(said, "deleted b/link (a link; what it leads to is still there)");
    link("b/link");
    let said = delete(&workspace, "b", Some(true)).unwrap();
    assert_eq!(said, "deleted b/ (1 file, 1 link): b/two, b/link");
    assert_eq!(scratch.paths(), ["a/", "a/one"]);
}
