//! Writing against the odd sides of a file system: paths that lead out, links that come and go, what is no file, a full disk.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use remit_sandbox::{GrantSpec, Grants, Workspace};

use crate::{Probe, all_refused};

/// How often a name is written to while it is made a link to the outside and a directory again.
const RACES: usize = 300;

fn writable(probe: &Probe) -> Arc<Grants> {
    let owned = |path: &str| vec![path.to_owned()];
    probe.stage.grants_of(&GrantSpec { read: owned("."), write: owned("."), ..GrantSpec::default() })
}

#[tokio::test]
async fn no_path_and_no_link_leads_a_writer_out() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write_outside("file", "theirs");
    stage.write("a/b", "inside");
    stage.link("../outside", "out");
    stage.link("../outside/file", "out-file");
    stage.link("../outside/new", "out-new");
    stage.link(stage.outside("file"), "absolute");
    stage.link("loop-b", "loop-a");
    stage.link("loop-a", "loop-b");
    let absolute = stage.outside("file").display().to_string();
    let flags = "write,create";
    let mut operations = Vec::new();
    for path in [
        "../outside/file",
        "../outside/new",
        "a/../../outside/new",
        "/etc/remit-test",
        absolute.as_str(),
        "out/file",
        "out/new",
        "out-file",
        "out-new",
        "absolute",
        "loop-a",
        "loop-a/x",
        "a/b\\0",
        "\\0",
        "..",
        "a/..",
        "a/b/../../../outside/new",
        "\\e",
    ] {
        operations.push(format!("open {path} {flags}"));
        operations.push(format!("open {path} {flags},truncate"));
        operations.push(format!("open {path} {flags},exclusive,nofollow"));
        operations.push(format!("mkdir {path}"));
        operations.push(format!("rename a/b {path}"));
        operations.push(format!("rename {path} a/c"));
    }
    for path in ["out/", "out-file/", "loop-a/", "out/.", "out/../outside/file"] {
        operations.push(format!("open {path} {flags}"));
        operations.push(format!("rename a/b {path}"));
    }
    let operations: Vec<&str> = operations.iter().map(String::as_str).collect();
    // A link itself may be moved or taken for one that is not followed; what it leads to stays as it is.
    let grants = writable(&probe);
    let ledger = Arc::default();
    let output = stage.run_recorded(&probe.wasi, &operations.join("\n"), &grants, &ledger).await.unwrap();
    let results: Vec<&str> = output.text.lines().collect();
    assert_eq!(results.len(), operations.len());
    for (operation, result) in operations.iter().zip(&results) {
        let is_about_a_link = ["out", "out-file", "out-new", "absolute", "loop-a"].iter().any(|link| {
            *operation == format!("rename {link} a/c") || *operation == format!("rename a/b {link}")
        });
        assert!(is_about_a_link || !result.starts_with("ok"), "{operation:?} gave {result:?}");
    }
    // Whatever was allowed, committed or not, is inside.
    let _ = output.changes.commit(&ledger);
    assert_eq!(std::fs::read_to_string(stage.outside("file")).unwrap(), "theirs");
    assert_eq!(std::fs::read_dir(stage.outside("")).unwrap().count(), 1);
}

#[tokio::test]
async fn what_is_no_file_is_not_written_and_not_waited_for() {
    let probe = Probe::new();
    let stage = &probe.stage;
    let fifo = Command::new("mkfifo").arg(stage.path("pipe")).status().unwrap();
    assert!(fifo.success());
    let _socket = std::os::unix::net::UnixListener::bind(stage.path("socket")).unwrap();
    stage.link("pipe", "pipe-link");
    stage.link("/dev/full", "full");
    stage.link("/proc/self/fd/1", "stdout");
    let grants = writable(&probe);
    let operations = [
        "open pipe write",
        "open pipe write,truncate",
        "open pipe-link write,create",
        "open socket write",
        "open full write",
        "open stdout write",
    ];
    all_refused(&operations, &probe.each_with(&operations, &grants).await);
    let workspace = Workspace::open("/dev".as_ref()).unwrap();
    let spec = GrantSpec { read: vec![".".into()], write: vec![".".into()], ..GrantSpec::default() };
    let grants = Grants::new(&workspace, &spec).unwrap();
    let operations = ["open null write", "open full write", "open tty write,truncate"];
    all_refused(&operations, &probe.each_with(&operations, &grants).await);
}

