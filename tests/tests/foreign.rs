//! Components of other languages, built by their own tools and not for remit, run as tools unchanged.
//!
//! The tools are not part of the repository: where they are missing these tests say so and pass.

#![expect(clippy::unwrap_used, reason = "the helpers belong to tests")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use remit_sandbox::{CallError, CallOutput, Grants, Origin, Plugin, PluginSource, Supervision};
use remit_tests::{Stage, peer};
use serde_json::{Value, json};

/// The folder of `language` in `foreign/`.
fn source(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign").join(language)
}

/// Makes a component with another language's tool and loads it, its WIT beside it, as the plugin `name`.
fn build(stage: &Stage, command: &mut Command, name: &str, wit: PathBuf) -> Arc<Plugin> {
    let component = stage.outside(&format!("{name}.wasm"));
    let built = command.arg("-o").arg(&component).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    stage
        .sandbox
        .load(PluginSource {
            name: name.to_owned(),
            bytes: std::fs::read(&component).unwrap().into(),
            origin: Origin::File(component),
            wit: Some(wit),
        })
        .unwrap()
}

/// Calls a tool with grants.
async fn call(
    stage: &Stage,
    plugin: &Arc<Plugin>,
    grants: &Arc<Grants>,
    tool: &str,
    arguments: Value,
) -> Result<CallOutput, CallError> {
    stage
        .sandbox
        .call(plugin, tool, &arguments.to_string(), grants, &stage.limits, &Supervision::default())
        .await
}

/// The names and descriptions of the tools.
fn told(plugin: &Plugin) -> Vec<(&str, &str)> {
    plugin.tools().iter().map(|tool| (tool.name.as_str(), tool.description.as_str())).collect()
}

#[tokio::test]
async fn a_python_component_is_a_plugin_as_it_is() {
    let Some(componentize) = peer("componentize-py", "python/bin/componentize-py") else { return };
    let mut stage = Stage::default();
    stage.limits.memory_bytes = 256 << 20;
    stage.write("notes.txt", "the first line\nthe second\n");
    // A copy, because Python leaves what it compiles beside its sources.
    stage.write_outside("app.py", std::fs::read(source("python").join("app.py")).unwrap());
    let wit = source("python").join("wit");
    let mut command = Command::new(&componentize);
    command
        .env("PYTHONPATH", componentize.ancestors().nth(2).unwrap())
        .args(["-d".as_ref(), wit.as_os_str(), "-w".as_ref(), "words".as_ref(), "componentize".as_ref()])
        .args(["-p".as_ref(), stage.outside("").as_os_str(), "app".as_ref()]);
    let plugin = build(&stage, &mut command, "words", wit);
    assert_eq!(
        told(&plugin),
        [
            ("words.count_words", "Counts the words of a text, the most frequent first."),
            ("words.first_line", "Reads a file of the granted directories, through Python's own `open`."),
        ]
    );
    // What the tool itself adds to every component is none of the author's.
    let skipped: Vec<&str> = plugin.skipped().iter().map(|skipped| skipped.function.as_str()).collect();
    assert_eq!((skipped, plugin.warnings()), (vec!["exports#init"], &[][..]));

    let grants = stage.grants(&["."]);
    let call = async |tool, arguments| call(&stage, &plugin, &grants, tool, arguments).await;
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

#[tokio::test]
async fn a_javascript_component_is_a_plugin_as_it_is() {
    let Some(componentize) = peer("componentize-js", "javascript/node_modules/.bin/componentize-js") else {
        return;
    };
    let mut stage = Stage::default();
    stage.limits.memory_bytes = 256 << 20;
    stage.write("places.json", r#"[{ "name": "Bergen", "latitude": 60.39, "longitude": 5.32 }]"#);
    stage.write(".env", "[]");
    let (source, wit) = (source("javascript"), source("javascript").join("wit"));
    let mut command = Command::new(componentize);
    command.arg(source.join("app.js")).arg("-w").arg(&wit).args(["-n", "places"]);
    command.args(["-d", "http", "-d", "fetch-event"]);
    let plugin = build(&stage, &mut command, "places", wit);
    assert_eq!(
        told(&plugin),
        [
            ("places.northernmost", "Finds the place that is furthest north."),
            ("places.read_places", "Reads the places that a file of a granted directory lists, as JSON."),
        ]
    );

    let granted = stage.grants(&["."]);
    let places = json!([
        { "name": "Bergen", "latitude": 60.39, "longitude": 5.32 },
        { "name": "Bodø", "latitude": 67.28, "longitude": 14.4 },
    ]);
    let north = call(&stage, &plugin, &granted, "places.northernmost", json!({ "places": places })).await;
    assert_eq!(north.unwrap().text, "\"Bodø\"");
    let read = async |path: &str, grants| {
        call(&stage, &plugin, grants, "places.read_places", json!({ "path": path })).await.unwrap()
    };
    let bergen = read("places.json", &granted).await;
    assert!(!bergen.is_error, "{bergen:?}");
    assert_eq!(
        serde_json::from_str::<Value>(&bergen.text).unwrap(),
        json!([{ "name": "Bergen", "latitude": 60.39, "longitude": 5.32 }])
    );
    // What is not granted is an ordinary error in JavaScript, and without a grant there is no directory.
    for path in ["../outside/places.wasm", ".env"] {
        let refused = read(path, &granted).await;
        assert!(refused.is_error, "{path}: {refused:?}");
    }
    let nothing = read("places.json", &Grants::none()).await;
    assert_eq!((nothing.text.as_str(), nothing.is_error), ("there is no directory", true));
    let wrong = call(&stage, &plugin, &granted, "places.northernmost", json!({ "places": [{}] })).await;
    assert!(matches!(wrong, Err(CallError::Arguments(_))), "{wrong:?}");
}
