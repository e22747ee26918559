//! `cargo xtask bindings`: the guests' bindings, made from their wit/ folders ahead of the build.

use crate::failure::Failure;
use crate::process::run;
use crate::repository::{Repository, Workspace};

/// The worlds of tests/guests/wit; each has a file of its own in tests/guests/src/bindings.
const GUEST_WORLDS: [&str; 5] = ["single", "wanting", "long", "resourceful", "menagerie"];

/// Writes the bindings again, or only says which are out of date.
pub(crate) fn bindings(repository: &Repository, check: bool) -> Result<(), Failure> {
    // Without a list it takes the built-in plugins, which keep to one layout.
    generate(repository, check, &[])?;
    let guests = GUEST_WORLDS
        .map(|world| format!("../../tests/guests/wit#{world}:../../tests/guests/src/bindings/{world}.rs"));
    generate(repository, check, &guests)
}

fn generate(repository: &Repository, check: bool, pairs: &[String]) -> Result<(), Failure> {
    let mut command = repository.cargo(Workspace::Bindgen);
    command.args(["run", "--quiet", "--locked", "--target-dir"]);
    command.arg(repository.path("plugins/target/bindgen")).arg("--");
    if check {
        command.arg("--check");
    }
    run(command.args(pairs)).map_err(|failure| match check {
        true => failure.fix("run `cargo xtask bindings` and commit what it writes"),
        false => failure,
    })
}
