//! What a call may use, and the meter that holds it to that.

use std::time::Duration;

use wasmtime::ResourceLimiter;

/// What one call may use. Every limit is for the whole call: a component of many modules gets no more than one of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// All linear memories together, in bytes: against a guest that grows until the machine swaps.
    pub memory_bytes: usize,
    /// The entries of all tables together: the same through `table.grow`.
    pub table_elements: usize,
    /// Core instances: a component can be made of thousands.
    pub instances: usize,
    /// Linear memories, however small.
    pub memories: usize,
    /// Tables, however small.
    pub tables: usize,
    /// Open resources (files, streams, pollables): each one is the host's memory, and may be a file descriptor.
    pub handles: usize,
    /// How many bytes one crossing of the border may make the host allocate: against a `list<string>` of millions.
    pub hostcall_bytes: usize,
    /// The result as text, in bytes. A larger one is an error, never cut: half a JSON document misleads.
    pub result_bytes: usize,
    /// What is kept of standard output and of standard error, in bytes each; the rest is counted and dropped.
    pub output_bytes: usize,
    /// How many bytes of files the call may change, their content before counted in: the host holds both until the
    /// call has ended.
    pub write_bytes: usize,
    /// How many files and directories the call may change.
    pub write_files: usize,
    /// How many requests the call may send.
    pub requests: u64,
    /// The bodies of its requests together, in bytes.
    pub request_bytes: u64,
    /// The bodies of their answers together, in bytes as they came over the network.
    pub response_bytes: u64,
    /// The memory of a command and of all that it starts, in bytes: against one that eats what the machine has.
    pub command_memory_bytes: u64,
    /// How long the call may run.
    pub deadline: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 256 << 20,
            table_elements: 100_000,
            instances: 64,
            memories: 8,
            tables: 64,
            handles: 1024,
            hostcall_bytes: 16 << 20,
            result_bytes: 1 << 20,
            output_bytes: 64 << 10,
            write_bytes: 64 << 20,
            write_files: 10_000,
            requests: 256,
            request_bytes: 64 << 20,
            response_bytes: 64 << 20,
            command_memory_bytes: 4 << 30,
            deadline: Duration::from_secs(30),
        }
    }
}

/// Counts what a store uses.
#[derive(Debug)]
pub(crate) struct Meter {
    memory_left: usize,
    elements_left: usize,
    instances: usize,
    memories: usize,
    tables: usize,
    /// A memory or a table was not given what it asked for.
    pub(crate) denied: bool,
}

impl Meter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            memory_left: limits.memory_bytes,
            elements_left: limits.table_elements,
            instances: limits.instances,
            memories: limits.memories,
            tables: limits.tables,
            denied: false,
        }
    }

    fn take(left: &mut usize, denied: &mut bool, current: usize, desired: usize) -> bool {
        match left.checked_sub(desired.saturating_sub(current)) {
            Some(rest) => {
                *left = rest;
                true
            }
            None => {
                *denied = true;
                false
            }
        }
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(Self::take(&mut self.memory_left, &mut self.denied, current, desired))
    }

    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(Self::take(&mut self.elements_left, &mut self.denied, current, desired))
    }

    fn memory_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        self.denied = true;
        Ok(())
    }

    fn instances(&self) -> usize {
        self.instances
    }

    fn memories(&self) -> usize {
        self.memories
    }

    fn tables(&self) -> usize {
        self.tables
    }
}
