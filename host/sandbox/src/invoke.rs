//! One call: a store of its own, an instance of its own, and nothing left of either afterwards.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use wasmtime::component::Val;
use wasmtime::{Engine, Store, Trap, UpdateDeadline};
use wasmtime_wasi::{I32Exit, ResourceTableError};

use crate::catalog::Tool;
use crate::change::Changes;
use crate::clock::Clock;
use crate::codec::{EncodeError, encode_result};
use crate::consent::Supervision;
use crate::error::CallError;
use crate::grant::Grants;
use crate::limits::Limits;
use crate::plugin::Plugin;
use crate::state::{Means, State};
use crate::ticker::Ticking;

/// How long after its deadline a call is given up that the host itself keeps: a read from a dead network mount.
const GRACE: Duration = Duration::from_millis(500);

/// How much of standard error goes into an error's words: its end, where a panic's message is.
const STDERR_TAIL: usize = 600;

/// What a call gave.
#[derive(Debug)]
pub struct CallOutput {
    /// The result: a string as it is, everything else as JSON. Safe to show on a terminal.
    pub text: String,
    /// The function returned the `err` of its `result`.
    pub is_error: bool,
    /// What it printed to standard output, bounded, safe to show.
    pub stdout: String,
    /// What it printed to standard error, likewise.
    pub stderr: String,
    /// What it wants changed, nothing of it on disk yet; empty where the function returned an error.
    pub changes: Changes,
    /// From the start of the call to the end of its result, without the wait for a slot.
    pub elapsed: Duration,
}

/// The time is up. Thrown into the guest.
#[derive(Debug, thiserror::Error)]
#[error("deadline")]
struct Late;

/// A call that is ready to run.
pub(crate) struct Invocation {
    pub(crate) engine: Engine,
    pub(crate) plugin: Arc<Plugin>,
    pub(crate) tool: usize,
    pub(crate) values: Vec<Val>,
    pub(crate) grants: Arc<Grants>,
    pub(crate) limits: Limits,
    pub(crate) supervision: Supervision,
    /// Held until the store is gone.
    pub(crate) slot: OwnedSemaphorePermit,
    pub(crate) ticking: Ticking,
    pub(crate) means: Means,
}

impl Invocation {
    /// Runs the call. Dropping the future stops it, within a tick.
    ///
    /// A call that can reach no file runs where it is awaited: all that it does is compute and wait. One that can
    /// gets a thread of its own, on which the gate reads and lists without handing each read to another.
    pub(crate) async fn run(self) -> Result<CallOutput, CallError> {
        let limit = self.limits.deadline;
        let clock = Arc::new(Clock::start(limit));
        if !self.grants.has_files() || !self.plugin.could_open_files() {
            return self.within_deadline(&clock).await;
        }
        let cancelled = CancellationToken::new();
        let stop = cancelled.clone().drop_guard();
        let runtime = tokio::runtime::Handle::current();
        let timer = clock.clone();
        let thread = tokio::task::spawn_blocking(move || {
            runtime.block_on(async move {
                tokio::select! {
                    biased;
                    () = cancelled.cancelled() => Err(CallError::Host("the call was cancelled".to_owned())),
                    result = self.within_deadline(&timer) => result,
                }
            })
        });
        let result = tokio::select! {
            biased;
            result = thread => {
                result.unwrap_or_else(|error: JoinError| Err(CallError::Host(error.to_string())))
            }
            () = clock.over(GRACE) => Err(CallError::Deadline { limit }),
        };
        drop(stop);
        result
    }

    async fn within_deadline(self, clock: &Arc<Clock>) -> Result<CallOutput, CallError> {
        let limit = self.limits.deadline;
        tokio::select! {
            biased;
            result = self.call(clock.clone()) => result,
            () = clock.over(Duration::ZERO) => Err(CallError::Deadline { limit }),
        }
    }

