//! What `roles.toml` says: who the agents are, what each may touch, and where each stops.
//!
//! A file passes through four states, each a type of its own, and nothing is started before the last:
//!
//! 1. [`RolesSource`] says which file counts: `--roles FILE`, else the workspace's `roles.toml`, else the built-in one.
//! 2. [`RolesText`] is its text, read once. Whatever is trusted, parsed or shown later is this text.
//! 3. [`Roles`] is the text understood: every key known and enforced, every name resolved, every grant inside the
//!    ceiling and a real directory. Whatever is wrong is a [`ConfigError`] with its place, and all of them are told at
//!    once, as [`ConfigErrors`].
//! 4. [`Roles::read_plugins`] and [`Roles::check_tools`] tie it to components: bytes that match their `sha256`, and tool
//!    names that some plugin really has.
//!
//! What an agent may touch in the end is an [`Authority`]: its role's grants, within the ceiling, within what each
//! delegation on the way narrowed them to. Who trusts a file is not asked here but in [`crate::trust`].

mod approve;
mod authority;
mod beneath;
mod ceiling;
mod delegation;
mod digest;
mod duration;
mod effect;
mod error;
mod flow;
mod keys;
mod limits;
mod lint;
mod load;
mod model;
mod name;
mod narrowing;
mod path;
mod pattern;
mod plugin;
mod problem;
mod prompt;
mod protected;
mod reach;
mod reader;
mod role;
mod secret;
mod section;
mod shown;
mod source;
mod suggest;
mod tools;
mod url_pattern;
mod workspace;

pub use approve::{Rule, Verdict};
pub use authority::{Authority, Extra};
pub use beneath::EntryProblem;
pub(crate) use beneath::read_at_most;
pub use ceiling::Ceiling;
pub use digest::Digest;
pub use duration::{DurationProblem, MAX_DURATION, format_duration, parse_duration};
pub use effect::{EffectKind, Target};
pub use error::{ConfigError, ConfigErrors, RolesError};
pub use limits::{LimitOverrides, Limits};
pub use lint::Powers;
pub use load::{BuiltIn, Roles, UnknownRole};
pub use narrowing::{NarrowError, NarrowProblem, Narrowing};
pub use path::{PathProblem, WorkspacePath};
pub use pattern::PatternProblem;
pub use plugin::{MAX_WIT_BYTES, PluginEntry, PluginFile, PluginFiles, WitFile};
pub use problem::Problem;
pub use prompt::{MAX_PROMPT_BYTES, Prompt};
pub use role::Role;
pub use secret::Secret;
pub use section::{Marks, Placed, Position};
pub(crate) use shown::{shown, shown_path, shown_words};
pub use source::{MAX_ROLES_BYTES, ROLES_FILE, RolesSource, RolesText};
pub use suggest::nearest;
pub use tools::{KnownTools, TASK_TOOL, ToolPattern};
pub use workspace::{CheckedWorkspace, WorkspaceError, WorkspaceWarning, check_workspace};
