//! `package-docs`: the section in which other component tools keep a WIT package's comments.
//!
//! It names interfaces without their package, and says nothing about parameters. Its format is described in
//! the `metadata` module of the crate `wit-parser`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::text::{FunctionText, Functions, Texts};

pub(super) const SECTION: &str = "package-docs";

/// Keys that are not listed here are of no use to a tool's description.
#[derive(Deserialize)]
struct Package {
    #[serde(default)]
    worlds: BTreeMap<String, World>,
    #[serde(default)]
    interfaces: BTreeMap<String, Interface>,
}

#[derive(Deserialize)]
struct World {
    /// Imports, and in the first format exports too.
    #[serde(default)]
    funcs: BTreeMap<String, Function>,
    #[serde(default)]
    func_exports: BTreeMap<String, Function>,
    #[serde(default)]
    interfaces: BTreeMap<String, Interface>,
    #[serde(default)]
    interface_exports: BTreeMap<String, Interface>,
}

#[derive(Deserialize)]
struct Interface {
    #[serde(default)]
    funcs: BTreeMap<String, Function>,
}

/// In the first format a function's entry is its comment alone.
#[derive(Deserialize)]
#[serde(from = "serde_json::Value")]
struct Function {
    docs: Option<String>,
}

impl From<serde_json::Value> for Function {
    fn from(value: serde_json::Value) -> Self {
        let docs = value.get("docs").unwrap_or(&value);
        Function { docs: docs.as_str().map(str::to_owned) }
    }
}

/// Reads what it can; a section in a format that is not known says nothing.
pub(super) fn decode(data: &[u8]) -> Option<Texts> {
    let (0 | 1, json) = data.split_first()? else {
        return None;
    };
    let package: Package = serde_json::from_slice(json).ok()?;
    let mut texts = Texts::default();
    for (name, interface) in package.interfaces {
        add(texts.interfaces.entry(name).or_default(), interface.funcs);
    }
    for world in package.worlds.into_values() {
        add(&mut texts.functions, world.func_exports);
        add(&mut texts.functions, world.funcs);
        for (name, interface) in world.interface_exports.into_iter().chain(world.interfaces) {
            add(texts.interfaces.entry(name).or_default(), interface.funcs);
        }
    }
    Some(texts)
}

fn add(functions: &mut Functions, found: BTreeMap<String, Function>) {
    for (name, Function { docs }) in found {
        if docs.is_some() {
            functions.entry(name).or_insert(FunctionText { doc: docs, ..FunctionText::default() });
        }
    }
}
