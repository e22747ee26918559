//! Runs untrusted WebAssembly components under grants and limits.
//!
//! A [`Sandbox`] loads components as [`Plugin`]s, whose exported functions are [`Tool`]s. Each call runs in a store
//! and an instance of its own, reaches the directories of its [`Grants`] through the host's own `wasi:filesystem`
//! (the gate), sends requests to the hosts of its grants alone, and ends at its [`Limits`]. Nothing here knows of models or agents.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use remit_sandbox::{
//!     GrantSpec, Grants, Limits, Origin, PluginSource, Sandbox, SandboxConfig, Supervision, Workspace,
//! };
//!
//! let sandbox = Sandbox::new(&SandboxConfig::default())?;
//! let file = "plugins/words.wasm";
//! let bytes = std::fs::read(file)?.into();
//! let plugin =
//!     sandbox.load(PluginSource { name: "words".into(), origin: Origin::File(file.into()), bytes, wit: None })?;
//! let workspace = Workspace::open(".".as_ref())?;
//! let grants = Grants::new(&workspace, &GrantSpec { read: vec!["docs".into()], ..GrantSpec::default() })?;
//! let (above, limits) = (Supervision::default(), Limits::default());
//! let output =
//!     sandbox.call(&plugin, "words.count", r#"{"path": "docs/a.md"}"#, &grants, &limits, &above).await?;
//! println!("{}, having read {:?}", output.text, above.ledger.entries());
//! # Ok(())
//! # }
//! ```

mod cache;
mod catalog;
mod change;
mod clock;
mod codec;
mod command;
mod consent;
mod diagnose;
mod engine;
mod error;
mod gate;
mod grant;
mod hidden;
mod imports;
mod invoke;
mod ledger;
mod limits;
mod net;
mod output;
mod plugin;
mod private_folder;
mod sandbox;
mod schema;
mod shape;
mod state;
mod ticker;
mod workspace;

pub use catalog::{CatalogError, Skipped, Tool};
pub use change::{Change, Changes, CommitError, Journals, Recovered, recover};
pub use codec::ArgumentError;
pub use command::{CommandPattern, CommandProblem, CommandSandbox, command_line, launch_commands};
pub use consent::{Consent, Outward, Petition, Supervision};
pub use engine::Allocation;
pub use error::{CallError, LoadError, LoadProblem, SandboxError};
pub use gate::{Excerpt, ReadError};
pub use grant::{GrantError, GrantSpec, Grants};
pub use hidden::{ALWAYS_HIDDEN, PatternError, revealed};
pub use imports::{Import, ImportKind, UnknownImport};
pub use invoke::CallOutput;
pub use ledger::{ChangeKind, Entry, Ledger, Version};
pub use limits::Limits;
pub use net::{
    HostGrant, HostProblem, Later, Network, SecretGrant, SecretProblem, SecretValue, SystemNetwork,
};
pub use plugin::{Origin, Plugin, PluginSource};
pub use sandbox::{Sandbox, SandboxConfig};
pub use workspace::{Workspace, WorkspaceError};
