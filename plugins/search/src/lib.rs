//! The plugin `search`: finds text in the files of the workspace.

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
mod grep;
mod hits;
mod pattern;
mod scan;
mod within_line;

pub use grep::Grep;
