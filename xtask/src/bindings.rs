//! `cargo xtask bindings`: the guests' bindings, made from their wit/ folders ahead of the build.

use crate::failure::Failure;
use crate::process::run;
use crate::repository::{Repository, Workspace};

/// Writes the bindings again, or only says which are out of date.
pub(crate) fn bindings(repository: &Repository, check: bool) -> Result<(), Failure> {
    let mut command = repository.cargo(Workspace::Bindgen);
    command.args(["run", "--quiet", "--target-dir"]).arg(repository.path("plugins/target/bindgen")).arg("--");
    if check {
        command.arg("--check");
    }
    run(&mut command).map_err(|failure| match check {
        true => failure.fix("run `cargo xtask bindings` and commit what it writes"),
        false => failure,
    })
}
