//! How wasmtime is set up.

use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::limits::Limits;

/// How many core instances one component may be made of. A Python component takes some 14.
const CORE_INSTANCES: u32 = 32;
/// How many memories and tables one component may have.
const MEMORIES: u32 = 8;
const TABLES: u32 = 16;
/// How deep a guest may nest calls, in bytes of stack.
const WASM_STACK: usize = 1 << 20;
/// The stack that a call runs on: the guest's and, beyond it, the host's own functions.
const ASYNC_STACK: usize = 2 << 20;
/// What stays mapped of a memory that is given back, so that the next guest does not fault every page in anew.
const KEEP_RESIDENT: usize = 128 << 10;

/// Where instances come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// Slots reserved in advance; an instance costs microseconds.
    Pooled,
    /// Memory mapped for each instance, where the address space for slots cannot be had (`ulimit -v`, small machines).
    OnDemand,
}

/// An engine for `concurrency` calls at once: pooled if the system gives the address space, on demand if not.
pub(crate) fn engine(concurrency: u32) -> wasmtime::Result<(Engine, Allocation)> {
    let mut config = config();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(concurrency)));
    match Engine::new(&config) {
        Ok(engine) => Ok((engine, Allocation::Pooled)),
        Err(_) => on_demand().map(|engine| (engine, Allocation::OnDemand)),
    }
}

/// The same engine without a pool.
pub(crate) fn on_demand() -> wasmtime::Result<Engine> {
    let mut config = config();
    config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
    // Small reservations: this is for systems where large ones fail.
    config.memory_reservation(0).memory_reservation_for_growth(1 << 20);
    Engine::new(&config)
}

fn config() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(ASYNC_STACK)
        .memory_init_cow(true)
        // Proposals that no toolchain in use needs are surface without use. The component model's async is not even
        // compiled in.
        .wasm_memory64(false)
        .wasm_relaxed_simd(false)
        .wasm_custom_page_sizes(false)
        .wasm_wide_arithmetic(false);
    config
}

fn pool(concurrency: u32) -> PoolingAllocationConfig {
    let limits = Limits::default();
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(concurrency)
        .total_stacks(concurrency)
        .total_core_instances(concurrency.saturating_mul(CORE_INSTANCES))
        .total_memories(concurrency.saturating_mul(MEMORIES))
        .total_tables(concurrency.saturating_mul(TABLES))
        .max_core_instances_per_component(CORE_INSTANCES)
        .max_memories_per_component(MEMORIES)
        .max_tables_per_component(TABLES)
        .max_memories_per_module(MEMORIES)
        .max_tables_per_module(TABLES)
        .table_elements(limits.table_elements)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        .table_keep_resident(KEEP_RESIDENT)
        .async_stack_keep_resident(KEEP_RESIDENT);
    pool
}
