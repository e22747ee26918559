//! What a killed process leaves is brought to its end by the next one, from a journal that nobody else can have written.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use remit_sandbox::{GrantSpec, Grants, Journals, Recovered, Workspace, recover};

use crate::Probe;

/// How many commits are made before each kill, and how often one is killed: with five edits each, more than two thousand.
const COMMITS: u64 = 25;
const ROUNDS: u64 = 20;

/// The workspace in `folder`, with the journals beside it.
fn open(folder: &Path) -> Workspace {
    Workspace::open(&folder.join("workspace")).unwrap().with_journals(Journals::at(folder.join("journals")))
}

fn grants(workspace: &Workspace) -> Arc<Grants> {
    let spec = GrantSpec { read: vec![".".into()], write: vec![".".into()], ..GrantSpec::default() };
    Grants::new(workspace, &spec).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The process that commits, for the next test to kill.
#[tokio::test]
#[ignore = "runs as a process of its own, started by the test below"]
async fn commits_again_and_again() {
    let Some(folder) = std::env::var_os("REMIT_TEST_COMMITS") else { return };
    let probe = Probe::new();
    let workspace = open(folder.as_ref());
    let grants = grants(&workspace);
    let ledger = Arc::default();
    for number in 0.. {
        let (a, b) = if number % 2 == 0 { ("x", "y") } else { ("y", "x") };
        let text = a.repeat(5000);
        let program = format!(
            "write one {text}\nwrite two {text}\nmkdir {a}\nwrite {a}/three {text}\nunlink {b}/three\nrmdir {b}"
        );
        let output = probe.stage.run_recorded(&probe.std, &program, &grants, &ledger).await.unwrap();
        output.changes.commit(&ledger).unwrap();
        println!("committed");
    }
}

#[test]
fn a_process_that_is_killed_leaves_each_file_old_or_new_and_the_next_one_finishes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("workspace");
    std::fs::create_dir(&root).unwrap();
    let whole = |path: &str| {
        let text = std::fs::read_to_string(root.join(path)).unwrap();
        assert!(text == "x".repeat(5000) || text == "y".repeat(5000), "{path} is torn: {} bytes", text.len());
        text
    };
    for _ in 0..ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["recovery::commits_again_and_again", "--exact", "--ignored", "--nocapture"])
            .env("REMIT_TEST_COMMITS", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        for _ in 0..COMMITS {
            // The first lines are the test harness's own.
            while !lines.next().expect("it ended by itself").unwrap().contains("committed") {}
        }
        // Wherever it is by now.
        child.kill().unwrap();
        child.wait().unwrap();
        whole("one");
        whole("two");
        let recovered = recover(&open(folder.path())).unwrap();
        assert_eq!(recovered.problems, Vec::<String>::new());
        let one = whole("one");
        assert_eq!(whole("two"), one, "a commit is whole or not at all");
        let (made, gone) = if one.starts_with('x') { ("x", "y") } else { ("y", "x") };
        assert_eq!(whole(&format!("{made}/three")), one);
        assert!(!root.join(gone).exists());
        assert_eq!(names(&root), [".remit", "one", "two", made]);
        assert_eq!(names(&root.join(".remit")), [".gitignore", "staging"]);
        assert!(names(&root.join(".remit/staging")).is_empty());
        assert!(names(&folder.path().join("journals")).is_empty());
    }
}

/// A journal that puts a file `planted` into the workspace, as this version writes one.
fn journal(workspace: &Path, area: &str) -> String {
    use std::os::unix::fs::MetadataExt as _;
    let meta = workspace.metadata().unwrap();
    let path = workspace.canonicalize().unwrap();
    format!(
        r#"{{"v":1,"place":{{"path":{path:?},"dev":{},"ino":{}}},"area":"{area}","ops":[{{"op":"put","path":"planted","number":0,"over":null}}]}}"#,
        meta.dev(),
        meta.ino()
    )
}

fn staged(workspace: &Path, area: &str) {
    let area = workspace.join(".remit/staging").join(area);
    std::fs::create_dir_all(&area).unwrap();
    std::fs::write(area.join("0"), "content").unwrap();
}

#[test]
fn only_a_journal_in_the_users_own_folder_is_carried_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("workspace");
    std::fs::create_dir(&root).unwrap();
    let journals = folder.path().join("journals");
    std::fs::DirBuilder::new().mode(0o700).create(&journals).unwrap();
    let workspace = open(folder.path());

    // As it could come with a repository: beside the contents, under every name that ever was one.
    staged(&root, "1-0-1");
    for name in ["journal", "1-0-1.json"] {
        std::fs::write(root.join(".remit/staging/1-0-1").join(name), journal(&root, "1-0-1")).unwrap();
    }
    assert_eq!(recover(&workspace).unwrap(), Recovered::default());
    assert_eq!(names(&root), [".remit"]);

    // Of another workspace, or a copy of this one.
    let copy = folder.path().join("copy");
    std::fs::create_dir(&copy).unwrap();
    staged(&root, "1-0-2");
    std::fs::write(journals.join("1-0-2.json"), journal(&copy, "1-0-2")).unwrap();
    assert_eq!(recover(&workspace).unwrap(), Recovered::default());
    assert_eq!(names(&root), [".remit"]);

    // One that somebody else could have written, or that leads out of where contents are.
    staged(&root, "1-0-3");
    std::fs::write(journals.join("1-0-3.json"), journal(&root, "1-0-3")).unwrap();
    let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(journals.join("1-0-3.json"), mode(0o666)).unwrap();
    std::fs::write(journals.join("a.json"), journal(&root, "../../1-0-3")).unwrap();
    std::fs::set_permissions(journals.join("a.json"), mode(0o600)).unwrap();
    let problems = recover(&workspace).unwrap().problems;
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert_eq!(names(&root), [".remit"]);

    // And the real one.
    staged(&root, "1-0-4");
    std::fs::write(journals.join("1-0-4.json"), journal(&root, "1-0-4")).unwrap();
    std::fs::set_permissions(journals.join("1-0-4.json"), mode(0o600)).unwrap();
    assert_eq!(recover(&workspace).unwrap().finished, ["planted"]);
    assert_eq!(std::fs::read_to_string(root.join("planted")).unwrap(), "content");
}

#[tokio::test]
async fn where_others_could_write_journals_none_is_written_or_believed() {
    let folder = tempfile::tempdir().unwrap();
    let (root, journals) = (folder.path().join("workspace"), folder.path().join("journals"));
    std::fs::create_dir(&root).unwrap();
    std::fs::create_dir(&journals).unwrap();
    std::fs::set_permissions(&journals, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let workspace = open(folder.path());
    let problem = recover(&workspace).unwrap_err().to_string();
    assert!(problem.contains("others can write to"), "{problem}");

    let probe = Probe::new();
    let (grants, ledger) = (grants(&workspace), Arc::default());
    let output = probe.stage.run_recorded(&probe.std, "write one x", &grants, &ledger).await.unwrap();
    let problem = output.changes.commit(&ledger).unwrap_err().to_string();
    assert!(problem.contains("others can write to"), "{problem}");
    assert!(!root.join("one").exists());
}
