//! What the plugin promises. All of it is one program, because each more would be linked for minutes.

#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

mod delete;
mod hunks;
mod patch;
mod properties;
mod relocate;
mod replace;
mod write;
