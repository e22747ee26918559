//! The workspace as a guest sees it: the directories that it was granted, under the paths that they have in
//! the workspace, and what every tool that reads or changes them shares: paths, walks, ignore rules, globs,
//! and the wording of names, sizes and failures.
//!
//! Inside a component the directories are the preopens that the host made. Natively, for unit tests, they
//! are ordinary directories.

mod change;
mod entry;
mod failure;
mod glob;
mod grants;
mod ignored;
mod nearest;
mod path;
#[cfg(any(test, feature = "scratch"))]
#[expect(clippy::unwrap_used, reason = "it is for tests alone, which end at their first surprise")]
pub mod scratch;
mod system;
pub mod text;
mod walk;
pub mod wording;

pub use entry::{Entry, Kind};
pub use failure::{Failure, Reason};
pub use glob::Glob;
pub use grants::Workspace;
pub use path::{WorkspacePath, join, parent};
pub use system::{Directory, File, Listing, Parts, Stat};
pub use walk::{Found, Gaps, Walk};
