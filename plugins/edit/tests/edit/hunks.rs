//! Where `apply_patch` finds a hunk, and what it says where it finds none.

use edit::apply_patch;
use workspace::scratch::Scratch;

fn patched(content: &str, hunks: &str) -> (String, String) {
    let scratch = Scratch::with([("file", content)]);
    let said = apply_patch(&scratch.whole(), &format!("--- a/file\n+++ b/file\n{hunks}")).unwrap();
    (said, scratch.read("file"))
}

fn refused(content: &str, hunks: &str) -> String {
    let scratch = Scratch::with([("file", content)]);
    let said = apply_patch(&scratch.whole(), &format!("--- a/file\n+++ b/file\n{hunks}")).unwrap_err();
    assert_eq!(scratch.read("file"), content);
    said
}

#[test]
fn a_hunk_is_searched_where_it_is_not_at_its_line_and_the_distance_is_said() {
    let file = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let (said, new) = patched(file, "@@ -1,2 +1,2 @@\n 5\n-6\n+six\n@@ -4,2 +4,2 @@\n 8\n-9\n+nine\n");
    assert_eq!(new, "1\n2\n3\n4\n5\nsix\n7\n8\nnine\n");
    assert_eq!(said, "patched 1 file\n  changed file +2 -2 (hunk 1 found at line 5, 4 lines further down)");
    let (said, new) = patched(file, "@@ -8,2 +8,1 @@\n-2\n 3\n");
    assert_eq!(new, "1\n3\n4\n5\n6\n7\n8\n9\n");
    assert!(said.ends_with("(hunk 1 found at line 2, 6 lines further up)"), "{said}");
}

#[test]
fn hunks_may_lack_numbers_count_wrongly_and_come_in_any_order() {
    let file = "1\n2\n\n4\n5\n";
    let (said, new) = patched(file, "@@ -4,9 +4,9 @@\n-4\n+four\n 5\n@@ -1,1 +1,1 @@\n 1\n-2\n+two\n\n");
    assert_eq!(new, "1\ntwo\n\nfour\n5\n");
    assert!(
        said.ends_with(
            "(hunk 1 has other numbers of lines than its header says; hunk 2 has other numbers of lines than its \
             header says)"
        ),
        "{said}"
    );
    assert_eq!(patched(file, "@@ ... @@\n 2\n\n-4\n+four\n").1, "1\n2\n\nfour\n5\n");
    assert_eq!(patched(file, "@@\n-1\n+-- 1\n 2\n").1, "-- 1\n2\n\n4\n5\n");
}

#[test]
fn lines_that_look_like_headers_are_lines() {
    assert_eq!(
        patched("-- a\n++ b\nc\n", "@@ -1,3 +1,3 @@\n--- a\n-++ b\n+-- x\n+++ y\n c\n").1,
        "-- x\n++ y\nc\n"
    );
}

#[test]
fn lines_are_added_where_no_context_is_given() {
    assert_eq!(patched("1\n2\n", "@@ -1,0 +2 @@\n+x\n").1, "1\nx\n2\n");
    assert_eq!(patched("1\n2\n", "@@ -0,0 +1 @@\n+x\n").1, "x\n1\n2\n");
    assert_eq!(patched("", "@@ -0,0 +1 @@\n+x\n").1, "x\n");
    assert_eq!(
        refused("1\n", "@@ -7,0 +8 @@\n+x\n"),
        "nothing was changed\nfile: hunk 1 (line 3 of the patch) adds lines where none are: the file has 1 line"
    );
    assert_eq!(
        refused("1\n", "@@\n+x\n"),
        "nothing was changed\nfile: hunk 1 (line 3 of the patch) adds lines and says not where: give its header \
         numbers, or lines around it"
    );
}

#[test]
fn a_hunk_that_fits_at_several_places_is_refused_with_their_lines() {
    let file = "a\nx\nb\nx\nc\nx\n";
    assert_eq!(patched(file, "@@ -4 +4 @@\n-x\n+y\n").1, "a\nx\nb\ny\nc\nx\n");
    assert_eq!(
        refused(file, "@@ -1 +1 @@\n-x\n+y\n"),
        "nothing was changed\nfile: hunk 1 (line 3 of the patch) fits at lines 2, 4 and 6, and not at line 1: give it \
         the right line, or more lines around it"
    );
}

#[test]
fn white_space_counts_and_what_is_nearest_is_shown() {
    assert_eq!(
        refused("fn a() {\n\tb();\n}\n", "@@ -1,3 +1,3 @@\n fn a() {\n-    b();\n+    c();\n }\n"),
        "nothing was changed\nfile: hunk 1 (line 3 of the patch) does not fit at line 1 or elsewhere. Nearest: lines \
         1-3, but for white space; first difference in line 2:\n  file  \"\\tb();\"\n  patch \"    b();\""
    );
    assert_eq!(
        refused(
            "one\ntwo\nthree\nfour\n",
            "@@ -1 +1 @@\n-one\n+1\n@@ -2,3 +2,3 @@\n two\n-thre\n+3\n four\n"
        ),
        "nothing was changed\nfile: hunk 2 (line 6 of the patch) does not fit at line 2 or elsewhere. Nearest: lines \
         2-4; first difference in line 3:\n  file  \"three\"\n  patch \"thre\""
    );
    assert_eq!(
        refused("1\n2\n", "@@ -1,2 +1 @@\n-zzzz\n 2\n"),
        "nothing was changed\nfile: hunk 1 (line 3 of the patch) does not fit at line 1 or elsewhere. Nearest: lines \
         1-2; first difference in line 1:\n  file  \"1\"\n  patch \"zzzz\""
    );
    assert_eq!(
        refused("1\n2\n", "@@ -2,2 +2 @@\n-aaaa\n bbbb\n"),
        "nothing was changed\nfile: hunk 1 (line 3 of the patch) does not fit at line 2 or elsewhere: line 2\n  file  \
         \"2\"\n  patch \"aaaa\""
    );
}

