//! `remit init`

use std::process::ExitCode;

use remit_agent::trust;

use super::Output;
use crate::command_line::Place;
use crate::failure::Failure;
use crate::project::{Breadth, built_in, trust_store, workspace};

/// Writes the built-in roles into the workspace, and trusts them.
pub(super) fn init(place: &Place) -> Result<ExitCode, Failure> {
    if place.roles.is_some() {
        return Err(Failure::refused(
            "`remit init` writes the workspace's own roles.toml; leave --roles out",
        ));
    }
    let workspace = workspace(place, Breadth::Any)?.path;
    let path = trust::init(&workspace, &built_in(), &trust_store()?).map_err(Failure::refused)?;
    let mut output = Output::new();
    output.text(&format!(
        "wrote {}, and trusts it as it is\n\nChange it as you like, then run `remit trust`. `remit roles` shows what it \
         grants.",
        path.display()
    ))?;
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
