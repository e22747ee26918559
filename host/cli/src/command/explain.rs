//! `remit explain`

use std::process::ExitCode;

use remit_agent::roles::{Authority, EffectKind, Narrowing, Role, Roles, Rule, TASK_TOOL, WorkspacePath};
use remit_sandbox::{CommandSandbox, Plugin};
use serde_json::{Value, json};

use super::Output;
use crate::command_line::{Explain as Arguments, Place};
use crate::failure::Failure;
use crate::plugins;
use crate::project::{Breadth, Project};
use crate::screen::{Busy, Screen, line, width};

/// Where the words begin below the table.
const COLUMN: usize = 16;

/// What one tool of a role can do in the end: what its component imports, within what the role is granted, within the ceiling.
struct Row {
    tool: String,
    reads: Vec<String>,
    writes: Vec<String>,
    reaches: Vec<String>,
    runs: Vec<String>,
    starts: Vec<String>,
    asks: Vec<&'static str>,
}

/// Shows what each tool of a role can touch, and what is asked about first.
pub(super) fn explain(place: &Place, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut project = Project::open(place, Breadth::Any)?;
    let roles = project.roles.clone();
    let role = roles.require(&arguments.role).map_err(Failure::refused)?;
    let sandbox = plugins::sandbox()?;
    let toolboxes = plugins::toolboxes(&mut project, &sandbox)?;
    let busy = Busy::with("loading components; new ones are compiled once");
    let runtime = plugins::runtime()?;
    let mut rows = Vec::new();
    for name in role.plugins() {
        let plugin = runtime.block_on(toolboxes.plugin(name)).map_err(Failure::refused)?;
        rows.extend(rows_of(&plugin, &roles, role));
    }
    drop(busy);
    rows.extend(task_row(role));
    let mut output = Output::new();
    if arguments.json {
        output.pretty(&as_json(&rows, &roles, role))?;
    } else {
        output.text(&in_words(&rows, &roles, role, Screen::stdout()))?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn rows_of(plugin: &Plugin, roles: &Roles, role: &Role) -> Vec<Row> {
    let authority = Authority::of(roles, role, &Narrowing::default());
    let powers = plugins::powers(plugin);
    let paths = |paths: &[WorkspacePath]| if powers.files { texts(paths) } else { Vec::new() };
    let (reads, writes) = (paths(&authority.readable()), paths(authority.write()));
    let reaches = if powers.network { texts(authority.hosts()) } else { Vec::new() };
    let runs = if powers.commands { texts(authority.commands()) } else { Vec::new() };
    let can = [
        (EffectKind::Write, !writes.is_empty()),
        (EffectKind::Network, !reaches.is_empty()),
        (EffectKind::Command, !runs.is_empty()),
    ];
    let asks = can.into_iter().filter(|(kind, can)| *can && role.asks_before(*kind));
    let asks: Vec<&str> = asks.map(|(kind, _)| kind.as_str()).collect();
    let tools = plugin.tools().iter().filter(|tool| role.permits(&tool.name));
    tools
        .map(|tool| Row {
            tool: tool.name.clone(),
            reads: reads.clone(),
            writes: writes.clone(),
            reaches: reaches.clone(),
            runs: runs.clone(),
            starts: Vec::new(),
            asks: asks.clone(),
        })
        .collect()
}

fn texts(items: &[impl ToString]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

fn task_row(role: &Role) -> Option<Row> {
    let starts: Vec<String> = role.delegates().map(str::to_owned).collect();
    let asks = role.asks_before(EffectKind::Delegate).then_some(EffectKind::Delegate.as_str());
    (!starts.is_empty()).then(|| Row {
        tool: TASK_TOOL.to_owned(),
        reads: Vec::new(),
        writes: Vec::new(),
        reaches: Vec::new(),
        runs: Vec::new(),
        starts,
        asks: asks.into_iter().collect(),
    })
}

fn in_words(rows: &[Row], roles: &Roles, role: &Role, screen: Screen) -> String {
    let mut text = format!("{} · {}\n\n", screen.strong(&line(role.name())), line(role.description()));
    // Most roles do not leave the workspace, and need no column for that.
    let leaves = rows.iter().any(|row| !row.reaches.is_empty());
    let starts_programs = rows.iter().any(|row| !row.runs.is_empty());
    let chosen = |cells: [String; 6]| -> Vec<String> {
        let shown = [true, true, true, leaves, starts_programs, true];
        cells.into_iter().zip(shown).filter(|(_, shown)| *shown).map(|(cell, _)| cell).collect()
    };
    let heads = ["tool", "can read", "can write", "can reach", "can run", "asks first"].map(str::to_owned);
    let cells = |row: &Row| {
        let named = |items: &[String]| match items {
            [] => "–".to_owned(),
            some => some.iter().map(|item| line(item)).collect::<Vec<_>>().join(", "),
        };
        let reads = match &row.starts[..] {
            [] => named(&row.reads),
            starts => format!("starts {}", named(starts)),
        };
        let asks = if row.asks.is_empty() { "no".to_owned() } else { row.asks.join(", ") };
        let (writes, reaches, runs) = (named(&row.writes), named(&row.reaches), named(&row.runs));
        chosen([line(&row.tool), reads, writes, reaches, runs, asks])
    };
    let table: Vec<Vec<String>> = std::iter::once(chosen(heads)).chain(rows.iter().map(cells)).collect();
    let widest = |index: usize| table.iter().filter_map(|row| row.get(index)).map(|cell| width(cell)).max();
    let last = table.first().map_or(0, Vec::len).saturating_sub(1);
    let columns: Vec<usize> = (0..last).map(|index| widest(index).unwrap_or_default() + 2).collect();
    for (number, row) in table.iter().enumerate() {
        let mut cells = String::new();
        for (index, cell) in row.iter().enumerate() {
            let gap = columns.get(index).map_or(0, |columns| columns.saturating_sub(width(cell)));
            cells += &format!("{cell}{}", " ".repeat(gap));
        }
        let cells = format!("{}\n", cells.trim_end());
        text += &if number == 0 { screen.faint(&cells) } else { cells };
    }
    if rows.is_empty() {
        text += "no tool: it can touch nothing\n";
    }
    text.push('\n');
    let listed = |items: Vec<String>| items.iter().map(|item| line(item)).collect::<Vec<_>>().join(", ");
    let rules = |rules: &[Rule]| rules.iter().map(ToString::to_string).collect::<Vec<_>>();
    let protected = roles.protected().iter().map(ToString::to_string).collect();
    let hidden = [roles.ceiling().hidden(), role.hidden()].concat();
    let mut facts = vec![("never asks", rules(role.allow())), ("never does", rules(role.deny()))];
    if rows.iter().any(|row| !row.writes.is_empty()) {
        facts.push(("never writes", protected));
    }
    if leaves {
        facts.push(("sends along", secrets(roles, role)));
    }
    if starts_programs {
        facts.push(("may fill", role.scratch().map(ToString::to_string).collect()));
        facts.push(("gives commands", role.command_env().map(str::to_owned).collect()));
        if role.command_sandbox() == CommandSandbox::BestEffort {
            let words = "best effort: where the system can't contain a command, it runs all the same";
            facts.push(("contains", vec![words.to_owned()]));
        }
    }
    facts.push(("sees none of", [vec!["the built-in list of hidden files".to_owned()], hidden].concat()));
    facts.push(("in spite of it", roles.ceiling().reveal().to_vec()));
    for (name, words) in facts.into_iter().filter(|(_, words)| !words.is_empty()) {
        text += &screen.entry(name, &listed(words), COLUMN);
    }
    text
}

/// The secrets of a role, each with where it is from and where it goes.
fn secrets(roles: &Roles, role: &Role) -> Vec<String> {
    let named =
        roles.secrets().iter().filter(|secret| role.secrets().iter().any(|name| name == secret.name()));
    named.map(|secret| format!("{} to {} (from {})", secret.name(), secret.host(), secret.env())).collect()
}

fn as_json(rows: &[Row], roles: &Roles, role: &Role) -> Value {
    let rules = |rules: &[Rule]| rules.iter().map(ToString::to_string).collect::<Vec<_>>();
    let row = |row: &Row| json!({ "tool": row.tool, "reads": row.reads, "writes": row.writes, "reaches": row.reaches, "runs": row.runs, "starts": row.starts, "asks_before": row.asks });
    let hidden = [roles.ceiling().hidden(), role.hidden()].concat();
    json!({
        "file": roles.text().name(),
        "role": role.name(),
        "tools": rows.iter().map(row).collect::<Vec<_>>(),
        "secrets": role.secrets(),
        "scratch": role.scratch().map(ToString::to_string).collect::<Vec<_>>(),
        "command_sandbox": role.command_sandbox(),
        "command_env": role.command_env().collect::<Vec<_>>(),
        "allow": rules(role.allow()),
        "deny": rules(role.deny()),
        "protected": roles.protected().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "hidden": hidden,
        "reveal": roles.ceiling().reveal(),
    })
}