#[test]
fn what_was_applied_already_is_said() {
    assert_eq!(
        refused("1\ntwo\n3\n", "@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"),
        "nothing was changed\nfile: hunk 1 (line 3 of the patch) does not fit at line 1 or elsewhere, and its new lines \
         are there: it seems to be applied already"
    );
    assert_eq!(
        refused("1\n2\n", "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+3\n"),
        "nothing was changed\nfile: hunk 1 (line 3 of the patch) does not fit: its lines are there, but whether the file \
         ends in a newline is not as it says"
    );
    assert_eq!(
        refused("1\n2\n3\n", "@@ -1,2 +1,2 @@\n 1\n-2\n+x\n@@ -1,3 +1,3 @@\n 1\n-2\n+y\n 3\n"),
        "nothing was changed\nfile: hunk 2 (line 7 of the patch) is at line 1, and the hunk before it goes further: put \
         them in order, and what changes the same lines into one"
    );
    assert_eq!(
        refused("1\n2\n3\n", "@@ -2,2 +2,2 @@\n-2\n+x\n 3\n@@ -1,2 +1,2 @@\n 1\n-2\n+y\n"),
        "nothing was changed\nfile: two hunks change the same lines"
    );
}

#[test]
fn all_files_fit_or_none_is_changed() {
    let scratch = Scratch::with([("a", "1\n"), ("b", "1\n"), ("c", "1\n"), ("src/d", "1\n")]);
    let before = scratch.paths();
    let patch = "\
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+x
--- a/a
+++ b/a
@@ -1 +1 @@
-1
+2
--- a/b
+++ /dev/null
@@ -1 +0,0 @@
-1
--- a/d
+++ b/d
@@ -1 +1 @@
-1
+2
--- /dev/null
+++ b/c
@@ -0,0 +1 @@
+x
";
    assert_eq!(
        apply_patch(&scratch.whole(), patch).unwrap_err(),
        "nothing was changed: the patch does not fit 2 of 5 files\nno such file or directory: d; nearest: src/d\nc exists \
         already"
    );
    assert_eq!(scratch.paths(), before);
    assert_eq!((scratch.read("a"), scratch.read("c")), ("1\n".to_owned(), "1\n".to_owned()));
}

#[test]
fn files_that_are_not_as_the_patch_has_them_are_named() {
    let scratch = Scratch::with([("a", "1\n2\n"), ("b", "")]);
    let refused = |patch: &str| {
        let said = apply_patch(&scratch.whole(), patch).unwrap_err();
        said.strip_prefix("nothing was changed\n").unwrap_or(&said).to_owned()
    };
    assert_eq!(
        refused("--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"),
        "a: the patch deletes the file, and 1 line of it would be left"
    );
    assert_eq!(refused("diff --git a/a b/b\nrename from a\nrename to b\n"), "b exists already");
    assert_eq!(
        refused("--- /dev/null\n+++ b/c\n@@ -1 +1,2 @@\n x\n+y\n"),
        "c: the patch creates the file, and has lines of it that were there before"
    );
    assert_eq!(refused("--- /dev/null\n+++ b/a/c\n@@ -0,0 +1 @@\n+y\n"), "not a directory: a");
    assert_eq!(
        refused("--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-1\n+y\n"),
        "a file's name in the patch: paths are relative to the workspace: ../x leaves it with `..`"
    );
    assert_eq!(
        refused("--- a/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n"),
        "nothing was changed: the patch does not fit 1 of 2 files\na is gone by then"
    );
}

#[test]
fn what_is_no_unified_diff_is_refused_in_words() {
    let scratch = Scratch::with([("a", "1\n")]);
    let refused = |patch: &str| apply_patch(&scratch.whole(), patch).unwrap_err();
    assert_eq!(refused(" \n"), "patch is empty");
    let form = "for each file it has `--- a/path` and `+++ b/path`, then hunks, `@@ -1,3 +1,4 @@` and lines that begin \
                with a space, `-` or `+`";
    assert_eq!(refused("change a to b"), format!("this is no unified diff: {form}"));
    assert_eq!(
        refused("*** Begin Patch\n*** Update File: a\n"),
        format!("this is no unified diff, which is another format: {form}")
    );
    assert_eq!(
        refused("@@ -1 +1 @@\n-1\n+2\n"),
        "line 1 of the patch: a hunk of no file: lines `--- a/path` and `+++ b/path` come before it"
    );
    assert_eq!(
        refused("--- a/a\n+++ b/a\n@@ -x +1 @@\n-1\n"),
        "line 3 of the patch: not a hunk's header: @@ -x +1 @@; it is as `@@ -12,5 +12,6 @@`"
    );
    assert_eq!(
        refused("--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+2\nrest\n"),
        "line 6 of the patch: a line of a hunk begins with a space, `-` or `+`: \"rest\""
    );
    assert_eq!(refused("--- a/a\n+++ b/a\n@@ -1 +1 @@\n"), "line 3 of the patch: a hunk without lines");
    assert_eq!(refused("--- a/a\n+++ b/a\nnothing\n"), format!("this is no unified diff: {form}"));
}
