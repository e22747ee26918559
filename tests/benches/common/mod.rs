//! What the benchmarks of the built-in plugins share.

use std::hint::black_box;
use std::sync::Arc;

use criterion::BenchmarkGroup;
use criterion::measurement::WallTime;
use remit_sandbox::{Grants, Limits, Origin, Plugin, PluginSource, Sandbox, Supervision};
use tokio::runtime::Runtime;

/// A plugin that comes inside remit.
pub(crate) fn built_in(name: &str) -> PluginSource {
    let plugin = remit_builtin::PLUGINS.iter().find(|plugin| plugin.name == name).unwrap();
    PluginSource { name: name.to_owned(), origin: Origin::BuiltIn, bytes: plugin.bytes.into(), wit: None }
}

/// One call after the other, each in an instance of its own.
pub(crate) fn repeat(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    runtime: &Runtime,
    (sandbox, plugin, tool): (&Sandbox, &Arc<Plugin>, &str),
    arguments: &serde_json::Value,
    grants: &Arc<Grants>,
) {
    let limits = Limits::default();
    let arguments = arguments.to_string();
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            let output = runtime
                .block_on(sandbox.call(
                    plugin,
                    tool,
                    black_box(&arguments),
                    grants,
                    &limits,
                    &Supervision::default(),
                ))
                .unwrap();
            assert!(!output.is_error, "{}", output.text);
            output
        });
    });
}
