//! A guest reads what its directories hold, and nothing else: at the level of WASI's own calls, and through `std::fs`.

#![expect(clippy::unwrap_used, reason = "the helpers belong to tests")]

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use remit_sandbox::{CallError, GrantSpec, Grants, Plugin};
use remit_tests::{Stage, guest};

/// A stage, and a guest that tries what a test lists.
struct Probe {
    stage: Stage,
    /// Through WASI's own calls.
    wasi: Arc<Plugin>,
    /// Through `std::fs` and the guest's libc.
    std: Arc<Plugin>,
}

impl Probe {
    fn new() -> Self {
        let stage = Stage::default();
        let (wasi, std) = (stage.load(guest("fs_probe")), stage.load(guest("fs_probe_std")));
        Self { stage, wasi, std }
    }

    /// What each operation gives, one a line, with the whole workspace granted.
    async fn each(&self, operations: &[&str]) -> Vec<String> {
        self.each_with(operations, &self.stage.grants(&["."])).await
    }

    async fn each_with(&self, operations: &[&str], grants: &Arc<Grants>) -> Vec<String> {
        results(&self.stage, &self.wasi, operations, grants).await
    }

    /// The same through `std::fs`.
    async fn each_std(&self, operations: &[&str]) -> Vec<String> {
        results(&self.stage, &self.std, operations, &self.stage.grants(&["."])).await
    }
}

async fn results(
    stage: &Stage,
    plugin: &Arc<Plugin>,
    operations: &[&str],
    grants: &Arc<Grants>,
) -> Vec<String> {
    let output = stage.run_with(plugin, &operations.join("\n"), grants).await.unwrap();
    assert!(!output.is_error, "{}", output.text);
    let results: Vec<_> = output.text.lines().map(str::to_owned).collect();
    assert_eq!(results.len(), operations.len(), "{operations:?} gave {results:?}");
    results
}

/// Every operation is refused, with an error that is none of those that `but_not` names.
fn all_refused(operations: &[&str], results: &[String]) {
    for (operation, result) in operations.iter().zip(results) {
        assert!(!result.starts_with("ok"), "{operation:?} gave {result:?}");
    }
}

#[tokio::test]
async fn what_is_granted_can_be_read() {
    let probe = Probe::new();
    probe.stage.write("src/deep/main.rs", "fn main() {}");
    let read = [
        "read src/deep/main.rs",
        "list .",
        "list src",
        "stat src/deep/main.rs",
        "read ./src/../src/deep//main.rs",
    ];
    assert_eq!(
        probe.each(&read).await,
        ["ok fn main() {}", "ok src:directory", "ok deep:directory", "ok file 12", "ok fn main() {}"]
    );
    assert_eq!(
        probe.each_std(&["read src/deep/main.rs", "list .", "stat src", "read missing"]).await[..2],
        ["ok fn main() {}", "ok src"]
    );
}

#[tokio::test]
async fn no_path_leads_out() {
    let probe = Probe::new();
    probe.stage.write_outside("secret", "TOP SECRET");
    probe.stage.write("a/b", "inside");
    let outside = probe.stage.outside("secret");
    let absolute = format!("read {}", outside.display());
    let operations = [
        "read ../outside/secret",
        "read a/../../outside/secret",
        "read a/../a/../../outside/secret",
        "read ./../outside/secret",
        "read missing/../../outside/secret",
        "read /etc/passwd",
        "read //etc/passwd",
        "read /",
        "read /proc/self/environ",
        absolute.as_str(),
        "read ..",
        "list ..",
        "list ../outside",
        "list a/../..",
        "open .. directory",
        "open ../outside directory,nofollow",
        "stat ..",
        "stat ../outside/secret",
        "lstat ../outside",
        "hash ../outside/secret",
        "readlink ../outside/secret",
        "read a/b\\0",
        "read \\0",
        "read a\\0/b",
        "stat .\\0.",
        "read a/b/../../../outside/secret",
        "read ..\\\\outside\\\\secret",
    ];
    let results = probe.each(&operations).await;
    all_refused(&operations, &results);
    let operations = [
        "read ../outside/secret",
        "read a/../../outside/secret",
        "read /etc/passwd",
        absolute.as_str(),
        "list ..",
        "list /",
        "stat ../outside/secret",
        "readlink ../outside/secret",
    ];
    // A libc may take `/` for its own root, which is the workspace: what it lists then is no secret.
    for (operation, result) in operations.iter().zip(probe.each_std(&operations).await) {
        assert!(
            !result.contains("SECRET") && !result.contains("root:") && !result.contains("outside"),
            "{operation}: {result}"
        );
    }
}

