//! What tests across crates share: the guests that they run, a place to run them in, and agents to run them.
//!
//! A guest is a component of one behaviour, most of them hostile: a Rust program in `guests/examples/`, or a text in
//! `guests/wat/`. Each has a test; `tests/guests.rs` holds that.

mod guest;
mod peers;
mod scene;
mod stage;

pub use guest::{all_uses, guest, text_guest};
pub use peers::peer;
pub use scene::{Called, Run, Scene};
pub use stage::Stage;
