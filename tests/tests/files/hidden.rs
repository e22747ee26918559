//! Secrets, and the parts of a workspace that are not granted.

use remit_sandbox::GrantSpec;

use crate::{Probe, all_refused, results};

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
        ..GrantSpec::default()
    });
    let operations =
        ["read .env.local", "read .env", "read secrets/plan.md", "list secrets", "read notes.txt", "list ."];
    let results = probe.each_with(&operations, &grants).await;
    assert_eq!(results[0], "ok TOP SECRET");
    all_refused(&operations[1..5], &results[1..5]);
    assert_eq!(results[5], "ok .env.local:file deep:directory");
}
