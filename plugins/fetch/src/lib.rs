//! The plugin `fetch`: gets what is at a URL, and shows it as text.

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
mod exchange;
mod get;
mod html;
mod media;
mod open;
mod tag;
mod tags;
#[cfg(target_os = "wasi")]
mod wasi;

pub use exchange::{Answer, Web};
pub use get::{Form, Get};
