//! What the built-in plugins cost: to compile, to take from the cache, and to use through the gate.

#![expect(clippy::unwrap_used, reason = "what a benchmark cannot do ends it")]
#![expect(clippy::print_stdout, reason = "what is skipped is said where the figures are")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput};
use remit_sandbox::{GrantSpec, Grants, Ledger, Limits, Sandbox, SandboxConfig, Supervision, Workspace};
use remit_tests::Stage;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use common::{built_in, repeat};

mod common;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    load(&mut criterion);
    read(&mut criterion, &runtime);
    search(&mut criterion, &runtime);
    tree(&mut criterion, &runtime);
    criterion.final_summary();
}

fn load(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("compiled");
    let cached = SandboxConfig { cache_dir: Some(cache), ..SandboxConfig::default() };
    let mut group = criterion.benchmark_group("load");
    group.bench_function("engine", |bencher| {
        bencher.iter(|| Sandbox::new(black_box(&cached)).unwrap());
    });
    let sandbox = Sandbox::new(&cached).unwrap();
    for name in ["files", "search"] {
        sandbox.load(built_in(name)).unwrap();
        group.bench_function(format!("{name}-from-cache"), |bencher| {
            bencher.iter_batched(
                || built_in(name),
                |source| sandbox.load(source).unwrap(),
                BatchSize::SmallInput,
            );
        });
    }
    let uncached = Sandbox::new(&SandboxConfig::default()).unwrap();
    group.sample_size(10);
    for name in ["files", "search"] {
        group.bench_function(format!("{name}-compiled"), |bencher| {
            bencher.iter_batched(
                || built_in(name),
                |source| uncached.load(source).unwrap(),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn read(criterion: &mut Criterion, runtime: &Runtime) {
    let stage = Stage::default();
    stage.write("src/small.txt", "Some thirty-two bytes of a line.\n".repeat(31));
    stage.write("src/large.txt", "Some thirty-two bytes of a line.\n".repeat(390));
    let files = stage.sandbox.load(built_in("files")).unwrap();
    let grants = stage.grants(&["."]);
    let mut group = criterion.benchmark_group("files.read_file");
    let target = (&stage.sandbox, &files, "files.read_file");
    repeat(&mut group, "1KB", runtime, target, &json!({ "path": "src/small.txt" }), &grants);
    repeat(&mut group, "13KB", runtime, target, &json!({ "path": "src/large.txt" }), &grants);

    // A file of two names: the hidden files of the workspace are looked through for it, among 5,000 others.
    for number in 0..5000 {
        stage.write(&format!("many/{}/{number}.txt", number / 100), "");
    }
    std::fs::hard_link(stage.path("src/small.txt"), stage.path("src/linked.txt")).unwrap();
    repeat(&mut group, "1KB-of-two-names", runtime, target, &json!({ "path": "src/linked.txt" }), &grants);
    group.finish();
}

/// Searches the Rust files of this repository's own host.
fn search(criterion: &mut Criterion, runtime: &Runtime) {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host");
    let sandbox = Sandbox::new(&SandboxConfig::default()).unwrap();
    let search = sandbox.load(built_in("search")).unwrap();
    let workspace = Workspace::open(&tree).unwrap();
    let spec = GrantSpec { read: vec![".".to_owned()], ..GrantSpec::default() };
    let grants = Grants::new(&workspace, &spec).unwrap();
    let mut group = criterion.benchmark_group("search.grep");
    group.sample_size(20).throughput(Throughput::Bytes(bytes_of(&tree)));
    let target = (&sandbox, &search, "search.grep");
    let pattern = json!({ "pattern": "fn \\w+_deadline", "glob": "*.rs" });
    repeat(&mut group, "host-tree", runtime, target, &pattern, &grants);
    group.finish();
}

/// Searches some ten thousand files, beside ripgrep with one thread, where both are there: the sources that cargo has
/// fetched, or the tree that `REMIT_BENCH_TREE` names.
fn tree(criterion: &mut Criterion, runtime: &Runtime) {
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let named = std::env::var_os("REMIT_BENCH_TREE").map(PathBuf::from);
    let tree = named.or_else(|| Some(cargo?.join("registry/src"))).filter(|tree| tree.is_dir());
    let Some(tree) = tree else { return println!("search.tree: skipped, there is no tree to search") };
    let sandbox = Sandbox::new(&SandboxConfig::default()).unwrap();
    let search = sandbox.load(built_in("search")).unwrap();
    let spec = GrantSpec { read: vec![".".to_owned()], ..GrantSpec::default() };
    let grants = Grants::new(&Workspace::open(&tree).unwrap(), &spec).unwrap();
    let limits = Limits { deadline: Duration::from_secs(600), ..Limits::default() };
    // A word that is nowhere, so that neither stops early.
    let word = "zq_nowhere_qz";
    let arguments = json!({ "pattern": word }).to_string();
    let mut group = criterion.benchmark_group("search.tree");
    group.sample_size(10);
    for (name, ledger) in [("remit", None), ("remit-without-ledger", Some(0))] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let ledger = ledger.map_or_else(Ledger::default, Ledger::bounded);
                let above = Supervision::from(Arc::new(ledger));
                let call = sandbox.call(&search, "search.grep", &arguments, &grants, &limits, &above);
                let output = runtime.block_on(call).unwrap();
                assert!(!output.is_error && output.text.starts_with("no matches"), "{}", output.text);
            });
        });
    }
    if Command::new("rg").arg("--version").output().is_err() {
        return println!("search.tree: there is no rg to compare with");
    }
    group.bench_function("rg-one-thread", |bencher| {
        bencher.iter(|| {
            let found = Command::new("rg").args(["-j1", "--no-messages", word]).current_dir(&tree).output();
            assert_eq!(found.unwrap().status.code(), Some(1));
        });
    });
    group.finish();
}

/// The size of all Rust files below a directory.
fn bytes_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let sizes = entries.map(|path| match path.is_dir() {
        true => bytes_of(&path),
        false if path.extension().is_some_and(|ending| ending == "rs") => path.metadata().unwrap().len(),
        false => 0,
    });
    sizes.sum()
}
