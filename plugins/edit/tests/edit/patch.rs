//! What `apply_patch` promises of files, names and line ends.

use edit::apply_patch;
use workspace::scratch::Scratch;

fn applied(scratch: &Scratch, patch: &str) -> String {
    apply_patch(&scratch.whole(), patch).unwrap()
}

/// What a patch of the one file makes of its content.
fn patched(content: &str, hunks: &str) -> String {
    let scratch = Scratch::with([("file", content)]);
    applied(&scratch, &format!("--- a/file\n+++ b/file\n{hunks}"));
    scratch.read("file")
}

#[test]
fn a_patch_of_several_files_is_applied() {
    let scratch = Scratch::with([("src/a.rs", "one\ntwo\nthree\n"), ("b", "x\n")]);
    let patch = "\
Some words that belong to nothing.

diff --git a/src/a.rs b/src/a.rs
index 123..456 100644
--- a/src/a.rs
+++ b/src/a.rs
@@ -1,3 +1,4 @@ fn context()
 one
-two
+2
+2.5
 three
--- b\t2024-01-01 00:00:00
+++ b\t2024-01-02 00:00:00
@@ -1 +1 @@
-x
+y
-- \n2.40.0
";
    assert_eq!(applied(&scratch, patch), "patched 2 files\n  changed src/a.rs +2 -1\n  changed b +1 -1");
    assert_eq!(scratch.read("src/a.rs"), "one\n2\n2.5\nthree\n");
    assert_eq!(scratch.read("b"), "y\n");
}

#[test]
fn files_are_created_deleted_and_renamed() {
    let scratch = Scratch::with([
        ("old", "1\n2\n"),
        ("gone", "x\ny"),
        ("hollow", ""),
        ("here", "same\n"),
        ("mode", "m\n"),
    ]);
    let patch = "\
diff --git a/new/file b/new/file
new file mode 100644
index 0000000..1
--- /dev/null
+++ b/new/file
@@ -0,0 +1,2 @@
+a
+b
\\ No newline at end of file
diff --git a/empty b/empty
new file mode 100755
index 0000000..e69de29
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1,2 +0,0 @@
-x
-y
\\ No newline at end of file
diff --git a/hollow b/hollow
deleted file mode 100644
index e69de29..0000000
diff --git a/old b/renamed
similarity index 50%
rename from old
rename to renamed
--- a/old
+++ b/renamed
@@ -1,2 +1,2 @@
 1
-2
+3
diff --git a/here b/there/here
similarity index 100%
rename from here
rename to there/here
diff --git a/mode b/mode
old mode 100644
new mode 100755
";
    assert_eq!(
        applied(&scratch, patch),
        "patched 7 files\n  created new/file +2 -0\n  created empty +0 -0\n  deleted gone +0 -2\n  deleted hollow +0 \
         -0\n  moved old to renamed +1 -1\n  moved here to there/here +0 -0\n  changed mode +0 -0 (its mode stays as \
         it is)"
    );
    assert_eq!(scratch.paths(), ["empty", "mode", "new/", "new/file", "renamed", "there/", "there/here"]);
    assert_eq!((scratch.read("new/file"), scratch.read("renamed")), ("a\nb".to_owned(), "1\n3\n".to_owned()));
}

#[test]
fn a_file_that_is_there_twice_is_changed_twice() {
    let scratch = Scratch::with([("a", "1\n2\n")]);
    let patch = "\
--- a/a
+++ b/a
@@ -1 +1 @@
-1
+one
diff --git a/a b/b
rename from a
rename to b
--- a/b
+++ b/b
@@ -2 +2 @@
-2
+two
--- /dev/null
+++ b/a
@@ -0,0 +1 @@
+new
";
    applied(&scratch, patch);
    assert_eq!((scratch.read("a"), scratch.read("b")), ("new\n".to_owned(), "one\ntwo\n".to_owned()));
}

#[test]
fn names_may_have_spaces_quotes_and_no_prefix() {
    let scratch = Scratch::with([("x y", "1\n"), ("é", "1\n"), ("a/z", "1\n")]);
    let patch = "\
--- a/x y\t
+++ b/x y\t
@@ -1 +1 @@
-1
+2
--- \"a/\\303\\251\"
+++ \"b/\\303\\251\"
@@ -1 +1 @@
-1
+2
--- a/z
+++ a/z
@@ -1 +1 @@
-1
+2
";
    applied(&scratch, patch);
    for path in ["x y", "é", "a/z"] {
        assert_eq!(scratch.read(path), "2\n", "{path}");
    }
}

