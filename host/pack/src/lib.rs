//! What a plugin carries beside its code, and how plugins are built.
//!
//! Compilers drop the `///` comments of a WIT package on the way to a component, and without them a model
//! has to guess what a function is for. [`Docs`] reads them from the package's sources and keeps them in a
//! custom section of the component, from which the host reads them back.
//!
//! Text that comes with a component is somebody else's; [`inert`] is what makes it safe to show.

mod docs;
mod error;
mod guest;
mod inert;
mod section;

pub use docs::{Docs, FunctionDocs, MAX_DOCS_SECTION, MAX_DOCS_TEXT, Place};
pub use error::PackError;
pub use guest::{GUEST_TARGET, Guest, GuestBuild, GuestError};
pub use inert::{inert, inert_line, is_active};
