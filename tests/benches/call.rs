//! What a call costs, beside the same call with wasmtime alone and beside a process.
//!
//! The guest gives back its argument. remit's way is the whole one: JSON in, checked against the schema, a store, an
//! instance, the call, all of it dropped, JSON out. The bare way makes the same store and instance of the same component
//! in an engine of the same settings, with wasmtime-wasi's own linker, and calls it with Rust's own strings.

#![expect(clippy::unwrap_used, reason = "what a benchmark cannot do ends it")]

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use remit_sandbox::{Grants, Limits, Supervision};
use remit_tests::{Stage, guest};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use wasmtime::component::{Component, ComponentExportIndex, InstancePre, Linker, ResourceTable};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store, UpdateDeadline};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let runtime = runtime();
    pure_call(&mut criterion, &runtime);
    ratio(&runtime);
    large_argument(&mut criterion, &runtime);
    lists(&mut criterion, &runtime);
    criterion.final_summary();
}

/// The runtime that the command line uses.
fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

fn pure_call(criterion: &mut Criterion, runtime: &Runtime) {
    let mut group = criterion.benchmark_group("call");
    let bare = Bare::load(guest("echo"));
    assert_eq!(runtime.block_on(bare.call("hello")), Ok("hello".to_owned()));
    group.bench_function("bare-wasmtime", |bencher| {
        bencher.iter(|| runtime.block_on(bare.call(black_box("hello"))));
    });
    let stage = Stage::default();
    let echo = stage.load(guest("echo"));
    let (grants, limits) = (Grants::none(), Limits::default());
    let arguments = json!({ "argument": "hello" }).to_string();
    let output = runtime.block_on(stage.sandbox.call(
        &echo,
        "guest.run",
        &arguments,
        &grants,
        &limits,
        &Supervision::default(),
    ));
    assert_eq!(output.unwrap().text, "hello");
    group.bench_function("remit", |bencher| {
        bencher.iter(|| {
            let supervision = Supervision::default();
            let call =
                stage.sandbox.call(&echo, "guest.run", black_box(&arguments), &grants, &limits, &supervision);
            runtime.block_on(call).unwrap()
        });
    });
    // A component that could open files, and a role that may: the call gets a thread of its own.
    let grants = stage.grants(&["."]);
    group.bench_function("remit-with-files", |bencher| {
        bencher.iter(|| {
            let supervision = Supervision::default();
            let call =
                stage.sandbox.call(&echo, "guest.run", black_box(&arguments), &grants, &limits, &supervision);
            runtime.block_on(call).unwrap()
        });
    });
    group.bench_function("process-bin-true", |bencher| {
        bencher.iter(|| Command::new("/bin/true").status().unwrap());
    });
    group.finish();
}

/// How many times as long remit's call takes as the bare one.
///
/// The two take turns, in short rounds. Measured one after the other, as above, they differ by whatever else the machine
/// did meanwhile: on a busy one the longer way has come out as the faster.
#[expect(clippy::print_stdout, reason = "criterion has no figure for a ratio")]
fn ratio(runtime: &Runtime) {
    const ROUNDS: usize = 400;
    const CALLS: u32 = 200;
    let bare = Bare::load(guest("echo"));
    let stage = Stage::default();
    let echo = stage.load(guest("echo"));
    let (grants, limits) = (Grants::none(), Limits::default());
    let arguments = json!({ "argument": "hello" }).to_string();
    let bare = || {
        let start = Instant::now();
        for _ in 0..CALLS {
            black_box(runtime.block_on(bare.call(black_box("hello")))).unwrap();
        }
        start.elapsed()
    };
    let remit = || {
        let start = Instant::now();
        for _ in 0..CALLS {
            let supervision = Supervision::default();
            let call =
                stage.sandbox.call(&echo, "guest.run", black_box(&arguments), &grants, &limits, &supervision);
            black_box(runtime.block_on(call)).unwrap();
        }
        start.elapsed()
    };
    let mut rounds: Vec<(Duration, Duration)> = (0..ROUNDS)
        .map(|round| {
            if round % 2 == 0 {
                let bare = bare();
                (bare, remit())
            } else {
                let remit = remit();
                (bare(), remit)
            }
        })
        .collect();
    let ratio = |(bare, remit): &(Duration, Duration)| remit.as_secs_f64() / bare.as_secs_f64();
    rounds.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    println!(
        "call/remit-to-bare      ratio:  {:.3} (median of {ROUNDS} rounds)\n",
        ratio(&rounds[ROUNDS / 2])
    );
}

