//! `remit inspect`

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use remit_pack::inert;
use remit_sandbox::{ImportKind, Origin, Plugin, PluginSource};
use serde_json::{Value, json};

use super::Output;
use super::tools::{skipped_as_json, skipped_in_words, tool_as_json, tool_in_words};
use crate::command_line::Inspect as Arguments;
use crate::failure::Failure;
use crate::plugins;
use crate::project::MAX_COMPONENT_BYTES;
use crate::screen::{Busy, Screen, bytes, line};

/// Where the words begin about what a component could touch, and about its arguments.
const POWER_COLUMN: usize = 17;
const ARGUMENT_COLUMN: usize = 19;

/// Shows what a component offers and what it could ever touch. Nothing of it is run.
pub(super) fn inspect(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let file = arguments.file.as_path();
    let source = source(file)?;
    let size = source.bytes.len() as u64;
    let busy = Busy::with("compiling the component");
    let plugin = plugins::sandbox()?.load(source).map_err(|error| {
        // The name of the plugin is made up here, and the file is what the user knows.
        Failure::Refused(format!("{}: {}", file.display(), error.problem))
    })?;
    drop(busy);
    let mut output = Output::new();
    if arguments.json {
        output.pretty(&as_json(&plugin, size))?;
    } else {
        output.text(&in_words(&plugin, file, size, Screen::stdout()))?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The component in a file, or the built-in plugin of that name where there is no such file.
fn source(file: &Path) -> Result<PluginSource, Failure> {
    let built_in = remit_builtin::PLUGINS.iter().find(|plugin| Path::new(plugin.name) == file);
    if let Some(plugin) = built_in.filter(|_| !file.exists()) {
        return Ok(plugins::built_in(plugin));
    }
    let (name, bytes) = (plugin_name(file), Cow::Owned(read(file)?));
    Ok(PluginSource { name, origin: Origin::File(file.to_owned()), bytes, wit: None })
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error| Failure::Refused(format!("cannot read {}: {error}", file.display()));
    // Opening a pipe would wait for its other end.
    if !fs::metadata(file).map_err(failed)?.is_file() {
        return Err(Failure::Refused(format!("{} is not a file", file.display())));
    }
    let mut content = Vec::new();
    let read = File::open(file).and_then(|file| file.take(MAX_COMPONENT_BYTES + 1).read_to_end(&mut content));
    read.map_err(failed)?;
    Ok(content)
}

/// A name for the plugin after its file, such as `fetch-pages` for `Fetch_pages.wasm`.
fn plugin_name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let allowed = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
    let name: String = stem.chars().map(allowed).collect();
    let name = name.trim_matches(|c: char| !c.is_ascii_lowercase());
    if name.is_empty() || name == "task" { "plugin".to_owned() } else { name.chars().take(32).collect() }
}

fn in_words(plugin: &Plugin, file: &Path, size: u64, screen: Screen) -> String {
    let mut text = format!(
        "{}\n\n{}\n",
        line(&format!("{} · a component of {}", file.display(), bytes(size))),
        screen.strong("could ever touch")
    );
    text += &powers(plugin, screen);
    text += &format!("\n{}\n", screen.strong("imports"));
    for import in plugin.imports() {
        text += &format!("  {}\n", line(&import.name));
    }
    if plugin.imports().is_empty() {
        text += "  nothing\n";
    }
    for warning in plugin.warnings() {
        text += &format!("\n{}", screen.careful(&screen.entry("", &inert(&format!("! {warning}")), 0)));
    }
    for tool in plugin.tools() {
        text += &format!("\n{}", tool_in_words(tool, screen));
        text += &arguments(&tool.input_schema, screen);
    }
    for skipped in plugin.skipped() {
        text += &format!("\n{}", skipped_in_words(skipped, screen));
    }
    text
}

/// What its imports allow, in words: the most that any role could grant it.
fn powers(plugin: &Plugin, screen: Screen) -> String {
    let mut kinds: BTreeMap<ImportKind, u64> = BTreeMap::new();
    for import in plugin.imports() {
        *kinds.entry(import.kind).or_default() += 1;
    }
    let named = kinds.keys().filter(|kind| !matches!(kind, ImportKind::Io | ImportKind::Types));
    let mut text: String = named
        .map(|kind| screen.entry(&format!("  {}", word(*kind)), kind.could_touch(), POWER_COLUMN))
        .collect();
    if text.is_empty() {
        text = "  nothing: it computes, from its arguments to its result\n".to_owned();
    }
    let no_files = !kinds.contains_key(&ImportKind::Filesystem);
    let no_network = !kinds.contains_key(&ImportKind::Network) && !kinds.contains_key(&ImportKind::Http);
    for (holds, word) in [(no_files, "files"), (no_network, "network")] {
        if holds {
            let words = "it imports none, whatever a role grants";
            text += &screen.entry(&format!("  no {word}"), words, POWER_COLUMN);
        }
    }
    text
}

fn word(kind: ImportKind) -> &'static str {
    match kind {
        ImportKind::Filesystem => "files",
        ImportKind::Network => "network",
        ImportKind::Http => "http",
        ImportKind::Stdio => "input, output",
        ImportKind::Environment => "environment",
        ImportKind::Clock => "clock",
        ImportKind::Random => "random",
        ImportKind::Command => "commands",
        ImportKind::Io => "streams",
        ImportKind::Types => "types",
        _ => "unknown",
    }
}

/// The arguments that a schema asks for, a line each: name, type, and what is said about it.
fn arguments(schema: &Value, screen: Screen) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let Some(properties) = schema["properties"].as_object() else { return String::new() };
    let mut text = String::new();
    for (name, property) in properties {
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        let kind = match &property["type"] {
            Value::String(kind) => kind.clone(),
            Value::Array(kinds) => kinds
                .iter()
                .filter_map(Value::as_str)
                .filter(|kind| *kind != "null")
                .collect::<Vec<_>>()
                .join(" or "),
            _ => "one of several".to_owned(),
        };
        let said = line(property["description"].as_str().unwrap_or_default());
        let said = if said.is_empty() { line(&kind) } else { format!("{}: {said}", line(&kind)) };
        text += &screen.entry(&format!("    {}{mark}", line(name)), &said, ARGUMENT_COLUMN);
    }
    text
}

fn as_json(plugin: &Plugin, size: u64) -> Value {
    let import = |import: &remit_sandbox::Import| json!({ "name": import.name, "could_touch": import.kind.could_touch() });
    json!({
        "bytes": size,
        "imports": plugin.imports().iter().map(import).collect::<Vec<_>>(),
        "tools": plugin.tools().iter().map(tool_as_json).collect::<Vec<_>>(),
        "skipped": plugin.skipped().iter().map(skipped_as_json).collect::<Vec<_>>(),
        "warnings": plugin.warnings(),
    })
}
