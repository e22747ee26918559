//! `remit check`

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use remit_agent::roles::Role;
use remit_pack::inert;

use super::Output;
use crate::command_line::Place;
use crate::failure::Failure;
use crate::plugins;
use crate::project::{Breadth, Project};
use crate::screen::{Busy, Screen, count};

/// Looks at everything that the roles file says, errors first: with one of those, it does not come here.
pub(super) fn check(place: &Place) -> Result<ExitCode, Failure> {
    let mut project = Project::open(place, Breadth::Any)?;
    let roles = project.roles.clone();
    let sandbox = plugins::sandbox()?;
    let toolboxes = plugins::toolboxes(&mut project, &sandbox)?;
    let busy = Busy::with("loading components; new ones are compiled once");
    let runtime = plugins::runtime()?;
    let names: BTreeSet<&str> = roles.all().iter().flat_map(Role::plugins).collect();
    let known = runtime.block_on(toolboxes.known_tools(names.iter().copied())).map_err(Failure::refused)?;
    roles.check_tools(&known)?;
    let mut powers = BTreeMap::new();
    for name in &names {
        let plugin = runtime.block_on(toolboxes.plugin(name)).map_err(Failure::refused)?;
        powers.insert(*name, plugins::powers(&plugin));
    }
    drop(busy);
    let found = roles.lint(|plugin| powers.get(plugin).copied().unwrap_or_default());
    let screen = Screen::stdout();
    let mut text = String::new();
    for warning in &found {
        text += &screen.careful(&format!("{}\n", inert(&warning.as_warning().to_string())));
    }
    let many = u64::try_from(found.len()).unwrap_or(u64::MAX);
    let roles_count = count(u64::try_from(roles.all().len()).unwrap_or(u64::MAX), "role");
    text += &format!("{}: {roles_count}, no errors, {}\n", roles.text().name(), count(many, "warning"));
    let mut output = Output::new();
    output.text(&text)?;
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
