//! The plugin `edit`: writes, edits, moves and deletes files of the workspace, and applies patches. The functions
//! are those of its WIT.
//!
//! Each finds out all that it will write before it writes the first of it. What goes wrong then is the host's to
//! undo: it drops all writes of a call that ends with an error.

#[cfg(target_family = "wasm")]
#[expect(
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    clippy::panic,
    clippy::unwrap_used,
    unreachable_pub,
    unused_qualifications,
    reason = "written by bindgen"
)]
mod bindings;
#[cfg(target_family = "wasm")]
mod component;
mod delete;
mod document;
mod nearest;
mod patch;
mod place;
mod relocate;
mod replace;
mod shown;
mod tree;
mod write;

pub use delete::delete;
pub use patch::apply_patch;
pub use relocate::relocate;
pub use replace::edit_file;
pub use write::write_file;
