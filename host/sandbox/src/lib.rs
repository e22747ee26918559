//! Placeholder.

mod catalog;
mod codec;
mod imports;
mod schema;
mod shape;

pub use catalog::{CatalogError, Skipped, Tool};
pub use codec::ArgumentError;
pub use imports::{Import, ImportKind, UnknownImport};