/// Paths that a parser may stumble over. What they are is less important than that the call ends well.
#[tokio::test]
async fn odd_paths_are_answered_and_nothing_breaks() {
    let probe = Probe::new();
    probe.stage.write("x", "inside");
    let long = "x".repeat(5_000);
    let many = "./".repeat(3_000);
    let deep = "d/".repeat(2_000);
    let paths = [
        "\\e",
        ".",
        "./",
        ".//",
        ".///",
        "./././x",
        ".////x/y",
        ".//////missing/missing",
        "x/",
        "x/.",
        "x/..",
        "x//",
        "x/x",
        "...",
        "....",
        ".. ",
        "\\s",
        "\\n",
        "\\s/\\s",
        "~",
        "~root",
        "C:\\\\x",
        "\\\\x",
        "%2e%2e/x",
        "..%2fx",
        "．．/x",
        "．．／x",
        "x\u{202e}",
        "\u{feff}x",
        "CON",
        "*",
        "?",
        "-",
        "--help",
        "!x",
        "#x",
        "!",
        "[",
        "{",
        long.as_str(),
        many.as_str(),
        deep.as_str(),
    ];
    let operations: Vec<_> = paths
        .iter()
        .flat_map(|path| {
            ["read", "list", "stat", "lstat", "readlink", "hash"].map(|verb| format!("{verb} {path}"))
        })
        .collect();
    let operations: Vec<_> = operations.iter().map(String::as_str).collect();
    let results = probe.each(&operations).await;
    for (operation, result) in operations.iter().zip(&results) {
        assert!(!result.contains("outside"), "{operation:?} gave {result:?}");
    }
}

#[tokio::test]
async fn a_link_to_the_outside_leads_nowhere() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write_outside("secret", "TOP SECRET");
    stage.write("inner/file", "inside");
    stage.link("../outside/secret", "file-link");
    stage.link("../outside", "dir-link");
    stage.link("..", "up");
    stage.link(stage.outside("secret"), "absolute");
    stage.link("/", "root");
    stage.link("inner/../../outside", "roundabout");
    stage.link("dir-link", "link-to-link");
    stage.link("../../outside/secret", "inner/from-below");
    let operations = [
        "read file-link",
        "read file-link/",
        "stat file-link",
        "hash file-link",
        "open file-link",
        "list dir-link",
        "list dir-link/",
        "list dir-link/.",
        "read dir-link/secret",
        "stat dir-link",
        "stat dir-link/",
        "lstat dir-link/",
        "lstat dir-link/.",
        "lstat dir-link/secret",
        "open dir-link directory",
        "open dir-link/ directory,nofollow",
        "open dir-link directory,nofollow",
        "readlink dir-link/secret",
        "list up",
        "read up/outside/secret",
        "list up/outside",
        "read inner/../up/outside/secret",
        "read absolute",
        "stat absolute",
        "readlink absolute",
        "readlink root",
        "list root",
        "read root/etc/passwd",
        "list root/",
        "list roundabout",
        "read roundabout/secret",
        "list link-to-link",
        "read link-to-link/secret",
        "read inner/from-below",
    ];
    all_refused(&operations, &probe.each(&operations).await);
    let operations = [
        "read file-link",
        "list dir-link",
        "read dir-link/secret",
        "stat dir-link/",
        "read absolute",
        "read root/etc/passwd",
    ];
    all_refused(&operations, &probe.each_std(&operations).await);
    // Links themselves are part of the workspace: they can be seen, and where they lead within it.
    assert_eq!(probe.each(&["lstat dir-link", "readlink dir-link"]).await, ["ok link 10", "ok ../outside"]);
}

