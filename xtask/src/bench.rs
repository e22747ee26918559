//! `cargo xtask bench`: the figures of docs/performance.md.

use std::ffi::OsString;

use crate::failure::Failure;
use crate::process::run;
use crate::repository::{Repository, Workspace};
use crate::setup;

/// Runs the benchmarks; `arguments` go to criterion, the first of them usually a part of a name.
pub(crate) fn bench(repository: &Repository, arguments: Vec<OsString>) -> Result<(), Failure> {
    setup::setup(None)?;
    // `--bench '*'`, or cargo would also start every crate's unit tests in bench mode.
    run(repository
        .cargo(Workspace::Host)
        .args(["bench", "--workspace", "--bench", "*", "--"])
        .args(arguments))
}
