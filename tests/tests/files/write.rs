//! What a guest changes is staged: the call sees it, nobody else does, and it is committed whole or dropped.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use remit_sandbox::{CallOutput, ChangeKind, CommitError, Entry, GrantSpec, Grants, Ledger};

use crate::{Probe, all_refused};

struct Writer {
    probe: Probe,
    grants: Arc<Grants>,
    ledger: Arc<Ledger>,
}

impl Writer {
    /// A workspace with `src` to write, the rest to read.
    fn new() -> Self {
        Self::with(&["src"])
    }

    fn with(write: &[&str]) -> Self {
        let probe = Probe::new();
        probe.stage.write("src/a.txt", "one\ntwo\nthree\n");
        probe.stage.write("src/deep/b.txt", "b\n");
        probe.stage.write("docs/c.txt", "c\n");
        let owned = |list: &[&str]| list.iter().map(|&path| path.to_owned()).collect();
        let grants = probe.stage.grants_of(&GrantSpec {
            read: owned(&["."]),
            write: owned(write),
            protected: owned(&["roles.toml", "src/Prompt.md"]),
            ..GrantSpec::default()
        });
        Self { probe, grants, ledger: Arc::default() }
    }

    async fn call(&self, operations: &[&str]) -> (Vec<String>, CallOutput) {
        let program = operations.join("\n");
        let stage = &self.probe.stage;
        let output = stage.run_recorded(&self.probe.std, &program, &self.grants, &self.ledger).await.unwrap();
        (output.text.lines().map(str::to_owned).collect(), output)
    }

    async fn committed(&self, operations: &[&str]) -> Vec<String> {
        let (results, output) = self.call(operations).await;
        output.changes.commit(&self.ledger).unwrap();
        results
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.probe.stage.path(path)).ok()
    }

    /// Everything in the workspace but what the host keeps, by path.
    fn tree(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut todo = vec![self.probe.stage.path("")];
        while let Some(dir) = todo.pop() {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.probe.stage.path("")).unwrap().display().to_string();
                if path.is_dir() {
                    todo.push(path);
                }
                found.push(name);
            }
        }
        found.sort();
        found
    }

    fn staging_is_empty(&self) -> bool {
        std::fs::read_dir(self.probe.stage.path(".remit/staging")).is_ok_and(|mut dir| dir.next().is_none())
    }
}

#[tokio::test]
async fn a_call_sees_what_it_wrote_and_the_disk_does_not_until_it_is_committed() {
    let writer = Writer::new();
    let operations = [
        "write src/a.txt new",
        "read src/a.txt",
        "append src/a.txt more",
        "read src/a.txt",
        "stat src/a.txt",
        "mkdir src/made",
        "write src/made/x.txt x",
        "list src/made",
        "rename src/deep/b.txt src/made/b.txt",
        "read src/made/b.txt",
        "list src/deep",
        "rmdir src/deep",
        "list src",
        "unlink src/made/x.txt",
        "list src/made",
    ];
    let (results, output) = writer.call(&operations).await;
    assert_eq!(
        results,
        [
            "ok",
            "ok new",
            "ok",
            "ok newmore",
            "ok file 7",
            "ok",
            "ok",
            "ok x.txt",
            "ok",
            "ok b",
            "ok",
            "ok",
            "ok a.txt made",
            "ok",
            "ok b.txt"
        ]
    );
    assert_eq!(writer.read("src/a.txt").as_deref(), Some("one\ntwo\nthree\n"));
    assert_eq!(writer.read("src/deep/b.txt").as_deref(), Some("b\n"));
    let told: Vec<_> = output
        .changes
        .files()
        .iter()
        .map(|change| {
            (change.path.as_str(), change.kind, change.from.as_deref(), change.added, change.removed)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("src/a.txt", ChangeKind::Modified, None, 1, 3),
            ("src/deep", ChangeKind::Deleted, None, 0, 0),
            ("src/made/b.txt", ChangeKind::Moved, Some("src/deep/b.txt"), 0, 0),
        ]
    );
    let diff = output.changes.unified_diff(10_000);
    assert!(diff.contains("-one\n-two\n-three\n+newmore"), "{diff}");
    assert!(diff.contains("move src/deep/b.txt to src/made/b.txt"), "{diff}");

    output.changes.commit(&writer.ledger).unwrap();
    assert_eq!(writer.read("src/a.txt").as_deref(), Some("newmore"));
    assert_eq!(
        writer.tree(),
        [
            ".remit",
            ".remit/.gitignore",
            ".remit/staging",
            "docs",
            "docs/c.txt",
            "src",
            "src/a.txt",
            "src/made",
            "src/made/b.txt"
        ]
    );
    let changed: Vec<_> =
        writer.ledger.entries().into_iter().filter(|entry| matches!(entry, Entry::Changed { .. })).collect();
    assert_eq!(changed.len(), 3);
    let Entry::Changed { path, before, after, .. } = &changed[0] else { unreachable!() };
    assert_eq!(path, "src/a.txt");
    assert_eq!(before.as_ref().map(|version| version.bytes), Some(14));
    assert_eq!(after.as_ref().map(|version| version.bytes), Some(7));
}

