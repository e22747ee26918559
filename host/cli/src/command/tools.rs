//! `remit tools`

use std::process::ExitCode;
use std::sync::Arc;

use remit_agent::roles::{Role, TASK_TOOL};
use remit_pack::inert;
use remit_sandbox::{Plugin, Skipped, Tool};
use serde_json::{Value, json};

use super::Output;
use crate::command_line::{Place, Tools as Arguments};
use crate::failure::Failure;
use crate::plugins;
use crate::project::{Breadth, Project};
use crate::screen::{Busy, Screen, line};

/// Shows the tools of every plugin, or those of one role.
pub(super) fn tools(place: &Place, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut project = Project::trusted(place, Breadth::Any)?;
    let roles = project.roles.clone();
    let role =
        arguments.role.as_deref().map(|name| roles.require(name).map_err(Failure::refused)).transpose()?;
    let plugins = load(&mut project, role)?;
    let mut output = Output::new();
    if arguments.json {
        output.pretty(&as_json(&plugins, role))?;
    } else {
        output.text(&in_words(&plugins, role, Screen::stdout()))?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The plugins of a role, or all that there are.
fn load(project: &mut Project, role: Option<&Role>) -> Result<Vec<Arc<Plugin>>, Failure> {
    let _busy = Busy::with("loading components; new ones are compiled once");
    let sandbox = plugins::sandbox()?;
    let toolboxes = plugins::toolboxes(project, &sandbox)?;
    let names: Vec<String> = toolboxes.names().map(str::to_owned).collect();
    let wanted = |name: &&String| role.is_none_or(|role| role.plugins().contains(name.as_str()));
    let runtime = plugins::runtime()?;
    let loaded = names.iter().filter(wanted).map(|name| runtime.block_on(toolboxes.plugin(name)));
    loaded.collect::<Result<_, _>>().map_err(Failure::refused)
}

fn permitted<'a>(plugin: &'a Plugin, role: Option<&'a Role>) -> impl Iterator<Item = &'a Tool> {
    plugin.tools().iter().filter(move |tool| role.is_none_or(|role| role.permits(&tool.name)))
}

pub(crate) fn in_words(plugins: &[Arc<Plugin>], role: Option<&Role>, screen: Screen) -> String {
    let mut blocks = Vec::new();
    for plugin in plugins {
        for tool in permitted(plugin, role) {
            blocks.push(tool_in_words(tool, screen));
        }
        blocks.extend(plugin.skipped().iter().map(|skipped| skipped_in_words(skipped, screen)));
        blocks.extend(plugin.warnings().iter().map(|warning| {
            screen.careful(&screen.entry("", &inert(&format!("! {}: {warning}", plugin.name())), 0))
        }));
    }
    if let Some(role) = role
        && role.permits(TASK_TOOL)
    {
        let delegates: Vec<&str> = role.delegates().collect();
        let words = format!("Gives a piece of work to a subagent: {}.", line(&delegates.join(", ")));
        blocks.push(format!("{}\n{}", screen.strong(TASK_TOOL), screen.entry("", &words, 2)));
    }
    if blocks.is_empty() { "no tools\n".to_owned() } else { blocks.join("\n") }
}

/// A tool's name, the name that models know, and its description.
pub(super) fn tool_in_words(tool: &Tool, screen: Screen) -> String {
    let description = match tool.description.trim() {
        "" => screen.careful(&screen.entry("", "no description; a model can only guess what it does", 2)),
        // A line break within a sentence is the author's editor's.
        text => screen.entry("", &text.split("\n\n").map(line).collect::<Vec<_>>().join("\n"), 2),
    };
    let (name, wire_name) = (line(&tool.name), line(&tool.wire_name));
    format!("{}  {}\n{description}", screen.strong(&name), screen.faint(&wire_name))
}

/// A function that is no tool, and why.
pub(super) fn skipped_in_words(skipped: &Skipped, screen: Screen) -> String {
    let why = format!("skipped: {}", line(&skipped.reason));
    format!("{}\n{}", screen.strong(&line(&skipped.name)), screen.careful(&screen.entry("", &why, 2)))
}

/// A tool as a model is told about it.
pub(super) fn tool_as_json(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "wire_name": tool.wire_name,
        "description": tool.description,
        "input_schema": tool.input_schema,
    })
}

/// A function that is no tool, and why.
pub(super) fn skipped_as_json(skipped: &Skipped) -> Value {
    json!({ "name": skipped.name, "function": skipped.function, "reason": skipped.reason })
}

fn as_json(plugins: &[Arc<Plugin>], role: Option<&Role>) -> Value {
    let tools = plugins.iter().flat_map(|plugin| permitted(plugin, role)).map(tool_as_json);
    let skipped = plugins.iter().flat_map(|plugin| plugin.skipped()).map(skipped_as_json);
    let warnings = plugins.iter().flat_map(|plugin| plugin.warnings());
    json!({
        "tools": tools.collect::<Vec<_>>(),
        "skipped": skipped.collect::<Vec<_>>(),
        "warnings": warnings.collect::<Vec<_>>(),
    })
}
