//! Pipes, sockets and devices.

use std::path::Path;

use remit_sandbox::{GrantSpec, Grants, Workspace};

use crate::{Probe, all_refused};

#[tokio::test]
async fn what_is_no_file_is_refused_at_once() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write("file", "x");
    let fifo = std::process::Command::new("mkfifo").arg(stage.path("pipe")).status().unwrap();
    assert!(fifo.success());
    let _socket = std::os::unix::net::UnixListener::bind(stage.path("socket")).unwrap();
    stage.link("pipe", "pipe-link");
    stage.link("/dev/zero", "zero");
    stage.link("/proc/self/fd", "fds");
    stage.link("/proc/self/fd/0", "stdin");
    stage.link("/proc/self/root", "magic");
    let operations = [
        "open pipe",
        "read pipe",
        "read pipe-link",
        "open pipe nofollow",
        "open pipe directory",
        "open socket",
        "read socket",
        "read zero",
        "list fds",
        "read fds/0",
        "read stdin",
        "list magic",
        "read magic/etc/passwd",
        "open pipe write",
        "open pipe neither",
    ];
    all_refused(&operations, &probe.each(&operations).await);
    let operations = ["read pipe", "read socket", "read zero", "list fds", "append pipe x"];
    all_refused(&operations, &probe.each_std(&operations).await);
    // They are seen for what they are, so that nobody wonders where they went.
    let listed = &probe.each(&["list ."]).await[0];
    assert!(
        listed.contains("pipe:") && listed.contains("socket:") && listed.contains("file:file"),
        "{listed}"
    );
}

/// A workspace that holds devices itself.
#[tokio::test]
async fn a_device_in_the_workspace_is_refused() {
    let probe = Probe::new();
    let workspace = Workspace::open(Path::new("/dev")).unwrap();
    let grants =
        Grants::new(&workspace, &GrantSpec { read: vec![".".into()], ..GrantSpec::default() }).unwrap();
    let operations = ["read zero", "read random", "read tty", "open null write", "read fd/0", "read stdin"];
    all_refused(&operations, &probe.each_with(&operations, &grants).await);
}