#[tokio::test]
async fn a_moved_file_is_compared_with_what_it_was_also_where_its_old_place_has_another() {
    let writer = Writer::new();
    let operations = ["rename src/a.txt src/b.txt", "write src/a.txt other", "write src/b.txt new"];
    writer.committed(&operations).await;
    let entries = writer.ledger.entries();
    let moved =
        entries.iter().find(|entry| matches!(entry, Entry::Changed { path, .. } if path == "src/b.txt"));
    let Some(Entry::Changed { from, before, after, .. }) = moved else { panic!("{entries:?}") };
    let bytes = |version: &Option<remit_sandbox::Version>| version.as_ref().map(|version| version.bytes);
    assert_eq!((from.as_deref(), bytes(before), bytes(after)), (Some("src/a.txt"), Some(14), Some(3)));
}

#[tokio::test]
async fn only_what_is_granted_for_writing_can_be_written() {
    let writer = Writer::with(&["src"]);
    let stage = &writer.probe.stage;
    stage.write("src/Prompt.md", "prompt");
    stage.write("src/.env", "KEY=1");
    stage.write("roles.toml", "");
    stage.link("../docs/c.txt", "src/out");
    stage.link("../../outside/x", "src/far");
    let before = writer.tree();
    let operations = [
        "write docs/c.txt x",
        "write roles.toml x",
        "write src/prompt.MD x",
        "write src/Prompt.md x",
        "write src/.env x",
        "write src/.ENV.local x",
        "mkdir src/.git",
        "write src/out x",
        "write src/far x",
        "write src/../docs/new x",
        "write ../outside/x x",
        "write .remit/x x",
        "rename src/a.txt docs/a.txt",
        "rename docs/c.txt src/c.txt",
        "rename src/.env src/env",
        "unlink src/.env",
        "unlink docs/c.txt",
        "rmdir src",
        "link src/a.txt src/second",
        "rename src/deep src/deeper",
    ];
    let (results, output) = writer.call(&operations).await;
    all_refused(&operations, &results);
    assert!(output.changes.is_empty(), "{:?}", output.changes.files());
    assert_eq!(writer.tree(), before);

    // The whole workspace, and still neither what is protected nor what is the host's own.
    let writer = Writer::with(&["."]);
    let operations = [
        "write roles.toml x",
        "write ROLES.toml x",
        "write .remit/x x",
        "mkdir .remit",
        "write .git/hooks/x x",
    ];
    all_refused(&operations, &writer.call(&operations).await.0);
    assert_eq!(writer.committed(&["write docs/c.txt x"]).await, ["ok"]);
    assert_eq!(writer.read("docs/c.txt").as_deref(), Some("x"));
}

#[tokio::test]
async fn a_link_is_written_through_to_what_it_names_inside_the_grant() {
    let writer = Writer::new();
    writer.probe.stage.link("a.txt", "src/link");
    assert_eq!(writer.committed(&["write src/link through"]).await, ["ok"]);
    assert_eq!(writer.read("src/a.txt").as_deref(), Some("through"));
    assert!(writer.probe.stage.path("src/link").is_symlink());
}

#[tokio::test]
async fn permissions_stay_and_the_same_content_is_no_change() {
    let writer = Writer::new();
    let path = writer.probe.stage.path("src/a.txt");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o751)).unwrap();
    writer.committed(&["write src/a.txt x", "rename src/a.txt src/moved.txt", "write src/new.txt y"]).await;
    let mode =
        |path: &str| std::fs::metadata(writer.probe.stage.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("src/moved.txt"), 0o751);
    assert_eq!(mode("src/new.txt") & 0o111, 0);
    let (_, output) = writer.call(&["write src/new.txt y", "write src/gone z", "unlink src/gone"]).await;
    assert!(output.changes.is_empty(), "{:?}", output.changes.files());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_file_is_labelled_with_stays() {
    let writer = Writer::new();
    let path = writer.probe.stage.path("src/a.txt");
    let mut value = [0; 16];
    if rustix::fs::setxattr(&path, "user.note", b"kept", rustix::fs::XattrFlags::empty()).is_err() {
        return;
    }
    writer.committed(&["write src/a.txt x"]).await;
    assert_eq!(rustix::fs::getxattr(&path, "user.note", &mut value[..]), Ok(4));
    writer.committed(&["rename src/a.txt src/moved.txt", "write src/moved.txt y"]).await;
    let moved = writer.probe.stage.path("src/moved.txt");
    assert_eq!(rustix::fs::getxattr(&moved, "user.note", &mut value[..]), Ok(4));
    assert_eq!(&value[..4], b"kept");
}

