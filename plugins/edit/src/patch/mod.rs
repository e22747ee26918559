//! Unified diffs: read, fitted to the files that they are for, and written when all of them fit.

mod apply;
mod fit;
mod header;
mod hunk;
mod parse;
mod stage;

pub use apply::apply_patch;
