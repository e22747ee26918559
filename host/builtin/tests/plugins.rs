//! The built-in plugins as they are embedded, in the sandbox and under grants.

#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use remit_sandbox::{
    GrantSpec, Grants, Limits, Origin, Plugin, PluginSource, Sandbox, SandboxConfig, Workspace,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A workspace beside which there is something that must not be reached.
struct Stage {
    sandbox: Sandbox,
    plugins: Vec<Arc<Plugin>>,
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let sandbox = Sandbox::new(&SandboxConfig::default()).unwrap();
        let load = |builtin: &remit_builtin::Builtin| {
            let bytes = builtin.bytes.into();
            let source =
                PluginSource { name: builtin.name.to_owned(), origin: Origin::BuiltIn, bytes, wit: None };
            sandbox.load(source).unwrap()
        };
        let plugins = remit_builtin::PLUGINS.iter().map(load).collect();
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("workspace")).unwrap();
        fs::write(folder.path().join("outside"), "needle outside\n").unwrap();
        Self { sandbox, plugins, folder }
    }

    fn workspace(&self) -> std::path::PathBuf {
        self.folder.path().join("workspace")
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.workspace().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Calls a tool where the whole workspace is granted.
    async fn call(&self, tool: &str, arguments: Value) -> String {
        self.call_with(&["."], tool, arguments).await
    }

    /// Calls a tool; what it says is an error begins with `error: `.
    async fn call_with(&self, read: &[&str], tool: &str, arguments: Value) -> String {
        let workspace = Workspace::open(&self.workspace()).unwrap();
        let read = read.iter().map(|path| (*path).to_owned()).collect();
        let grants = Grants::new(&workspace, &GrantSpec { read, ..GrantSpec::default() }).unwrap();
        let plugin =
            self.plugins.iter().find(|plugin| tool.starts_with(&format!("{}.", plugin.name()))).unwrap();
        let output = self
            .sandbox
            .call(plugin, tool, &arguments.to_string(), &grants, &Limits::default(), &Arc::default())
            .await
            .unwrap();
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
        if output.is_error { format!("error: {}", output.text) } else { output.text }
    }
}

#[test]
fn every_plugin_is_named_by_the_hash_of_its_bytes() {
    for plugin in remit_builtin::PLUGINS {
        let digest = Sha256::digest(plugin.bytes).iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        });
        assert_eq!(digest, plugin.sha256, "{}", plugin.name);
    }
}

#[test]
fn what_a_model_is_told_of_every_tool() {
    let stage = Stage::new();
    let mut told = Vec::new();
    for plugin in &stage.plugins {
        assert!(plugin.warnings().is_empty(), "{}: {:?}", plugin.name(), plugin.warnings());
        assert!(plugin.skipped().is_empty());
        told.extend(plugin.tools().iter().map(|tool| {
            json!({ "name": tool.name, "description": tool.description, "input_schema": tool.input_schema })
        }));
    }
    insta::assert_json_snapshot!(told);
}

#[tokio::test]
async fn a_workspace_is_listed_searched_and_read() {
    let stage = Stage::new();
    stage.write("src/main.rs", "fn main() {\n    needle();\n}\n");
    stage.write("src/deep/needle.md", "no such word\n");
    stage.write("target/built", "needle\n");
    stage.write(".gitignore", "/target/\n");
    let said = [
        stage.call("files.list_files", json!({ "depth": 3 })).await,
        stage.call("files.find_files", json!({ "pattern": "*needle*" })).await,
        stage.call("search.grep", json!({ "pattern": "needle", "context": 1 })).await,
        stage.call("files.read_file", json!({ "path": "src/main.rs", "start": 2, "lines": 1 })).await,
    ]
    .join("\n\n");
    insta::assert_snapshot!(said);
}