    async fn call(self, clock: Arc<Clock>) -> Result<CallOutput, CallError> {
        let start = Instant::now();
        let Self { engine, plugin, tool, values, grants, limits, supervision, slot, ticking, means } = self;
        let tool = plugin.tools().get(tool).ok_or_else(|| CallError::Host("the tool is gone".to_owned()))?;
        let mut store = State::store(&engine, grants.clone(), &supervision, &limits, clock.clone(), means);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |_| {
            if clock.is_over() { Err(Late.into()) } else { Ok(UpdateDeadline::Yield(1)) }
        });
        let returned = enter(&mut store, &plugin, tool, &values).await;
        let result = match returned {
            Ok(value) => {
                encode_result(value.zip(tool.result.as_ref()), limits.result_bytes).map_err(|error| {
                    match error {
                        EncodeError::TooLarge { limit } => CallError::ResultTooLarge { limit },
                        EncodeError::NotOfType => CallError::Host(error.to_string()),
                    }
                })
            }
            Err(error) => Err(explain(&store, &error, &limits, &grants)),
        };
        let state = store.into_data();
        drop((slot, ticking));
        let result = result?;
        // A function that says it failed has changed nothing.
        let stage = Some(state.gate.into_stage()).filter(|_| !result.is_error);
        // The answers were searched on their way in. A component that unpacks one can still come upon a secret.
        Ok(CallOutput {
            text: grants.redacted(result.text),
            is_error: result.is_error,
            stdout: grants.redacted(state.stdout.text()),
            stderr: grants.redacted(state.stderr.text()),
            changes: stage.map(|stage| Changes::of(grants.workspace(), stage)).unwrap_or_default(),
            elapsed: start.elapsed(),
        })
    }
}

async fn enter(
    store: &mut Store<State>,
    plugin: &Plugin,
    tool: &Tool,
    values: &[Val],
) -> wasmtime::Result<Option<Val>> {
    let instance = plugin.pre.instantiate_async(&mut *store).await?;
    let function = instance
        .get_func(&mut *store, tool.export)
        .ok_or_else(|| wasmtime::format_err!("the component has no function `{}`", tool.name))?;
    // Any value will do as a place for the result: the call replaces it.
    let mut results = [Val::Bool(false)];
    let places = if tool.result.is_some() { &mut results[..] } else { &mut [] };
    function.call_async(&mut *store, values, places).await?;
    let [result] = results;
    Ok(tool.result.is_some().then_some(result))
}

/// Which limit, or which fault, an error of wasmtime's is.
fn explain(store: &Store<State>, error: &wasmtime::Error, limits: &Limits, grants: &Grants) -> CallError {
    let state = store.data();
    let stderr = || tail(&grants.redacted(state.stderr.text()));
    if error.is::<Late>() {
        return CallError::Deadline { limit: limits.deadline };
    }
    if let Some(exit) = error.downcast_ref::<I32Exit>() {
        return CallError::Exit { code: exit.0, stderr: stderr() };
    }
    if matches!(error.downcast_ref::<ResourceTableError>(), Some(ResourceTableError::Full)) {
        return CallError::Handles { limit: limits.handles };
    }
    // wasmtime keeps this error's type to itself; a test holds its words.
    if error.root_cause().to_string().starts_with("too much data is being copied") {
        return CallError::TooMuchData { limit: limits.hostcall_bytes };
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => CallError::StackOverflow,
        _ if state.meter.denied => CallError::Memory { limit: limits.memory_bytes },
        Some(trap) => CallError::Trap { reason: trap.to_string(), stderr: stderr() },
        None => CallError::Trap { reason: error.root_cause().to_string(), stderr: stderr() },
    }
}

fn tail(text: &str) -> String {
    let text = text.trim_end();
    let start = text.len().saturating_sub(STDERR_TAIL);
    let start = (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    if start == 0 { text.to_owned() } else { format!("… {}", &text[start..]) }
}