#[test]
fn lines_keep_their_ends_and_new_ones_take_them_on() {
    let hunk = "@@ -1,3 +1,4 @@\n a\n-b\n+x\n+y\n c\n";
    assert_eq!(patched("a\r\nb\r\nc\r\n", hunk), "a\r\nx\r\ny\r\nc\r\n");
    assert_eq!(patched("a\nb\r\nc\n", hunk), "a\nx\r\ny\r\nc\n");
    // As `git diff` shows a file with CRLF, and as a program shows it that writes everything with CRLF.
    let git = "@@ -1,3 +1,4 @@\n a\r\n-b\r\n+x\r\n+y\n c\r\n";
    assert_eq!(patched("a\r\nb\r\nc\r\n", git), "a\r\nx\r\ny\nc\r\n");
    let scratch = Scratch::with([("file", "a\nb\nc\n")]);
    applied(&scratch, &format!("--- a/file\n+++ b/file\n{hunk}").replace('\n', "\r\n"));
    assert_eq!(scratch.read("file"), "a\nx\ny\nc\n");
    // A patch that is about the ends themselves.
    assert_eq!(patched("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n"), "a\nb\n");
}

#[test]
fn the_file_ends_as_the_patch_says_or_else_as_it_did() {
    let none = "\\ No newline at end of file\n";
    assert_eq!(patched("a\nb", &format!("@@ -1,2 +1,2 @@\n a\n-b\n{none}+c\n{none}")), "a\nc");
    assert_eq!(patched("a\nb", &format!("@@ -1,2 +1,2 @@\n a\n-b\n{none}+b\n")), "a\nb\n");
    assert_eq!(patched("a\nb\n", &format!("@@ -1,2 +1,2 @@\n a\n-b\n+b\n{none}")), "a\nb");
    assert_eq!(patched("a\nb\n", "@@ -1,2 +1 @@\n a\n-b\n"), "a\n");
    assert_eq!(patched("a\r", &format!("@@ -1 +1,2 @@\n-a\r\n{none}+b\n+a\r\n{none}")), "b\na\r");
    // Nothing is said of it.
    assert_eq!(patched("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"), "a\nc");
    assert_eq!(patched("a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n"), "a\nb\nc");
    assert_eq!(patched("a\nb", "@@ -1,2 +1 @@\n a\n-b\n"), "a");
    assert_eq!(patched("a\r\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n"), "a\r\nb\r\nc");
}

#[test]
fn the_byte_order_mark_survives_unless_the_patch_is_about_it() {
    assert_eq!(patched("\u{feff}a\nb\n", "@@ -1,2 +1,2 @@\n-a\n+x\n b\n"), "\u{feff}x\nb\n");
    assert_eq!(patched("\u{feff}a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+x\n"), "\u{feff}a\nx\n");
    assert_eq!(patched("\u{feff}a\n", "@@ -1 +1 @@\n-\u{feff}a\n+\u{feff}b\n"), "\u{feff}b\n");
    assert_eq!(patched("\u{feff}a\n", "@@ -1 +1 @@\n-\u{feff}a\n+a\n"), "a\n");
}

#[test]
fn files_that_are_no_text_are_renamed_and_not_patched() {
    let scratch = Scratch::with([]);
    scratch.write("image", b"\0\xff");
    assert_eq!(
        applied(&scratch, "diff --git a/image b/picture\nrename from image\nrename to picture\n"),
        "patched 1 file\n  moved image to picture +0 -0"
    );
    let refused = |patch: &str| apply_patch(&scratch.whole(), patch).unwrap_err();
    assert_eq!(
        refused("--- a/picture\n+++ b/picture\n@@ -1 +1 @@\n-a\n+b\n"),
        "nothing was changed\npicture is binary (2 B): only text is edited"
    );
    assert_eq!(
        refused("diff --git a/picture b/picture\nBinary files a/picture and b/picture differ\n"),
        "line 2 of the patch: binary files are not patched: Binary files a/picture and b/picture differ"
    );
}