#[tokio::test]
async fn only_what_is_granted_is_there() {
    let stage = Stage::new();
    stage.write("src/a", "needle\n");
    stage.write("docs/book/b", "needle\n");
    stage.write("docs/draft", "needle\n");
    stage.write("secret", "needle\n");
    let granted = ["src", "docs/book"];
    let said = [
        stage.call_with(&granted, "files.list_files", json!({})).await,
        stage.call_with(&granted, "files.list_files", json!({ "path": "docs" })).await,
        stage.call_with(&granted, "files.find_files", json!({ "pattern": "*" })).await,
        stage.call_with(&granted, "search.grep", json!({ "pattern": "needle" })).await,
        stage.call_with(&granted, "files.read_file", json!({ "path": "src/a" })).await,
        stage.call_with(&granted, "files.read_file", json!({ "path": "secret" })).await,
        stage.call_with(&granted, "search.grep", json!({ "pattern": "needle", "path": "docs/draft" })).await,
        stage.call_with(&[], "files.list_files", json!({})).await,
        stage.call_with(&[], "search.grep", json!({ "pattern": "needle" })).await,
    ]
    .join("\n\n");
    insta::assert_snapshot!(said);
}

#[tokio::test]
async fn what_is_hidden_or_outside_is_never_shown() {
    let stage = Stage::new();
    stage.write(".env", "needle=1\n");
    stage.write(".git/config", "needle\n");
    stage.write("a", "nothing\n");
    symlink("../outside", stage.workspace().join("way-out")).unwrap();
    symlink(stage.folder.path().join("outside"), stage.workspace().join("absolute")).unwrap();
    symlink(".env", stage.workspace().join("alias")).unwrap();
    let read = |path| stage.call("files.read_file", json!({ "path": path }));
    for path in [".env", ".git/config", "way-out", "absolute", "alias", ".ENV"] {
        let said = read(path).await;
        assert!(said.starts_with("error: ") && !said.contains("needle"), "{path}: {said}");
    }
    assert_eq!(
        stage.call("search.grep", json!({ "pattern": "needle" })).await,
        "no matches for \"needle\" in ./ (1 file searched)"
    );
    let listed = stage.call("files.list_files", json!({})).await;
    assert!(listed.lines().all(|line| !line.starts_with(".env") && !line.starts_with(".git")), "{listed}");
    assert!(!listed.contains(&*stage.folder.path().to_string_lossy()), "{listed}");
}

#[tokio::test]
async fn strange_files_give_bounded_and_marked_results() {
    let stage = Stage::new();
    stage.write("latin", b"caf\xe9 needle\n");
    stage.write("line\nbreak", "needle\n");
    stage.write("binary", b"needle\0");
    let not_utf8 = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"not-\xff-utf8");
    fs::write(stage.workspace().join(not_utf8), "needle\n").unwrap();
    let huge = fs::File::create(stage.workspace().join("huge.log")).unwrap();
    huge.set_len(4 << 30).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(stage.workspace().join("fifo")).status().unwrap();
    assert!(fifo.success());
    let said = [
        stage.call("files.list_files", json!({})).await,
        stage.call("search.grep", json!({ "pattern": "needle" })).await,
        stage.call("files.read_file", json!({ "path": "latin" })).await,
        stage.call("files.read_file", json!({ "path": "huge.log" })).await,
        stage.call("files.read_file", json!({ "path": "fifo" })).await,
        stage.call("files.read_file", json!({ "path": "line\nbreak" })).await,
    ]
    .join("\n\n");
    insta::assert_snapshot!(said);
}

#[tokio::test]
async fn a_folder_with_a_hundred_thousand_entries_is_cut_and_counted() {
    let stage = Stage::new();
    fill(&stage.workspace().join("many"), 100_001);
    let listed = stage.call("files.list_files", json!({ "path": "many" })).await;
    assert!(listed.len() < 32 * 1024);
    let end = "(1,000 of 100,000 entries; only 100,000 entries of many/ were looked at)";
    assert!(listed.ends_with(end), "{}", &listed[listed.len() - 200..]);
}

fn fill(directory: &Path, entries: usize) {
    fs::create_dir(directory).unwrap();
    let first = directory.join("0");
    fs::write(&first, "").unwrap();
    for entry in 1..entries {
        // A link costs the file system less than a file.
        fs::hard_link(&first, directory.join(entry.to_string()))
            .or_else(|_| fs::write(directory.join(entry.to_string()), ""))
            .unwrap();
    }
}
