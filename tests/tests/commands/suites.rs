//! Test suites of real projects, as a role that verifies runs them: one that passes, one that fails, one that hangs.

use std::sync::Arc;

use remit_sandbox::{Entry, Ledger};
use serde_json::json;

use crate::bench::{Bench, said};

async fn run(bench: &Bench, argv: &[&str], timeout: Option<u32>) -> (String, Option<i32>) {
    let ledger = Arc::new(Ledger::default());
    let asked = json!({ "argv": argv, "timeout": timeout });
    let output = bench.call(asked, &ledger.clone().into()).await.unwrap();
    let text = said(output).unwrap();
    match &ledger.entries()[..] {
        [Entry::Ran { exit_code, .. }] => (text, *exit_code),
        entries => panic!("{entries:?}: {text}"),
    }
}

#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn is_installed(program: &str) -> bool {
    let is = std::process::Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    if !is {
        eprintln!("skipped: {program} is not installed");
    }
    is
}

#[tokio::test]
async fn cargo_test_works_inside() {
    let Some(mut bench) = Bench::new().await else { return };
    bench.spec.scratch = vec!["target".to_owned()];
    bench.stage.write(
        "Cargo.toml",
        "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    bench.stage.write(
        "src/lib.rs",
        "#[test] fn passes() { std::fs::write(std::env::temp_dir().join(\"x\"), \"x\").unwrap(); }\n\
         #[test] fn fails() { assert_eq!(1 + 1, 3); }\n\
         #[test] fn hangs() { loop { std::thread::park(); } }\n",
    );
    let mut lock = std::process::Command::new("cargo");
    lock.args(["generate-lockfile", "--offline"]).current_dir(bench.stage.path(""));
    assert!(lock.output().unwrap().status.success());
    let test = |name| ["cargo", "test", "--offline", "--lib", name];
    let (text, code) = run(&bench, &test("passes"), None).await;
    assert!(code == Some(0) && text.contains("1 passed"), "{text}");
    let (text, code) = run(&bench, &test("fails"), None).await;
    assert!(code == Some(101) && text.contains("assertion `left == right` failed"), "{text}");
    let (text, code) = run(&bench, &test("hangs"), Some(3)).await;
    assert!(code.is_none() && text.contains("it ran for too long"), "{text}");
}

#[tokio::test]
async fn npm_test_works_inside() {
    if !is_installed("npm") {
        return;
    }
    let Some(bench) = Bench::new().await else { return };
    for (name, script, expected) in [
        ("passes", "node --test a.test.js", Some(0)),
        ("fails", "node -e 'process.exit(3)'", Some(3)),
        ("hangs", "node -e 'setInterval(() => {}, 1000)'", None),
    ] {
        bench.stage.write("package.json", json!({ "name": name, "scripts": { "test": script } }).to_string());
        bench.stage.write(
            "a.test.js",
            "require('node:test')('adds', () => { require('assert').equal(1 + 1, 2); });",
        );
        let timeout = expected.is_none().then_some(3);
        let (text, code) = run(&bench, &["npm", "test"], timeout).await;
        assert_eq!(code, expected, "{name}: {text}");
    }
}

#[tokio::test]
async fn pytest_works_inside() {
    let Some(pytest) = remit_tests::peer("pytest", "pytest") else { return };
    let Some(mut bench) = Bench::new().await else { return };
    // As a project brings it along: in a folder of the workspace.
    copy(&pytest, &bench.stage.path("vendor"));
    bench.spec.commands = vec!["python3 -B run.py **".parse().unwrap()];
    bench.stage.write(
        "run.py",
        "import sys\nsys.path.insert(0, 'vendor')\nimport pytest\nsys.exit(pytest.main(sys.argv[1:]))\n",
    );
    bench.stage.write(
        "test_all.py",
        "def test_passes(tmp_path): (tmp_path / 'x').write_text('x')\n\
         def test_fails(): assert 1 + 1 == 3\n\
         def test_hangs():\n    import threading; threading.Event().wait()\n",
    );
    let test = |name| ["python3", "-B", "run.py", "-p", "no:cacheprovider", "-k", name];
    let (text, code) = run(&bench, &test("passes"), None).await;
    assert!(code == Some(0) && text.contains("1 passed"), "{text}");
    let (text, code) = run(&bench, &test("fails"), None).await;
    assert!(code == Some(1) && text.contains("assert (1 + 1) == 3"), "{text}");
    let (text, code) = run(&bench, &test("hangs"), Some(3)).await;
    assert!(code.is_none() && text.contains("it ran for too long"), "{text}");
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(path, to).unwrap();
        }
    }
}
