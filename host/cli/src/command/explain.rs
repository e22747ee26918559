//! `remit explain`

use std::process::ExitCode;

use remit_agent::roles::{Authority, EffectKind, Narrowing, Role, Roles, Rule, TASK_TOOL};
use remit_sandbox::{ImportKind, Plugin};
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

/// Whether a component could reach any file at all.
pub(super) fn reaches_files(plugin: &Plugin) -> bool {
    plugin.imports().iter().any(|import| import.kind == ImportKind::Filesystem)
}

fn rows_of(plugin: &Plugin, roles: &Roles, role: &Role) -> Vec<Row> {
    let authority = Authority::of(roles, role, &Narrowing::default());
    let paths = |paths: &[_]| match reaches_files(plugin) {
        true => paths.iter().map(ToString::to_string).collect(),
        false => Vec::new(),
    };
    let (reads, writes): (Vec<String>, Vec<String>) =
        (paths(&authority.readable()), paths(authority.write()));
    let asks = role.asks_before(EffectKind::Write) && !writes.is_empty();
    let tools = plugin.tools().iter().filter(|tool| role.permits(&tool.name));
    tools
        .map(|tool| Row {
            tool: tool.name.clone(),
            reads: reads.clone(),
            writes: writes.clone(),
            starts: Vec::new(),
            asks: asks.then_some(EffectKind::Write.as_str()).into_iter().collect(),
        })
        .collect()
}

fn task_row(role: &Role) -> Option<Row> {
    let starts: Vec<String> = role.delegates().map(str::to_owned).collect();
    let asks = role.asks_before(EffectKind::Delegate).then_some(EffectKind::Delegate.as_str());
    (!starts.is_empty()).then(|| Row {
        tool: TASK_TOOL.to_owned(),
        reads: Vec::new(),
        writes: Vec::new(),
        starts,
        asks: asks.into_iter().collect(),
    })
}

fn in_words(rows: &[Row], roles: &Roles, role: &Role, screen: Screen) -> String {
    let mut text = format!("{} · {}\n\n", screen.strong(&line(role.name())), line(role.description()));
    let heads = ["tool", "can read", "can write", "asks first"].map(str::to_owned);
    let cells = |row: &Row| {
        let paths = |paths: &[String]| match paths {
            [] => "–".to_owned(),
            some => some.iter().map(|path| line(path)).collect::<Vec<_>>().join(", "),
        };
        let reads = match &row.starts[..] {
            [] => paths(&row.reads),
            starts => format!("starts {}", paths(starts)),
        };
        let asks = if row.asks.is_empty() { "no".to_owned() } else { row.asks.join(", ") };
        [line(&row.tool), reads, paths(&row.writes), asks]
    };
    let table: Vec<[String; 4]> = std::iter::once(heads).chain(rows.iter().map(cells)).collect();
    let column = |index: usize| table.iter().map(|row| width(&row[index])).max().unwrap_or_default() + 2;
    let columns = [column(0), column(1), column(2)];
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
    facts.push(("sees none of", [vec!["the built-in list of hidden files".to_owned()], hidden].concat()));
    facts.push(("in spite of it", roles.ceiling().reveal().to_vec()));
    for (name, words) in facts.into_iter().filter(|(_, words)| !words.is_empty()) {
        text += &screen.entry(name, &listed(words), COLUMN);
    }
    text
}

fn as_json(rows: &[Row], roles: &Roles, role: &Role) -> Value {
    let rules = |rules: &[Rule]| rules.iter().map(ToString::to_string).collect::<Vec<_>>();
    let row = |row: &Row| json!({ "tool": row.tool, "reads": row.reads, "writes": row.writes, "starts": row.starts, "asks_before": row.asks });
    let hidden = [roles.ceiling().hidden(), role.hidden()].concat();
    json!({
        "file": roles.text().name(),
        "role": role.name(),
        "tools": rows.iter().map(row).collect::<Vec<_>>(),
        "allow": rules(role.allow()),
        "deny": rules(role.deny()),
        "protected": roles.protected().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "hidden": hidden,
        "reveal": roles.ceiling().reveal(),
    })
}
