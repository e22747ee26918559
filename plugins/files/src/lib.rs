//! The plugin `files`: lists, finds and reads files of the workspace. The functions are those of its WIT.

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
mod find;
mod list;
mod read;

pub use find::find_files;
pub use list::list_files;
pub use read::read_file;
