//! Names, sizes and moments that a program does not expect.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use remit_sandbox::CallError;

use crate::Probe;

/// The user and the group that own nothing.
const NOBODY: u32 = 65_534;

#[tokio::test]
async fn a_name_that_is_no_text_is_shown_and_does_no_harm() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write("odd/plain", "x");
    for name in [
        &b"in\xffvalid"[..],
        b"new\nline",
        b"esc\x1b[2J",
        "\u{202e}txt".as_bytes(),
        b"-rf",
        b" ",
        b"\xc3\x28.env",
    ] {
        std::fs::write(stage.path("odd").join(std::ffi::OsStr::from_bytes(name)), "odd").unwrap();
    }
    stage.write("bytes", b"\xff\xfe\x00binary\xc3");
    let output = stage.run_with(&probe.wasi, "list odd\nread bytes", &stage.grants(&["."])).await.unwrap();
    assert!(!output.is_error);
    assert!(!output.text.contains(['\u{1b}', '\u{202e}', '\0']), "{:?}", output.text);
    for name in ["plain", "-rf", "\u{fffd}valid"] {
        assert!(output.text.contains(name), "{name} in {:?}", output.text);
    }
    // A name with a new line is a name like any other.
    assert_eq!(probe.each(&["read odd/new\\nline", "read odd/-rf"]).await, ["ok odd", "ok odd"]);
}

#[tokio::test]
async fn a_file_of_four_gigabytes_is_described_and_does_not_fit() {
    let probe = Probe::new();
    let stage = &probe.stage;
    let size = (4_u64 << 30) + 7;
    stage.write("huge", "");
    std::fs::OpenOptions::new().write(true).open(stage.path("huge")).unwrap().set_len(size).unwrap();
    assert_eq!(probe.each(&["stat huge"]).await, [format!("ok file {size}")]);
    let error = stage.run_with(&probe.wasi, "read huge", &stage.grants(&["."])).await.unwrap_err();
    assert!(matches!(error, CallError::Memory { .. }), "{error:?}");
}

#[tokio::test]
async fn a_folder_of_very_many_entries_ends_in_a_bounded_way() {
    let probe = Probe::new();
    let stage = &probe.stage;
    let folder = stage.path("many");
    std::fs::create_dir(&folder).unwrap();
    // Together more than a result may have.
    let name = |n: usize| format!("{n}-{}", "x".repeat(200));
    for n in 0..10_000 {
        std::fs::File::create(folder.join(name(n))).unwrap();
    }
    let grants = stage.grants(&["."]);
    let error = stage.run_with(&probe.wasi, "list many", &grants).await.unwrap_err();
    assert!(matches!(error, CallError::ResultTooLarge { .. }), "{error:?}");
    assert_eq!(probe.each(&[&format!("read many/{}", name(9_999))]).await, ["ok"]);
}

#[tokio::test]
async fn a_file_that_vanished_is_an_error_of_the_guests() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write("dir/gone", "x");
    stage.link("dir/never", "dangling");
    assert_eq!(probe.each(&["list dir"]).await, ["ok gone:file"]);
    std::fs::remove_file(stage.path("dir/gone")).unwrap();
    assert_eq!(
        probe
            .each(&["read dir/gone", "stat dir/gone", "read dangling", "list dir/gone", "readlink dangling"])
            .await,
        ["no-entry", "no-entry", "no-entry", "no-entry", "ok dir/never"]
    );
}

/// Runs the test below as a user for whom permissions count: for root they do not.
#[test]
fn a_file_that_may_not_be_read_is_an_error_of_the_guests() {
    use std::os::unix::process::CommandExt as _;
    let test = "odd::reads_what_nobody_may_read";
    let program = std::env::current_exe().unwrap();
    let mut command = std::process::Command::new(program);
    command.args(["--exact", "--ignored", test]);
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    if is_root {
        command.uid(NOBODY).gid(NOBODY);
    }
    match command.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && said.contains("1 passed"), "{said}");
        }
        Err(error) => eprintln!("skipped: another user cannot run this test: {error}"),
    }
}

#[tokio::test]
#[ignore = "runs as a process of its own, started by the test above"]
async fn reads_what_nobody_may_read() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write("locked", "x");
    stage.write("closed/file", "x");
    for path in ["locked", "closed"] {
        std::fs::set_permissions(stage.path(path), std::fs::Permissions::from_mode(0o000)).unwrap();
    }
    let operations = ["read locked", "stat locked", "list closed", "read closed/file", "stat closed"];
    let results = probe.each(&operations).await;
    std::fs::set_permissions(stage.path("closed"), std::fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(results[..4], ["access", "ok file 1", "access", "access"]);
    assert!(results[4].starts_with("ok directory"), "{results:?}");
}
