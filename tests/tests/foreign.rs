//! Components of other languages, built by their own tools and not for remit, run as tools unchanged.
//!
//! The tools are not part of the repository: `.ci/peers DIR` installs them, `REMIT_PEERS` says where. Where they are
//! missing these tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::Command;

use remit_sandbox::{CallError, Origin, PluginSource};
use remit_tests::Stage;
use serde_json::{Value, json};

/// componentize-py, from the peers' folder or from PATH.
fn componentize_py() -> Option<Command> {
    let peers = std::env::var_os("REMIT_PEERS").map(PathBuf::from).unwrap_or_default().join("python");
    let mut command = Command::new(if peers.is_dir() {
        peers.join("bin/componentize-py")
    } else {
        PathBuf::from("componentize-py")
    });
    command.env("PYTHONPATH", peers);
    let works = command.arg("--version").output().is_ok_and(|output| output.status.success());
    let mut fresh = Command::new(command.get_program());
    fresh.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    works.then_some(fresh)
}

#[tokio::test]
async fn a_python_component_is_a_plugin_as_it_is() {
    let Some(mut componentize) = componentize_py() else {
        eprintln!(
            "skipped: componentize-py is not installed; `.ci/peers DIR` installs it, REMIT_PEERS=DIR names it"
        );
        return;
    };
    let mut stage = Stage::default();
    stage.limits.memory_bytes = 256 << 20;
    stage.write("notes.txt", "the first line\nthe second\n");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign/python");
    let wit = source.join("wit");
    let component = stage.outside("words.wasm");
    let built = componentize
        .args(["-d".as_ref(), wit.as_os_str(), "-w".as_ref(), "words".as_ref(), "componentize".as_ref()])
        .args(["-p".as_ref(), source.as_os_str(), "app".as_ref(), "-o".as_ref(), component.as_os_str()])
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));

    let plugin = stage
        .sandbox
        .load(PluginSource {
            name: "words".to_owned(),
            origin: Origin::File(component.clone()),
            bytes: std::fs::read(&component).unwrap().into(),
            wit: Some(wit),
        })
        .unwrap();
    // The tool adds an `init` of its own, which a role need not list.
    for (name, description) in [
        ("words.count_words", "Counts the words of a text, the most frequent first."),
        ("words.first_line", "Reads a file of the granted directories, through Python's own `open`."),
    ] {
        assert_eq!(plugin.tool(name).map(|tool| tool.description.as_str()), Some(description));
    }

    let grants = stage.grants(&["."]);
    let call = async |tool: &str, arguments: Value| {
        stage.sandbox.call(&plugin, tool, &arguments.to_string(), &grants, &stage.limits).await
    };
    let counted =
        call("words.count_words", json!({ "text": "To be or not to be", "at_most": 2 })).await.unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&counted.text).unwrap(),
        json!([{ "word": "to", "count": 2 }, { "word": "be", "count": 2 }])
    );
    let none = call("words.count_words", json!({ "text": "…" })).await.unwrap();
    assert_eq!((none.text.as_str(), none.is_error), ("there is no word in it", true));
    assert_eq!(
        call("words.first_line", json!({ "path": "notes.txt" })).await.unwrap().text,
        "the first line"
    );
    // What is not granted is an ordinary error in Python.
    let outside = call("words.first_line", json!({ "path": "../outside/words.wasm" })).await.unwrap();
    assert!(outside.is_error, "{outside:?}");
    let wrong = call("words.count_words", json!({ "text": 1 })).await.unwrap_err();
    assert!(matches!(wrong, CallError::Arguments(_)), "{wrong:?}");
}