#[tokio::test]
async fn a_file_that_somebody_else_changed_meanwhile_keeps_all_from_being_written() {
    for interfere in ["change", "remove", "appear", "replace"] {
        let writer = Writer::new();
        let (_, output) = writer
            .call(&[
                "write src/0.txt zero",
                "write src/a.txt mine",
                "unlink src/deep/b.txt",
                "write src/new.txt n",
            ])
            .await;
        let path = writer.probe.stage.path("src/a.txt");
        match interfere {
            "change" => std::fs::write(&path, "ONE\ntwo\nthree\n").unwrap(),
            "remove" => std::fs::remove_file(&path).unwrap(),
            "appear" => writer.probe.stage.write("src/new.txt", "theirs"),
            _ => {
                std::fs::remove_file(&path).unwrap();
                std::os::unix::fs::symlink("../docs/c.txt", &path).unwrap();
            }
        }
        let before = writer.tree();
        let error = output.changes.commit(&writer.ledger).unwrap_err();
        assert!(matches!(error, CommitError::Conflict { .. }), "{interfere}: {error}");
        assert_eq!(writer.read("src/0.txt"), None, "{interfere}");
        assert_eq!(writer.read("src/deep/b.txt").as_deref(), Some("b\n"), "{interfere}");
        assert_eq!(writer.read("docs/c.txt").as_deref(), Some("c\n"), "{interfere}");
        let after: Vec<_> = writer.tree().into_iter().filter(|path| !path.starts_with(".remit")).collect();
        assert_eq!(after, before);
        assert!(!writer.ledger.entries().iter().any(|entry| matches!(entry, Entry::Changed { .. })));
    }
}

#[tokio::test]
async fn what_the_system_refuses_half_way_is_taken_back() {
    let writer = Writer::new();
    let (_, output) = writer
        .call(&[
            "write src/a.txt mine",
            "mkdir src/d",
            "write src/d/x x",
            "unlink src/deep/b.txt",
            "rmdir src/deep",
        ])
        .await;
    // The last step fails: something has come into the directory that is to go.
    writer.probe.stage.write("src/deep/theirs", "t");
    let error = output.changes.commit(&writer.ledger).unwrap_err();
    assert!(matches!(error, CommitError::Conflict { .. }), "{error}");
    assert_eq!(writer.read("src/a.txt").as_deref(), Some("one\ntwo\nthree\n"));
    assert_eq!(writer.read("src/deep/b.txt").as_deref(), Some("b\n"));
    assert_eq!(writer.read("src/d/x"), None);
    assert!(!writer.probe.stage.path("src/d").exists());
    assert!(writer.staging_is_empty());
}

#[tokio::test]
async fn a_call_that_fails_changes_nothing() {
    let mut writer = Writer::new();
    let (stage, grants, ledger) = (&writer.probe.stage, &writer.grants, &writer.ledger);
    // The probe ends with an error at what it does not know.
    let output =
        stage.run_recorded(&writer.probe.std, "write src/a.txt x\nnonsense", grants, ledger).await.unwrap();
    assert!(output.is_error && output.changes.is_empty());
    // And a call may not stage without end.
    writer.probe.stage.limits.write_bytes = 1000;
    let long = format!("write src/new.txt {}", "x".repeat(2000));
    let (results, output) = writer.call(&[&long, "write src/a.txt fits"]).await;
    assert!(!results[0].starts_with("ok"), "{results:?}");
    output.changes.commit(&writer.ledger).unwrap();
    assert_eq!(writer.read("src/a.txt").as_deref(), Some("fits"));
    writer.probe.stage.limits.write_files = 3;
    let (results, _) = writer.call(&["mkdir src/1", "mkdir src/2", "mkdir src/3", "mkdir src/4"]).await;
    assert_eq!(results[..3], ["ok", "ok", "ok"]);
    assert!(!results[3].starts_with("ok"), "{results:?}");
}

#[tokio::test]
async fn files_and_directories_can_take_each_others_place() {
    let writer = Writer::new();
    writer
        .committed(&[
            "unlink src/a.txt",
            "mkdir src/a.txt",
            "write src/a.txt/inner x",
            "unlink src/deep/b.txt",
            "rmdir src/deep",
            "write src/deep file",
        ])
        .await;
    assert_eq!(writer.read("src/a.txt/inner").as_deref(), Some("x"));
    assert_eq!(writer.read("src/deep").as_deref(), Some("file"));
    assert!(writer.staging_is_empty());
}
