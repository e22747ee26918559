//! A system that gives no namespaces.

use remit_sandbox::{CommandSandbox, Entry};

use crate::bench::{Bench, drained, said, script};

/// A bench whose launcher the kernel gives no further namespace.
fn bench() -> (Bench, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let launcher = folder.path().join("launcher");
    let inner = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let real = env!("CARGO_BIN_EXE_launcher");
    script(
        &launcher,
        &format!("#!/bin/sh\nexec /usr/bin/unshare -Ur /bin/sh -c '{inner}' sh {real} \"$@\"\n"),
    );
    (Bench::with_launcher(launcher), folder)
}

#[tokio::test]
async fn nothing_runs_where_it_cannot_be_contained() {
    let (bench, _folder) = bench();
    let (output, entries) = bench.run_recorded(&["sh", "-c", "echo ran > out/mark"]).await;
    let error = said(output.unwrap()).unwrap_err();
    assert!(error.contains("this system cannot contain commands (making namespaces: "), "{error}");
    assert!(error.contains("best-effort") && !bench.stage.path("out/mark").exists(), "{error}");
    assert_eq!(entries, []);
}

#[tokio::test]
async fn a_role_that_allows_it_runs_with_what_is_left_and_is_told_what_is_lost() {
    let (mut bench, _folder) = bench();
    bench.spec.command_sandbox = CommandSandbox::BestEffort;
    let pipe = bench.pipe("held");
    // A daemon, as daemons are made: two forks and a session of its own. It holds the pipe from its first moment on.
    let script = "exec 3>out/held; (setsid sleep 1000 >/dev/null 2>&1 &); ulimit -c; exit 3";
    let argv = ["sh", "-c", script];
    let ((output, entries), _) = tokio::join!(bench.run_recorded(&argv), drained(&pipe));
    let text = said(output.unwrap()).unwrap();
    assert!(text.starts_with("exit code 3, after ") && text.contains("--- stdout:\n0\n"), "{text}");
    assert!(text.contains("\nwarning: it is not contained: it can read and change every file"), "{text}");
    assert!(
        matches!(&entries[..], [Entry::Ran { uncontained: Some(lost), .. }] if lost.starts_with("it is not contained"))
    );
}