/// A string of 256 KiB there and back.
fn large_argument(criterion: &mut Criterion, runtime: &Runtime) {
    let text = "0123456789abcdef".repeat(16 << 10);
    let mut group = criterion.benchmark_group("codec/string-256KiB-there-and-back");
    group.throughput(Throughput::Bytes(2 * text.len() as u64));
    let bare = Bare::load(guest("echo"));
    group.bench_function("bare-wasmtime", |bencher| {
        bencher.iter(|| runtime.block_on(bare.call(black_box(&text))));
    });
    let stage = Stage::default();
    let echo = stage.load(guest("echo"));
    let (grants, limits) = (Grants::none(), Limits::default());
    let arguments = json!({ "argument": text }).to_string();
    group.bench_function("remit", |bencher| {
        bencher.iter(|| {
            let supervision = Supervision::default();
            let call =
                stage.sandbox.call(&echo, "guest.run", black_box(&arguments), &grants, &limits, &supervision);
            runtime.block_on(call).unwrap()
        });
    });
    group.finish();
}

/// Ten thousand strings of 20 bytes, one way at a time.
fn lists(criterion: &mut Criterion, runtime: &Runtime) {
    const COUNT: usize = 10_000;
    let words = vec!["x".repeat(20); COUNT];
    let stage = Stage::default();
    let list = stage.load(guest("big_list"));
    let (grants, limits) = (Grants::none(), Limits::default());
    let mut group = criterion.benchmark_group("codec/list-of-10000-strings");
    for (name, tool, arguments) in [
        ("decode", "guest.count", json!({ "words": words })),
        ("encode", "guest.words", json!({ "count": COUNT, "length": 20 })),
    ] {
        let json_bytes = json!(words).to_string().len() as u64;
        group.throughput(Throughput::Bytes(json_bytes));
        let arguments = arguments.to_string();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let supervision = Supervision::default();
                let call =
                    stage.sandbox.call(&list, tool, black_box(&arguments), &grants, &limits, &supervision);
                runtime.block_on(call).unwrap()
            });
        });
    }
    group.finish();
}

/// A component in wasmtime without remit.
struct Bare {
    engine: Engine,
    pre: InstancePre<State>,
    function: ComponentExportIndex,
    _clock: Clock,
}

struct State {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl Bare {
    fn load(component: &Path) -> Self {
        // As remit-sandbox sets its engine up, in what costs time.
        let mut pool = PoolingAllocationConfig::new();
        pool.total_component_instances(8)
            .total_stacks(8)
            .total_core_instances(8 * 32)
            .total_memories(8 * 8)
            .total_tables(8 * 16)
            .max_memories_per_module(8)
            .max_tables_per_module(8)
            .table_elements(100_000)
            .linear_memory_keep_resident(128 << 10)
            .table_keep_resident(128 << 10)
            .async_stack_keep_resident(128 << 10);
        let mut config = Config::new();
        config
            .epoch_interruption(true)
            .max_wasm_stack(1 << 20)
            .async_stack_size(2 << 20)
            .memory_init_cow(true)
            .allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        let engine = Engine::new(&config).unwrap();
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).unwrap();
        let component = Component::from_file(&engine, component).unwrap();
        let interface = component.get_export_index(None, "test:guest/guest@0.1.0").unwrap();
        let function = component.get_export_index(Some(&interface), "run").unwrap();
        let pre = linker.instantiate_pre(&component).unwrap();
        let clock = Clock::start(&engine);
        Self { engine, pre, function, _clock: clock }
    }

    async fn call(&self, argument: &str) -> Result<String, String> {
        let state = State { wasi: WasiCtx::builder().build(), table: ResourceTable::new() };
        let mut store = Store::new(&self.engine, state);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|_| Ok(UpdateDeadline::Yield(1)));
        let instance = self.pre.instantiate_async(&mut store).await.unwrap();
        let function =
            instance.get_typed_func::<(&str,), (Result<String, String>,)>(&mut store, self.function).unwrap();
        let (result,) = function.call_async(&mut store, (argument,)).await.unwrap();
        result
    }
}

/// Advances an engine's epoch every 10 ms, as remit's clock does while calls run.
struct Clock(std::sync::mpsc::Sender<()>);

impl Clock {
    fn start(engine: &Engine) -> Self {
        let (ended, end) = std::sync::mpsc::channel();
        let engine = engine.weak();
        std::thread::spawn(move || {
            let tick = Duration::from_millis(10);
            while end.recv_timeout(tick) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                if let Some(engine) = engine.upgrade() {
                    engine.increment_epoch();
                }
            }
        });
        Self(ended)
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}