#[tokio::test]
async fn links_inside_are_followed_and_loops_end() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write("a/b/file", "inside");
    stage.link("a/b/file", "short");
    stage.link("a/b", "dir");
    stage.link("../b/../b/file", "a/b/self");
    stage.link("dir/self", "chain");
    stage.link("loop-b", "loop-a");
    stage.link("loop-a", "loop-b");
    stage.link("me", "me");
    stage.link("nested/x", "nested");
    for n in 0..60 {
        stage.link(format!("step-{}", n + 1), &format!("step-{n}"));
    }
    stage.write("step-60", "too far");
    assert_eq!(
        probe
            .each(&[
                "read short",
                "read dir/file",
                "list dir/",
                "read chain",
                "read a/b/self",
                "readlink dir"
            ])
            .await,
        ["ok inside", "ok inside", "ok file:file self:link", "ok inside", "ok inside", "ok a/b"]
    );
    let loops =
        ["read loop-a", "stat me", "list me/", "read nested/x", "open loop-b directory", "read step-0"];
    for (operation, result) in loops.iter().zip(probe.each(&loops).await) {
        assert_eq!(result, "loop", "{operation}");
    }
    let loops = ["read loop-a", "stat me", "list me", "read step-0"];
    all_refused(&loops, &probe.each_std(&loops).await);
}

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
    let output = probe.stage.run_with(&probe.wasi, program, &probe.stage.grants(&["."])).await.unwrap();
    let refusals: Vec<_> = output
        .refusals
        .iter()
        .map(|refusal| format!("{} {}: {}", refusal.action, refusal.path, refusal.reason))
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
    let workspace = remit_sandbox::Workspace::open(Path::new("/dev")).unwrap();
    let grants =
        Grants::new(&workspace, &GrantSpec { read: vec![".".into()], ..GrantSpec::default() }).unwrap();
    let operations = ["read zero", "read random", "read tty", "open null write", "read fd/0", "read stdin"];
    all_refused(&operations, &probe.each_with(&operations, &grants).await);
}

fn with_secrets() -> Probe {
    let probe = Probe::new();
    let stage = &probe.stage;
    for secret in [
        ".env",
        ".env.local",
        ".git/config",
        "deep/.ENV",
        "deep/id_rsa",
        "deep/Server.PEM",
        "deep/.Git/HEAD",
        ".remit/x",
    ] {
        stage.write(secret, "TOP SECRET");
    }
    stage.write("deep/.env./x", "TOP SECRET");
    stage.write("notes.txt", "plain");
    probe
}

#[tokio::test]
async fn secrets_are_hidden_from_every_role() {
    let probe = with_secrets();
    let stage = &probe.stage;
    stage.link(".env", "harmless.txt");
    stage.link("../.git", "deep/history");
    stage.link("deep", "d");
    std::fs::hard_link(stage.path(".env"), stage.path("hard.txt")).unwrap();
    std::fs::hard_link(stage.path(".git/config"), stage.path("deep/hard.txt")).unwrap();
    let operations = [
        "read .env",
        "read .env.local",
        "read .git/config",
        "read deep/.ENV",
        "read deep/id_rsa",
        "read deep/Server.PEM",
        "read deep/.Git/HEAD",
        "read .remit/x",
        "read deep/.env./x",
        "list deep/.env.",
        "read ./.env",
        "read deep/../.env",
        "read .//.env",
        "read .env/",
        "read .env/.",
        "read .git/../.env",
        "read .git/../.git/config",
        "stat .env",
        "lstat .env",
        "hash .env",
        "open .env",
        "open .env nofollow",
        "open .env neither",
        "list .git",
        "list .git/",
        "open .git directory",
        "stat .git",
        "stat .git/config",
        "read harmless.txt",
        "stat harmless.txt",
        "open harmless.txt",
        "read deep/history/config",
        "list deep/history",
        "read d/id_rsa",
        "read d/history/config",
        "read hard.txt",
        "stat hard.txt",
        "read deep/hard.txt",
        "read d/hard.txt",
    ];
    let results = probe.each(&operations).await;
    all_refused(&operations, &results);
    let listed = &probe.each(&["list .", "list deep"]).await;
    assert_eq!(listed[0], "ok d:link deep:directory hard.txt:file harmless.txt:link notes.txt:file");
    assert_eq!(listed[1], "ok hard.txt:file history:link");
    let operations = [
        "read .env",
        "read .git/config",
        "read harmless.txt",
        "read hard.txt",
        "stat .env",
        "list .git",
        "read d/id_rsa",
    ];
    all_refused(&operations, &probe.each_std(&operations).await);
}

