//! The sandbox: loads components, and calls their functions.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::Semaphore;
use wasmtime::Engine;
use wasmtime::component::{Component, Linker};

use crate::cache::Cache;
use crate::codec::decode_arguments;
use crate::command::Launching;
use crate::consent::Supervision;
use crate::diagnose::{check_header, diagnose};
use crate::engine::{self, Allocation};
use crate::error::{CallError, LoadError, LoadProblem, SandboxError};
use crate::grant::Grants;
use crate::invoke::{CallOutput, Invocation};
use crate::limits::Limits;
use crate::net::{Network, SystemNetwork, Transport};
use crate::plugin::{Plugin, PluginSource};
use crate::state::{self, Means, State};
use crate::ticker::Ticker;

/// How a sandbox is set up.
#[derive(Clone, Debug)]
pub struct SandboxConfig {
    /// How many calls run at once; a further one waits.
    pub concurrency: u32,
    /// Where compiled components are kept; the user's alone. `None`: nowhere.
    pub cache_dir: Option<PathBuf>,
    /// The largest component that is read, in bytes.
    pub max_component_bytes: u64,
    /// Instances from slots reserved in advance, or mapped one by one.
    pub allocation: Allocation,
    /// The program that is started once more, to start commands from: one whose `main` begins with
    /// [`launch_commands`](crate::launch_commands). `None`: the one that runs.
    pub launcher: Option<PathBuf>,
    /// What requests go over. `None`: the network that the system has.
    pub network: Option<Arc<dyn Network>>,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            concurrency: 8,
            cache_dir: None,
            max_component_bytes: 64 << 20,
            allocation: Allocation::Pooled,
            launcher: None,
            network: None,
        }
    }
}

/// Runs components. Cheap to clone; all clones share one engine, one set of slots and one clock.
#[derive(Clone)]
pub struct Sandbox(Arc<Shared>);

struct Shared {
    engine: Engine,
    allocation: Allocation,
    linker: Linker<State>,
    cache: Option<Cache>,
    warnings: Vec<String>,
    max_component_bytes: u64,
    slots: Arc<Semaphore>,
    ticker: Ticker,
    means: Means,
}

impl Sandbox {
    /// Sets up the engine.
    ///
    /// # Errors
    ///
    /// When wasmtime cannot run here at all. A system without the address space for slots is no error, a compile
    /// cache that can't be used neither: see [`Sandbox::allocation`] and [`Sandbox::warnings`].
    pub fn new(config: &SandboxConfig) -> Result<Self, SandboxError> {
        let fail = |error: wasmtime::Error| SandboxError::Engine(format!("{error:#}"));
        let (engine, allocation) = match config.allocation {
            Allocation::Pooled => engine::engine(config.concurrency.max(1)).map_err(fail)?,
            Allocation::OnDemand => (engine::on_demand().map_err(fail)?, Allocation::OnDemand),
        };
        let mut warnings = Vec::new();
        let cache = config.cache_dir.as_deref().and_then(|dir| {
            Cache::open(dir)
                .map_err(|problem| warnings.push(format!("{problem}; compiling anew each time")))
                .ok()
        });
        Ok(Self(Arc::new(Shared {
            linker: state::linker(&engine).map_err(fail)?,
            ticker: Ticker::start(&engine).map_err(SandboxError::Ticker)?,
            engine,
            allocation,
            cache,
            warnings,
            max_component_bytes: config.max_component_bytes,
            means: Means {
                launching: Arc::new(Launching::new(config.launcher.clone())),
                transport: Arc::new(Transport::new(
                    config.network.clone().unwrap_or_else(|| Arc::new(SystemNetwork)),
                )),
            },
            slots: Arc::new(Semaphore::new(config.concurrency.max(1) as usize)),
        })))
    }

    /// Where instances come from: what was asked for, or what the system allows.
    #[must_use]
    pub fn allocation(&self) -> Allocation {
        self.0.allocation
    }

    /// What is not as it should be with the sandbox itself.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.0.warnings
    }

    /// How many further calls could start now.
    #[must_use]
    pub fn free_slots(&self) -> usize {
        self.0.slots.available_permits()
    }

    /// Compiles a component, or takes it from the cache, and reads its tools. Nothing of it is run. This computes
    /// for seconds on a large component that is new: call it where that may block.
    ///
    /// # Errors
    ///
    /// Everything that makes it unusable, each its own [`LoadProblem`].
    pub fn load(&self, source: PluginSource) -> Result<Arc<Plugin>, LoadError> {
        self.read(&source).map(Arc::new).map_err(|problem| LoadError {
            plugin: source.name,
            origin: source.origin.to_string(),
            problem: problem.into(),
        })
    }

    fn read(&self, source: &PluginSource) -> Result<Plugin, LoadProblem> {
        let shared = &self.0;
        let bytes = &source.bytes[..];
        check_header(bytes)?;
        let (size, limit) = (bytes.len() as u64, shared.max_component_bytes);
        if size > limit {
            return Err(LoadProblem::TooLarge { size, limit });
        }
        let component = match &shared.cache {
            Some(cache) => cache.component(&shared.engine, bytes),
            None => Component::new(&shared.engine, bytes),
        };
        let component = component.map_err(|error| diagnose(bytes, &error))?;
        Plugin::new(&shared.engine, &component, source, |component| shared.linker.instantiate_pre(component))
    }

    /// Calls a tool with arguments as JSON text, in an instance that is made for it and gone afterwards. Where all
    /// slots are taken it waits for one. Dropping the future stops the call. What the call does is noted in the
    /// ledger above it, however it ends; what it wants changed is in its output, and not on disk yet.
    ///
    /// # Errors
    ///
    /// When the tool does not exist, the arguments do not fit, a limit is reached or the component fails. The `err`
    /// of a function's `result` is no error here: see [`CallOutput::is_error`].
    pub async fn call(
        &self,
        plugin: &Arc<Plugin>,
        tool: &str,
        arguments: &str,
        grants: &Arc<Grants>,
        limits: &Limits,
        supervision: &Supervision,
    ) -> Result<CallOutput, CallError> {
        let index = plugin
            .tools()
            .iter()
            .position(|candidate| candidate.name == tool)
            .ok_or_else(|| CallError::UnknownTool { name: tool.to_owned() })?;
        let values = decode_arguments(&plugin.tools()[index].params, arguments)?;
        let shared = &self.0;
        let slot = shared.slots.clone().acquire_owned().await;
        let invocation = Invocation {
            engine: shared.engine.clone(),
            plugin: plugin.clone(),
            tool: index,
            values,
            grants: grants.clone(),
            limits: limits.clone(),
            supervision: supervision.clone(),
            slot: slot.map_err(|_| CallError::Host("the sandbox is shut".to_owned()))?,
            ticking: shared.ticker.ticking(),
            means: shared.means.clone(),
        };
        invocation.run().await
    }
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("allocation", &self.0.allocation).finish_non_exhaustive()
    }
}
