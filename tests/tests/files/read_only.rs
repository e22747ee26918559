//! A directory for reading stays as it is.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use remit_sandbox::Entry;

use crate::{Probe, all_refused};

/// Every file below a folder with its content and its times, and every folder and link.
fn snapshot(folder: &Path) -> BTreeMap<String, String> {
    let mut seen = BTreeMap::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = std::fs::symlink_metadata(&path).unwrap();
            let what = if meta.is_file() {
                format!(
                    "{:?} {} {} {}",
                    std::fs::read(&path).unwrap(),
                    meta.mtime(),
                    meta.mtime_nsec(),
                    meta.nlink()
                )
            } else {
                format!("{:?} {} {}", meta.file_type(), meta.mtime(), meta.mtime_nsec())
            };
            seen.insert(path.display().to_string(), what);
            if meta.is_dir() {
                todo.push(path);
            }
        }
    }
    seen
}

#[tokio::test]
async fn a_directory_for_reading_stays_as_it_is() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write("file", "content");
    stage.write("dir/other", "more");
    std::fs::create_dir(stage.path("empty")).unwrap();
    stage.link("file", "link");
    let before = snapshot(&stage.path(""));
    let operations = [
        "open new create",
        "open new create,write",
        "open new create,exclusive,write",
        "open file truncate",
        "open file truncate,write",
        "open file write",
        "open file neither,write",
        "open dir directory,mutate",
        "open new/ create,directory",
        "open link write",
        "set-size file 0",
        "set-size file 100",
        "write file gone",
        "write-stream file gone",
        "append-stream file more",
        "utimes file",
        "utimes dir",
        "utimes .",
        "utimes link",
        "set-times file",
        "set-times dir",
        "set-times .",
        "mkdir new",
        "mkdir dir/new",
        "rmdir empty",
        "rmdir dir",
        "unlink file",
        "unlink link",
        "unlink empty",
        "rename file moved",
        "rename dir moved",
        "rename file dir/other",
        "rename missing file",
        "link file second",
        "link file dir/second",
        "symlink file new-link",
        "symlink /etc/passwd new-link",
    ];
    let results = probe.each(&operations).await;
    all_refused(&operations, &results);
    for (operation, result) in operations.iter().zip(&results) {
        assert!(["read-only", "not-permitted", "access"].contains(&result.as_str()), "{operation}: {result}");
    }
    let operations = [
        "create new",
        "write file gone",
        "write new text",
        "append file more",
        "truncate file",
        "set-size file 0",
        "set-times file",
        "mkdir new",
        "rmdir empty",
        "unlink file",
        "rename file moved",
        "link file second",
    ];
    all_refused(&operations, &probe.each_std(&operations).await);
    assert_eq!(snapshot(&stage.path("")), before);
}

/// The model is told, and so can say what it would have needed.
#[tokio::test]
async fn refusals_name_the_path_and_the_reason() {
    let probe = Probe::new();
    probe.stage.write(".env", "KEY=1");
    probe.stage.write("file", "");
    let program = "read .env\nunlink file\nread ../outside";
    let ledger = Arc::default();
    probe.stage.run_recorded(&probe.wasi, program, &probe.stage.grants(&["."]), &ledger).await.unwrap();
    let refusals: Vec<_> = ledger
        .entries()
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Refused { action, path, reason } => Some(format!("{action} {path}: {reason}")),
            _ => None,
        })
        .collect();
    assert_eq!(
        refusals,
        [
            "read .env: hidden by the rule `.env*`",
            "write file: no directory is granted for writing",
            "read ../outside: the path leads out of the granted directory",
        ]
    );
}
