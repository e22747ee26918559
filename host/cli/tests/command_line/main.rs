//! What a user of the command line is promised, tried with the real binary.

#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

mod approvals;
mod components;
mod configuration;
mod endings;
mod explanations;
mod hostile;
mod interrupt;
mod records;
mod researching;
mod secrets;
mod stage;
mod terminal;
mod tools;
mod trust;
mod verifying;
mod view;
mod writing;
