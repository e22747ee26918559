//! Commands as the plugin `command` has them run: real processes, in namespaces of their own.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test ends at its first surprise")]

mod asking;
mod bench;
mod containment;
mod ending;
mod lacking;
mod outcome;
mod suites;
