//! `cargo xtask lint`: what CI asks of the code beside its tests.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::bindings;
use crate::failure::Failure;
use crate::process::{not_started, run, say, wait_at_most, works};
use crate::repository::{Repository, Workspace};
use crate::setup;
use crate::wasm_target::TARGET;

/// How long the database of advisories may take to arrive.
const FETCH_LIMIT: Duration = Duration::from_secs(60);

/// Runs every check, cheapest first; stops at the first that fails.
pub(crate) fn lint(repository: &Repository) -> Result<(), Failure> {
    setup::setup(None)?;
    for workspace in Workspace::ALL {
        run(repository.cargo(workspace).args(["fmt", "--all", "--check"]))
            .map_err(|failure| failure.fix(format!("run `cargo fmt --all` in {}", workspace.folder())))?;
    }
    dependencies(repository)?;
    bindings::bindings(repository, true)?;
    for workspace in Workspace::ALL {
        run(&mut clippy(repository, workspace))?;
    }
    // What plugins compile only as guests; their tests cannot be built there.
    let mut guests = repository.cargo(Workspace::Plugins);
    run(guests.args([
        "clippy",
        "--release",
        "--workspace",
        "--lib",
        "--target",
        TARGET,
        "--",
        "-D",
        "warnings",
    ]))?;
    // A link in the documentation that leads nowhere.
    run(repository
        .cargo(Workspace::Host)
        .args(["doc", "--release", "--workspace", "--no-deps", "--quiet"])
        .env("RUSTDOCFLAGS", "-D warnings"))?;
    say("lint", "nothing to complain about");
    Ok(())
}

/// clippy in the profile that everything is built in, so that dependencies are compiled once.
fn clippy(repository: &Repository, workspace: Workspace) -> Command {
    let mut command = repository.cargo(workspace);
    command.args(["clippy", "--release", "--workspace", "--all-targets"]);
    match workspace {
        Workspace::Host | Workspace::Plugins => {}
        Workspace::Bindgen => {
            command.arg("--target-dir").arg(repository.path("plugins/target/bindgen"));
        }
        Workspace::Guests => {
            command.args(["--target", TARGET]);
        }
    }
    command.args(["--", "-D", "warnings"]);
    command
}

/// Licences, sources, bans and advisories, where cargo-deny is installed.
fn dependencies(repository: &Repository) -> Result<(), Failure> {
    if !works(repository.cargo(Workspace::Host).args(["deny", "--version"])) {
        say("lint", "dependencies not checked: cargo-deny is not installed");
        return Ok(());
    }
    let advisories = advisories_fetched(repository)?;
    for workspace in Workspace::ALL {
        let mut command = repository.cargo(workspace);
        command.args(["deny", "--locked", "--workspace", "--all-features", "--config"]);
        command.arg(repository.path("deny.toml")).args(["check", "bans", "licenses", "sources"]);
        if advisories {
            command.arg("advisories");
        }
        run(&mut command)?;
    }
    Ok(())
}

/// Gets the database of advisories; a machine that cannot reach it still has the other checks.
fn advisories_fetched(repository: &Repository) -> Result<bool, Failure> {
    let mut command = repository.cargo(Workspace::Host);
    command
        .args(["deny", "--log-level", "off", "--config"])
        .arg(repository.path("deny.toml"))
        .args(["fetch", "db"]);
    command.stdin(Stdio::null());
    let mut child = command.spawn().map_err(|error| not_started(&command, &error))?;
    let status = wait_at_most(&mut child, FETCH_LIMIT)
        .map_err(|error| Failure::new(format!("waiting for cargo-deny failed: {error}")))?;
    let fetched = status.is_some_and(|status| status.success());
    if !fetched {
        say("lint", "advisories not checked: their database could not be fetched");
    }
    Ok(fetched)
}
