//! What a store holds, and everything that is linked to a component.

use std::sync::Arc;

use wasmtime::component::{HasData, Linker, ResourceTable};
use wasmtime::{Engine, Store};
use wasmtime_wasi::cli::{WasiCli, WasiCliView};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView};
use wasmtime_wasi::p2::bindings;
use wasmtime_wasi::random::{WasiRandom, WasiRandomView};
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsView};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttp, WasiHttpCtxView, WasiHttpView};

use crate::clock::Clock;
use crate::command::{self, Commanded, Commander, Launching};
use crate::consent::Supervision;
use crate::gate::{self, Gate, GateView, Gated};
use crate::grant::Grants;
use crate::limits::{Limits, Meter};
use crate::net::{Http, Transport};
use crate::output::Captured;

/// The most random bytes that a guest gets at once.
const MAX_RANDOM: u64 = 1 << 20;

/// What a sandbox's calls share to have effects outside.
#[derive(Clone, Debug)]
pub(crate) struct Means {
    pub(crate) launching: Arc<Launching>,
    pub(crate) transport: Arc<Transport>,
}

/// The state of one call's store. There is nothing of the host's in it: no environment, no arguments, no input, no
/// sockets; files only through the gate, requests and commands only through what asks the grants first.
pub(crate) struct State {
    wasi: WasiCtx,
    table: ResourceTable,
    commander: Arc<Commander>,
    http: Http,
    pub(crate) gate: Gate,
    pub(crate) meter: Meter,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
}

impl State {
    pub(crate) fn store(
        engine: &Engine,
        grants: Arc<Grants>,
        supervision: &Supervision,
        limits: &Limits,
        clock: Arc<Clock>,
        means: Means,
    ) -> Store<Self> {
        let (stdout, stderr) = (Captured::new(limits.output_bytes), Captured::new(limits.output_bytes));
        let wasi = WasiCtx::builder()
            .stdout(stdout.clone())
            .stderr(stderr.clone())
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .max_random_size(MAX_RANDOM)
            .build();
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles);
        let Means { launching, transport } = means;
        let http = Http::new(grants.clone(), supervision, limits, clock.clone(), transport);
        let commander = Commander {
            launching,
            grants: grants.clone(),
            supervision: supervision.clone(),
            clock,
            memory_bytes: limits.command_memory_bytes,
        };
        let state = Self {
            http,
            commander: Arc::new(commander),
            wasi,
            table,
            gate: Gate::new(grants, supervision.ledger.clone(), limits),
            meter: Meter::new(limits),
            stdout,
            stderr,
        };
        let mut store = Store::new(engine, state);
        store.limiter(|state| &mut state.meter);
        store.set_hostcall_fuel(limits.hostcall_bytes);
        store
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.http.hooks, table: &mut self.table, ctx: &mut self.http.context }
    }
}

impl Gated for State {
    fn gate(&mut self) -> GateView<'_> {
        GateView { gate: &mut self.gate, table: &mut self.table }
    }
}

impl Commanded for State {
    fn commander(&self) -> &Arc<Commander> {
        &self.commander
    }
}

struct HasTable;

impl HasData for HasTable {
    type Data<'a> = &'a mut ResourceTable;
}

/// Every interface that a component may import. wasmtime-wasi's own file system is not among them.
pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<State>> {
    use wasmtime_wasi_http::p2::bindings::http;

    use bindings::{cli, clocks, io, random, sockets};
    let mut linker = Linker::new(engine);
    let l = &mut linker;
    gate::add_to_linker(l)?;
    command::add_to_linker(l)?;
    let options = http::types::LinkOptions::default();
    http::outgoing_handler::add_to_linker::<State, WasiHttp>(l, State::http)?;
    http::types::add_to_linker::<State, WasiHttp>(l, &options, State::http)?;
    io::error::add_to_linker::<State, HasTable>(l, |state| &mut state.table)?;
    io::poll::add_to_linker::<State, HasTable>(l, |state| &mut state.table)?;
    io::streams::add_to_linker::<State, HasTable>(l, |state| &mut state.table)?;
    clocks::wall_clock::add_to_linker::<State, WasiClocks>(l, State::clocks)?;
    clocks::monotonic_clock::add_to_linker::<State, WasiClocks>(l, State::clocks)?;
    random::random::add_to_linker::<State, WasiRandom>(l, State::random)?;
    random::insecure::add_to_linker::<State, WasiRandom>(l, State::random)?;
    random::insecure_seed::add_to_linker::<State, WasiRandom>(l, State::random)?;
    cli::exit::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::environment::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::stdin::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::stdout::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::stderr::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::terminal_input::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::terminal_output::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::terminal_stdin::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::terminal_stdout::add_to_linker::<State, WasiCli>(l, State::cli)?;
    cli::terminal_stderr::add_to_linker::<State, WasiCli>(l, State::cli)?;
    // Components of languages that import sockets without using them must load; every use is denied (`State::store`).
    let options = sockets::network::LinkOptions::default();
    sockets::tcp::add_to_linker::<State, WasiSockets>(l, State::sockets)?;
    sockets::tcp_create_socket::add_to_linker::<State, WasiSockets>(l, State::sockets)?;
    sockets::udp::add_to_linker::<State, WasiSockets>(l, State::sockets)?;
    sockets::udp_create_socket::add_to_linker::<State, WasiSockets>(l, State::sockets)?;
    sockets::instance_network::add_to_linker::<State, WasiSockets>(l, State::sockets)?;
    sockets::network::add_to_linker::<State, WasiSockets>(l, &options, State::sockets)?;
    sockets::ip_name_lookup::add_to_linker::<State, WasiSockets>(l, State::sockets)?;
    Ok(linker)
}
