//! The plugin `command`: has the host run a program, and puts what became of it into words.

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
mod report;

pub use report::{Ending, Report};
