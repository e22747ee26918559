//! Symbolic links: followed within the workspace, and no step further.

use crate::{Probe, all_refused};

#[tokio::test]
async fn a_link_to_the_outside_leads_nowhere() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write_outside("secret", "TOP SECRET");
    stage.write("inner/file", "inside");
    stage.link("../outside/secret", "file-link");
    stage.link("../outside", "dir-link");
    stage.link("..", "up");
    stage.link(stage.outside("secret"), "absolute");
    stage.link("/", "root");
    stage.link("inner/../../outside", "roundabout");
    stage.link("dir-link", "link-to-link");
    stage.link("../../outside/secret", "inner/from-below");
    let operations = [
        "read file-link",
        "read file-link/",
        "stat file-link",
        "hash file-link",
        "open file-link",
        "list dir-link",
        "list dir-link/",
        "list dir-link/.",
        "read dir-link/secret",
        "stat dir-link",
        "stat dir-link/",
        "lstat dir-link/",
        "lstat dir-link/.",
        "lstat dir-link/secret",
        "open dir-link directory",
        "open dir-link/ directory,nofollow",
        "open dir-link directory,nofollow",
        "readlink dir-link/secret",
        "list up",
        "read up/outside/secret",
        "list up/outside",
        "read inner/../up/outside/secret",
        "read absolute",
        "stat absolute",
        "readlink absolute",
        "readlink root",
        "list root",
        "read root/etc/passwd",
        "list root/",
        "list roundabout",
        "read roundabout/secret",
        "list link-to-link",
        "read link-to-link/secret",
        "read inner/from-below",
    ];
    all_refused(&operations, &probe.each(&operations).await);
    let operations = [
        "read file-link",
        "list dir-link",
        "read dir-link/secret",
        "stat dir-link/",
        "read absolute",
        "read root/etc/passwd",
    ];
    all_refused(&operations, &probe.each_std(&operations).await);
    // Links themselves are part of the workspace: they can be seen, and where they lead within it.
    assert_eq!(probe.each(&["lstat dir-link", "readlink dir-link"]).await, ["ok link 10", "ok ../outside"]);
}

#[tokio::test]
async fn links_inside_are_followed_and_loops_end() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write("a/b/file", "inside");
    stage.link("a/b/file", "short");
    stage.link("a/b", "dir");
    stage.link("../b/../b/file", "a/b/self");
    stage.link("dir/self", "chain");
    stage.link("loop-b", "loop-a");
    stage.link("loop-a", "loop-b");
    stage.link("me", "me");
    stage.link("nested/x", "nested");
    for n in 0..60 {
        stage.link(format!("step-{}", n + 1), &format!("step-{n}"));
    }
    stage.write("step-60", "too far");
    assert_eq!(
        probe
            .each(&[
                "read short",
                "read dir/file",
                "list dir/",
                "read chain",
                "read a/b/self",
                "readlink dir"
            ])
            .await,
        ["ok inside", "ok inside", "ok file:file self:link", "ok inside", "ok inside", "ok a/b"]
    );
    let loops =
        ["read loop-a", "stat me", "list me/", "read nested/x", "open loop-b directory", "read step-0"];
    for (operation, result) in loops.iter().zip(probe.each(&loops).await) {
        assert_eq!(result, "loop", "{operation}");
    }
    let loops = ["read loop-a", "stat me", "list me", "read step-0"];
    all_refused(&loops, &probe.each_std(&loops).await);
}