/// The absence of a secret is no news either.
#[tokio::test]
async fn a_secret_that_is_not_there_is_refused_like_one_that_is() {
    let probe = with_secrets();
    let operations = [
        "stat .env",
        "stat .env.production",
        "stat .git/config",
        "stat .git/missing",
        "stat deep/id_ed25519",
    ];
    let results = probe.each(&operations).await;
    assert!(results.iter().all(|result| *result == results[0]), "{operations:?} gave {results:?}");
}

#[tokio::test]
async fn a_part_of_the_workspace_does_not_show_the_rest() {
    let probe = with_secrets();
    let stage = &probe.stage;
    stage.write("src/main.rs", "fn main() {}");
    stage.write("docs/index.md", "# Docs");
    stage.link("../notes.txt", "src/notes");
    stage.link("../docs/index.md", "src/docs");
    stage.link("../.env", "src/env");
    let grants = stage.grants(&["src", "docs"]);
    let operations = ["use src", "read main.rs", "list .", "use docs", "read index.md", "use ."];
    assert_eq!(
        probe.each_with(&operations, &grants).await[..5],
        ["ok", "ok fn main() {}", "ok docs:link env:link main.rs:file notes:link", "ok", "ok # Docs"]
    );
    let operations = [
        "read notes",
        "read env",
        "read ../notes.txt",
        "read ../docs/index.md",
        "list ..",
        "read docs",
        "stat ../.env",
    ];
    all_refused(&operations, &probe.each_with(&operations, &grants).await);
    let std =
        ["read notes.txt", "list .", "read .env", "read ../notes.txt", "read src/notes", "read deep/id_rsa"];
    let results = results(stage, &probe.std, &std, &grants).await;
    for (operation, result) in std.iter().zip(results) {
        assert!(!result.contains("plain") && !result.contains("SECRET"), "{operation}: {result}");
    }
}

#[tokio::test]
async fn the_ceiling_may_reveal_and_a_role_may_hide_more() {
    let probe = with_secrets();
    probe.stage.write("secrets/plan.md", "TOP SECRET");
    let grants = probe.stage.grants_of(&GrantSpec {
        read: vec![".".into()],
        hidden: vec!["secrets/".into()],
        reveal: vec![".env.local".into()],
        role_hidden: vec!["notes.*".into()],
    });
    let operations =
        ["read .env.local", "read .env", "read secrets/plan.md", "list secrets", "read notes.txt", "list ."];
    let results = probe.each_with(&operations, &grants).await;
    assert_eq!(results[0], "ok TOP SECRET");
    all_refused(&operations[1..5], &results[1..5]);
    assert_eq!(results[5], "ok .env.local:file deep:directory");
}

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
async fn a_file_that_vanished_or_may_not_be_read_is_an_error_of_the_guests() {
    use std::os::unix::fs::PermissionsExt as _;
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
    stage.write("locked", "x");
    std::fs::set_permissions(stage.path("locked"), std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(stage.path("locked")).is_ok() {
        eprintln!("skipped: this user may read a file that nobody may read");
        return;
    }
    assert_eq!(probe.each(&["read locked", "stat locked"]).await, ["access", "ok file 1"]);
}

/// The workspace is held by handle: what happens to its path afterwards is no way out of it.
#[tokio::test]
async fn a_workspace_that_is_replaced_by_a_link_is_still_the_workspace() {
    let probe = Probe::new();
    let stage = &probe.stage;
    stage.write("file", "inside");
    stage.write_outside("file", "TOP SECRET");
    let grants = stage.grants(&["."]);
    let workspace = stage.path("");
    let workspace = workspace.components().as_path().to_owned();
    let moved = stage.outside("moved");
    std::fs::rename(&workspace, &moved).unwrap();
    std::os::unix::fs::symlink(stage.outside(""), &workspace).unwrap();
    assert_eq!(probe.each_with(&["read file"], &grants).await, ["ok inside"]);
}
