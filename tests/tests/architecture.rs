//! What depends on what: arrows go down only, and each outside power has one owner.

#![expect(clippy::unwrap_used, reason = "the helpers belong to tests")]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Each crate, and which others of ours it may depend on.
const ARROWS: [(&str, &[&str]); 8] = [
    ("remit-pack", &[]),
    ("remit-model", &[]),
    ("remit-sandbox", &["remit-pack"]),
    ("remit-builtin", &["remit-pack"]),
    ("remit-agent", &["remit-model", "remit-pack", "remit-sandbox"]),
    ("remit", &["remit-agent", "remit-builtin", "remit-model", "remit-pack", "remit-sandbox"]),
    ("remit-tests", &["remit", "remit-agent", "remit-builtin", "remit-model", "remit-pack", "remit-sandbox"]),
    ("xtask", &[]),
];

/// Crates that talk to the network, and that run components.
const HTTP: [&str; 6] = ["reqwest", "hyper", "hyper-util", "ureq", "rustls", "isahc"];

/// Name and dependencies of every crate of the host's workspace, tests' own dependencies left out.
fn crates() -> Vec<(String, Vec<String>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let packages = metadata["packages"].as_array().unwrap();
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().unwrap().iter();
            let used = dependencies.filter(|dependency| dependency["kind"] != "dev");
            (text(&package["name"]), used.map(|dependency| text(&dependency["name"])).collect())
        })
        .collect()
}

#[test]
fn arrows_go_down_only() {
    for (name, dependencies) in crates() {
        let allowed = ARROWS.iter().find(|(known, _)| *known == name).map(|(_, allowed)| *allowed);
        let allowed = allowed.unwrap_or_else(|| panic!("say in this test what {name} may depend on"));
        let ours =
            dependencies.iter().filter(|dependency| ARROWS.iter().any(|(known, _)| known == dependency));
        for dependency in ours {
            assert!(allowed.contains(&dependency.as_str()), "{name} depends on {dependency}");
        }
    }
}

#[test]
fn only_the_sandbox_knows_wasmtime_and_only_the_model_crate_an_http_client() {
    for (name, dependencies) in crates() {
        for dependency in dependencies {
            if dependency.starts_with("wasmtime") {
                assert_eq!(name, "remit-sandbox", "{name} depends on {dependency}");
            }
            if HTTP.contains(&dependency.as_str()) {
                assert!(
                    ["remit-model", "remit-sandbox"].contains(&name.as_str()),
                    "{name} depends on {dependency}"
                );
            }
        }
    }
}

#[test]
fn xtask_depends_on_nothing() {
    let crates = crates();
    let (_, dependencies) = crates.iter().find(|(name, _)| name == "xtask").unwrap();
    assert_eq!(dependencies, &[] as &[String]);
}
