//! What a turn costs by the number of turns before it: the loop alone, with a script for a model and a tool that answers
//! at once.

#![expect(clippy::unwrap_used, reason = "what a benchmark cannot do ends it")]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use futures::FutureExt;
use futures::future::{self, BoxFuture};
use remit_agent::roles::{Authority, BuiltIn, Role, Roles, RolesSource};
use remit_agent::{
    CallTerms, EventSink, Events, Models, Notes, Recorder, RoleRef, RunRequest, Setup, Status, ToolInfo,
    ToolOutcome, Toolbox, ToolboxError, ToolboxFactory, run,
};
use remit_model::{Model, ModelError, Script};
use serde_json::json;
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

const ROLES: &str = r#"
[budget]
max_turns = 100_000
max_model_calls = 100_000
max_tokens = 1_000_000_000_000_000

[roles.root]
description = "Reads."
tools = ["files.*"]
read = ["."]
max_turns = 100_000
max_model_calls = 100_000
max_tokens = 1_000_000_000_000_000
"#;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let workspace = tempfile::tempdir().unwrap();
    let built_in = BuiltIn { roles: ROLES, plugins: &["files"] };
    let roles = Arc::new(Roles::load(RolesSource::BuiltIn, &built_in, workspace.path()).unwrap());

    for (name, is_recorded) in [("turns", false), ("turns-recorded", true)] {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(20);
        for turns in [10, 100, 1000, 10_000] {
            group.throughput(Throughput::Elements(turns));
            group.bench_function(BenchmarkId::from_parameter(turns), |bencher| {
                bencher.iter_batched(
                    || {
                        // One for each run: a workspace has names for a thousand runs a second, not for more.
                        let workspace = tempfile::tempdir().unwrap();
                        let request = request(workspace.path(), &roles, turns, is_recorded);
                        (workspace, request)
                    },
                    |(workspace, request)| {
                        let outcome = runtime.block_on(run(request)).unwrap();
                        assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.reason);
                        assert_eq!(outcome.figures.turns, turns);
                        // Given back, so that removing it is not counted.
                        workspace
                    },
                    BatchSize::PerIteration,
                );
            });
        }
        group.finish();
    }
    criterion.final_summary();
}

fn request(workspace: &Path, roles: &Arc<Roles>, turns: u64, is_recorded: bool) -> RunRequest {
    let sinks: Vec<Box<dyn EventSink>> =
        if is_recorded { vec![Box::new(Recorder::create(workspace).unwrap())] } else { Vec::new() };
    let setup = Setup {
        role: "root".to_owned(),
        pins: Vec::new(),
        notes: Notes::default(),
        roles: roles.clone(),
        workspace: workspace.to_owned(),
        toolboxes: Arc::new(Shelf),
        models: Arc::new(Cast(Arc::new(script(turns)))),
        broker: remit_agent::Broker::new(remit_agent::Policy::Ask, None),
        events: Arc::new(Events::new(sinks)),
    };
    let prompt = "Which test framework does this project use?".to_owned();
    RunRequest { prompt, setup, cancel: CancellationToken::new() }
}

/// One call a turn, each for another file, and a last word.
fn script(turns: u64) -> Script {
    let mut text = String::new();
    for turn in 1..turns {
        let call = format!("{{ tool = \"files.read_file\", args = {{ path = \"src/file_{turn}.rs\" }} }}");
        writeln!(text, "[[turn]]\nagent = \"root\"\ncalls = [{call}]").unwrap();
    }
    text.push_str("[[turn]]\nagent = \"root\"\ntext = \"None.\"\n");
    Script::parse("script.toml".as_ref(), &text).unwrap()
}

struct Cast(Arc<Script>);

impl Models for Cast {
    fn of(&self, _: &Role) -> Result<Arc<dyn Model>, ModelError> {
        Ok(self.0.clone())
    }
}

/// Toolboxes of one tool, whose result is 2 KB.
struct Shelf;

impl ToolboxFactory for Shelf {
    fn make<'a>(
        &'a self,
        _: &'a RoleRef,
        _: &'a Authority,
    ) -> BoxFuture<'a, Result<Arc<dyn Toolbox>, ToolboxError>> {
        let tool = ToolInfo {
            name: "files.read_file".to_owned(),
            wire_name: "files__read_file".to_owned(),
            description: "Reads a file.".to_owned(),
            input_schema: json!({ "type": "object" }),
        };
        let line = "42\tlet value = table.get(\"name\").map(|entry| entry.value());\n";
        let text = line.repeat(2000 / line.len());
        let toolbox: Arc<dyn Toolbox> = Arc::new(Reader { tools: vec![tool], text });
        future::ready(Ok(toolbox)).boxed()
    }
}

struct Reader {
    tools: Vec<ToolInfo>,
    text: String,
}

impl Toolbox for Reader {
    fn tools(&self) -> &[ToolInfo] {
        &self.tools
    }

    fn call<'a>(&'a self, _: &'a str, arguments: &'a str, _: CallTerms<'a>) -> BoxFuture<'a, ToolOutcome> {
        let text = format!("{arguments}\n{}", self.text);
        future::ready(ToolOutcome { text, ..ToolOutcome::default() }).boxed()
    }
}
