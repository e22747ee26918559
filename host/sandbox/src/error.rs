//! What can go wrong, as types: loading a plugin is the user's to mend, a call's failure is the model's to read.

use std::time::Duration;

use remit_pack::PackError;
use thiserror::Error;

use crate::catalog::CatalogError;
use crate::codec::ArgumentError;
use crate::imports::UnknownImport;

/// The sandbox itself could not be made.
#[derive(Debug, Error)]
pub enum SandboxError {
    /// wasmtime refuses the settings or the system.
    #[error("cannot set up wasmtime: {0}")]
    Engine(String),
    /// No thread for the clock.
    #[error("cannot start the thread that watches deadlines: {0}")]
    Ticker(#[source] std::io::Error),
}

/// Why a component was not loaded. Nothing of it has run.
#[derive(Debug, Error)]
#[error("plugin `{plugin}` ({origin}): {problem}")]
pub struct LoadError {
    /// The plugin's name.
    pub plugin: String,
    /// The file, or `built in`.
    pub origin: String,
    /// What is wrong.
    #[source]
    pub problem: Box<LoadProblem>,
}

/// What is wrong with a component.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadProblem {
    /// No bytes.
    #[error("the file is empty")]
    Empty,
    /// Not WebAssembly at all.
    #[error(
        "this is not WebAssembly: a component begins with the bytes 00 61 73 6d, this begins with {found}"
    )]
    NotWasm {
        /// The first bytes.
        found: String,
    },
    /// A module, not a component.
    #[error(
        "this is a core module, and a plugin is a component: build it for `wasm32-wasip2`, or run \
         `wasm-tools component new` on it"
    )]
    CoreModule,
    /// A format that this version does not know.
    #[error("this is WebAssembly of an unknown format (version bytes {found})")]
    UnknownFormat {
        /// Bytes 4 to 7.
        found: String,
    },
    /// The file ends too early.
    #[error("the file is cut short: it ends in the middle of what begins at byte {offset}")]
    Truncated {
        /// Where the unfinished part begins.
        offset: u64,
    },
    /// More bytes than a component may have.
    #[error("the component has {size} bytes, and the limit is {limit}")]
    TooLarge {
        /// What it has.
        size: u64,
        /// What it may have.
        limit: u64,
    },
    /// Not valid, or made of more than a slot can hold.
    #[error("the component cannot be used: {0}")]
    Invalid(String),
    /// It is made for the component model's async, which is off.
    #[error(
        "it uses streams, futures or async functions of the component model, which this host leaves out: export \
         functions that take and return whole values"
    )]
    Async,
    /// It wants what the host does not have.
    #[error("it imports what this host does not provide: {}", list(.0))]
    UnknownImports(Vec<UnknownImport>),
    /// What it exports cannot be made into tools.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// Its documentation cannot be read.
    #[error(transparent)]
    Docs(#[from] PackError),
}

fn list(imports: &[UnknownImport]) -> String {
    imports.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Why a call has no result. The words are what the model reads: what happened, and what would help.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CallError {
    /// The plugin has no such tool.
    #[error("there is no tool `{name}` in this plugin")]
    UnknownTool {
        /// As it was asked for.
        name: String,
    },
    /// The arguments do not fit the function's types. Nothing has run.
    #[error("{0}")]
    Arguments(#[from] ArgumentError),
    /// It ran for too long and was stopped.
    #[error("stopped after {}: the call's time limit (`call_time`)", seconds(.limit))]
    Deadline {
        /// How long it may run.
        limit: Duration,
    },
    /// It was refused memory and gave up.
    #[error("out of memory: a call has {} in all", mebibytes(.limit))]
    Memory {
        /// All memories together, in bytes.
        limit: usize,
    },
    /// It has too much open at once.
    #[error("too many open files, streams or other handles: a call has {limit}")]
    Handles {
        /// How many it may have.
        limit: usize,
    },
    /// A result or an argument of a host call is larger than one crossing allows.
    #[error("the component passed more than {} to the host at once; ask for less", mebibytes(.limit))]
    TooMuchData {
        /// In bytes.
        limit: usize,
    },
    /// The result's text is longer than allowed.
    #[error("the result is larger than {limit} bytes; ask for less")]
    ResultTooLarge {
        /// In bytes.
        limit: usize,
    },
    /// Calls nested too deep.
    #[error("the component called itself too deeply and ran out of stack")]
    StackOverflow,
    /// It ended itself instead of returning.
    #[error("the component exited with code {code} instead of returning a result{}", after(.stderr))]
    Exit {
        /// The code.
        code: i32,
        /// The end of what it printed to standard error.
        stderr: String,
    },
    /// It broke.
    #[error("the component crashed: {reason}{}", after(.stderr))]
    Trap {
        /// WebAssembly's word for it.
        reason: String,
        /// The end of what it printed to standard error: a panic's message, for one.
        stderr: String,
    },
    /// It could not be started, or the host failed. Not the guest's doing.
    #[error("the call could not be made: {0}")]
    Host(String),
}

fn seconds(time: &Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

fn mebibytes(bytes: &usize) -> String {
    format!("{} MiB", bytes >> 20)
}

fn after(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; it printed: {stderr}") }
}
