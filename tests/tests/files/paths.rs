//! Paths, however they are written.

use crate::{Probe, all_refused};

#[tokio::test]
async fn what_is_granted_can_be_read() {
    let probe = Probe::new();
    probe.stage.write("src/deep/main.rs", "fn main() {}");
    let read = [
        "read src/deep/main.rs",
        "list .",
        "list src",
        "stat src/deep/main.rs",
        "read ./src/../src/deep//main.rs",
    ];
    assert_eq!(
        probe.each(&read).await,
        ["ok fn main() {}", "ok src:directory", "ok deep:directory", "ok file 12", "ok fn main() {}"]
    );
    assert_eq!(
        probe.each_std(&["read src/deep/main.rs", "list .", "stat src", "read missing"]).await[..2],
        ["ok fn main() {}", "ok src"]
    );
}

#[tokio::test]
async fn no_path_leads_out() {
    let probe = Probe::new();
    probe.stage.write_outside("secret", "TOP SECRET");
    probe.stage.write("a/b", "inside");
    let outside = probe.stage.outside("secret");
    let absolute = format!("read {}", outside.display());
    let operations = [
        "read ../outside/secret",
        "read a/../../outside/secret",
        "read a/../a/../../outside/secret",
        "read ./../outside/secret",
        "read missing/../../outside/secret",
        "read /etc/passwd",
        "read //etc/passwd",
        "read /",
        "read /proc/self/environ",
        absolute.as_str(),
        "read ..",
        "list ..",
        "list ../outside",
        "list a/../..",
        "open .. directory",
        "open ../outside directory,nofollow",
        "stat ..",
        "stat ../outside/secret",
        "lstat ../outside",
        "hash ../outside/secret",
        "readlink ../outside/secret",
        "read a/b\\0",
        "read \\0",
        "read a\\0/b",
        "stat .\\0.",
        "read a/b/../../../outside/secret",
        "read ..\\\\outside\\\\secret",
    ];
    let results = probe.each(&operations).await;
    all_refused(&operations, &results);
    let operations = [
        "read ../outside/secret",
        "read a/../../outside/secret",
        "read /etc/passwd",
        absolute.as_str(),
        "list ..",
        "list /",
        "stat ../outside/secret",
        "readlink ../outside/secret",
    ];
    // A libc may take `/` for its own root, which is the workspace: what it lists then is no secret.
    for (operation, result) in operations.iter().zip(probe.each_std(&operations).await) {
        assert!(
            !result.contains("SECRET") && !result.contains("root:") && !result.contains("outside"),
            "{operation}: {result}"
        );
    }
}

/// Paths that a parser may stumble over. What they are is less important than that the call ends well.
#[tokio::test]
async fn odd_paths_are_answered_and_nothing_breaks() {
    let probe = Probe::new();
    probe.stage.write("x", "inside");
    let long = "x".repeat(5_000);
    let many = "./".repeat(3_000);
    let deep = "d/".repeat(2_000);
    let paths = [
        "\\e",
        ".",
        "./",
        ".//",
        ".///",
        "./././x",
        ".////x/y",
        ".//////missing/missing",
        "x/",
        "x/.",
        "x/..",
        "x//",
        "x/x",
        "...",
        "....",
        ".. ",
        "\\s",
        "\\n",
        "\\s/\\s",
        "~",
        "~root",
        "C:\\\\x",
        "\\\\x",
        "%2e%2e/x",
        "..%2fx",
        "．．/x",
        "．．／x",
        "x\u{202e}",
        "\u{feff}x",
        "CON",
        "*",
        "?",
        "-",
        "--help",
        "!x",
        "#x",
        "!",
        "[",
        "{",
        long.as_str(),
        many.as_str(),
        deep.as_str(),
    ];
    let operations: Vec<_> = paths
        .iter()
        .flat_map(|path| {
            ["read", "list", "stat", "lstat", "readlink", "hash"].map(|verb| format!("{verb} {path}"))
        })
        .collect();
    let operations: Vec<_> = operations.iter().map(String::as_str).collect();
    let results = probe.each(&operations).await;
    for (operation, result) in operations.iter().zip(&results) {
        assert!(!result.contains("outside"), "{operation:?} gave {result:?}");
    }
}

/// The workspace is held by handle: what happens to its path afterwards is no way out of it.
#[tokio::test]
async fn a_workspace_that_is_replaced_by_a_link_is_still_the_workspace() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write("file", "inside");
    stage.write_outside("file", "TOP SECRET");
    let grants = stage.grants(&["."]);
    let workspace = stage.path("");
    let workspace = workspace.components().as_path().to_owned();
    let moved = stage.outside("moved");
    std::fs::rename(&workspace, &moved).unwrap();
    std::os::unix::fs::symlink(stage.outside(""), &workspace).unwrap();
    assert_eq!(probe.each_with(&["read file"], &grants).await, ["ok inside"]);
}
