//! What a call costs in components that bring an interpreter along. Their tools are not part of the repository: where
//! one is missing, this says so and measures nothing.

#![expect(clippy::unwrap_used, reason = "what a benchmark cannot do ends it")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use criterion::Criterion;
use remit_sandbox::{Grants, Origin, Plugin, PluginSource, Supervision};
use remit_tests::{Stage, peer};
use serde_json::{Value, json};
use tokio::runtime::Builder;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let stage = Stage::default();
    if let Some(componentize) = peer("componentize-py", "python/bin/componentize-py") {
        let plugin = python(&stage, &componentize);
        let arguments = json!({ "text": "To be or not to be", "at_most": 2 });
        measure(&mut criterion, &stage, &plugin, "words.count_words", &arguments);
    }
    if let Some(componentize) = peer("componentize-js", "javascript/node_modules/.bin/componentize-js") {
        let plugin = javascript(&stage, &componentize);
        let places = json!([{ "name": "Bergen", "latitude": 60.39, "longitude": 5.32 }]);
        measure(&mut criterion, &stage, &plugin, "places.northernmost", &json!({ "places": places }));
    }
    criterion.final_summary();
}

fn measure(criterion: &mut Criterion, stage: &Stage, plugin: &Arc<Plugin>, tool: &str, arguments: &Value) {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (arguments, grants) = (arguments.to_string(), Grants::none());
    let mut group = criterion.benchmark_group("languages");
    group.bench_function(tool, |bencher| {
        bencher.iter(|| {
            let supervision = Supervision::default();
            let call =
                stage.sandbox.call(plugin, tool, black_box(&arguments), &grants, &stage.limits, &supervision);
            let output = runtime.block_on(call).unwrap();
            assert!(!output.is_error, "{}", output.text);
            output
        });
    });
    group.finish();
}

fn source(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign").join(language)
}

fn python(stage: &Stage, componentize: &Path) -> Arc<Plugin> {
    // A copy, because Python leaves what it compiles beside its sources.
    stage.write_outside("app.py", std::fs::read(source("python").join("app.py")).unwrap());
    let wit = source("python").join("wit");
    let mut command = Command::new(componentize);
    command
        .env("PYTHONPATH", componentize.ancestors().nth(2).unwrap())
        .args(["-d".as_ref(), wit.as_os_str(), "-w".as_ref(), "words".as_ref(), "componentize".as_ref()])
        .args(["-p".as_ref(), stage.outside("").as_os_str(), "app".as_ref()]);
    build(stage, &mut command, "words", wit)
}

fn javascript(stage: &Stage, componentize: &Path) -> Arc<Plugin> {
    let (source, wit) = (source("javascript"), source("javascript").join("wit"));
    let mut command = Command::new(componentize);
    command.arg(source.join("app.js")).arg("-w").arg(&wit).args(["-n", "places"]);
    command.args(["-d", "http", "-d", "fetch-event"]);
    build(stage, &mut command, "places", wit)
}

fn build(stage: &Stage, command: &mut Command, name: &str, wit: PathBuf) -> Arc<Plugin> {
    let component = stage.outside(&format!("{name}.wasm"));
    let built = command.arg("-o").arg(&component).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let source = PluginSource {
        name: name.to_owned(),
        bytes: std::fs::read(&component).unwrap().into(),
        origin: Origin::File(component),
        wit: Some(wit),
    };
    stage.sandbox.load(source).unwrap()
}