/// Another process may change the workspace at any moment, also between a check and what follows it.
#[tokio::test]
async fn a_directory_that_becomes_a_link_to_the_outside_lets_nothing_out() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write_outside("keep", "theirs");
    stage.write("swap/x", "old");
    stage.link("../outside", "link");
    let grants = writable(&probe);
    let stop = Arc::new(AtomicBool::new(false));
    let swapping = {
        let (swap, aside, link) = (stage.path("swap"), stage.path("aside"), stage.path("link"));
        let stop = stop.clone();
        std::thread::spawn(move || {
            let mut rounds = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                std::fs::rename(&swap, &aside).unwrap();
                std::fs::rename(&link, &swap).unwrap();
                std::fs::rename(&swap, &link).unwrap();
                std::fs::rename(&aside, &swap).unwrap();
                rounds += 1;
            }
            rounds
        })
    };
    let (mut written, mut refused) = (0, 0);
    for number in 0..RACES {
        let ledger = Arc::default();
        let program = format!(
            "write swap/x {number}\nwrite swap/new-{number} n\nunlink swap/keep\nmkdir swap/d{number}"
        );
        let output = stage.run_recorded(&probe.std, &program, &grants, &ledger).await.unwrap();
        match output.changes.commit(&ledger) {
            Ok(()) => written += 1,
            Err(_) => refused += 1,
        }
    }
    stop.store(true, Ordering::Relaxed);
    let rounds = swapping.join().unwrap();
    assert!(rounds > 0 && written + refused == RACES);
    let outside: Vec<_> =
        std::fs::read_dir(stage.outside("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(outside, ["keep"], "after {rounds} rounds, {written} written, {refused} refused");
    assert_eq!(std::fs::read_to_string(stage.outside("keep")).unwrap(), "theirs");
}

/// Runs in a mount namespace, on a file system of 256 KiB.
#[tokio::test]
#[ignore = "runs as a process of its own, started by the test below"]
async fn writes_on_a_full_disk() {
    let Some(folder) = std::env::var_os("REMIT_TEST_SMALL_DISK") else { return };
    let probe = Probe::new();
    let workspace = Workspace::open(folder.as_ref()).unwrap();
    let spec = GrantSpec { read: vec![".".into()], write: vec![".".into()], ..GrantSpec::default() };
    let grants = Grants::new(&workspace, &spec).unwrap();
    let read = |name: &str| std::fs::read_to_string(workspace.path().join(name)).ok();
    std::fs::write(workspace.path().join("a"), "old").unwrap();

    let large = "x".repeat(400_000);
    let program = format!("write a new\nwrite b {large}");
    let ledger = Arc::default();
    let output = probe.stage.run_recorded(&probe.std, &program, &grants, &ledger).await.unwrap();
    let error = output.changes.commit(&ledger).unwrap_err().to_string();
    assert!(error.contains("cannot write b") && error.contains("nothing was written"), "{error}");
    assert_eq!((read("a").as_deref(), read("b")), (Some("old"), None));
    assert!(ledger.entries().iter().all(|entry| !matches!(entry, remit_sandbox::Entry::Changed { .. })));
    let left = std::fs::read_dir(workspace.path().join(".remit/staging")).unwrap().count();
    assert_eq!(left, 0, "what was prepared is gone");

    let output = probe.stage.run_recorded(&probe.std, "write a new", &grants, &ledger).await.unwrap();
    output.changes.commit(&ledger).unwrap();
    assert_eq!(read("a").as_deref(), Some("new"));
    println!("all of it");
}

#[test]
fn on_a_full_disk_nothing_is_written_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"mount -t tmpfs -o size=256k none "$REMIT_TEST_SMALL_DISK" || exit 77; exec "$@""#;
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["write_odd::writes_on_a_full_disk", "--exact", "--ignored", "--nocapture"])
        .env("REMIT_TEST_SMALL_DISK", folder.path())
        .output();
    let Ok(output) = output else { return eprintln!("skipped: there is no `unshare` here") };
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) || said.starts_with("unshare:") {
        return eprintln!("skipped: no file system can be mounted here: {said}");
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("all of it"), "{printed}\n{said}");
}
