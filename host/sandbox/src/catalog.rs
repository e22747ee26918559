//! A component's exported functions as tools.

mod name;

use std::fmt;

use remit_pack::{Docs, FunctionDocs, inert};
use serde_json::Value;
use wasmtime::Engine;
use wasmtime::component::types::{ComponentFunc, ComponentItem, Type};
use wasmtime::component::{Component, ComponentExportIndex};

use crate::schema::{InputSchema, input_schema};
use crate::shape::{Field, MAX_SIZE, Shape, Shaper, Unsupported, snake_case};

/// How many tools a plugin may have. A model is sent every one of them with each request.
const MAX_TOOLS: usize = 256;

/// How much all schemas of a plugin may take, in bytes of JSON.
const MAX_SCHEMAS: usize = 4 * MAX_SIZE;

/// How many characters the name of something found in a component may have where it is repeated.
const MAX_NAME: usize = 200;

/// What a component offers.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) tools: Vec<Tool>,
    pub(crate) skipped: Vec<Skipped>,
    /// What is wrong and keeps nothing from working, a sentence each.
    pub(crate) warnings: Vec<String>,
}

/// One exported function.
#[derive(Clone)]
#[non_exhaustive]
pub struct Tool {
    /// For files and people: `files.read_file`.
    pub name: String,
    /// For model APIs, which allow `[a-zA-Z0-9_-]{1,64}`: `files__read_file`.
    pub wire_name: String,
    /// What its author says about it; empty if that is nothing.
    pub description: String,
    /// A JSON Schema for the object of its arguments.
    pub input_schema: Value,
    pub(crate) params: Vec<Field>,
    /// None where it returns nothing.
    pub(crate) result: Option<Shape>,
    pub(crate) export: ComponentExportIndex,
}

/// An exported function that cannot be a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// The name that it would have had: `files.open`.
    pub name: String,
    /// Its place in the component: `remit:files/files@0.1.0#open`.
    pub function: String,
    /// Why not.
    pub reason: String,
}

/// Why a component cannot be a plugin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The plugin's name is not one.
    #[error(
        "`{name}` is no plugin name: expected lower-case letters, digits and `-`, beginning with a letter"
    )]
    BadName {
        /// The name as it was given.
        name: String,
    },
    /// The plugin's tools would be taken for remit's own.
    #[error("a plugin cannot be named `{name}`: that name is remit's own")]
    ReservedName {
        /// The name as it was given.
        name: String,
    },
    /// There is nothing to call.
    #[error("expected an exported function, found {found}")]
    NoFunctions {
        /// What the component exports instead.
        found: String,
    },
    /// The component is made for another version of remit.
    #[error(
        "expected version {expected} of `{package}`, found {found}: it is made for another version of remit"
    )]
    OtherVersion {
        /// The package of the exported interface.
        package: String,
        /// The version that this host knows.
        expected: String,
        /// The version that the component exports.
        found: String,
    },
    /// Two functions would have one name.
    #[error("`{first}` and `{second}` would both be the tool `{name}`")]
    Clash {
        /// The tool's name.
        name: String,
        /// A function in the component.
        first: String,
        /// Another one.
        second: String,
    },
    /// A model API would not take the name.
    #[error(
        "the tool name `{wire_name}` has {length} characters, and model APIs allow {limit}: shorten the plugin's name"
    )]
    NameTooLong {
        /// The name on the wire.
        wire_name: String,
        /// Its length.
        length: usize,
        /// The length that is allowed.
        limit: usize,
    },
}

/// An exported function, before it has a name.
struct Export {
    /// The interface, as it is exported; none for a function by itself.
    interface: Option<String>,
    function: String,
    ty: ComponentFunc,
    index: ComponentExportIndex,
}

/// The types of a function that can be a tool.
struct Signature {
    params: Vec<Field>,
    result: Option<Shape>,
}

impl Catalog {
    /// Reads what a component exports. Nothing of it is run.
    pub(crate) fn read(
        engine: &Engine,
        component: &Component,
        plugin: &str,
        docs: Option<&Docs>,
    ) -> Result<Catalog, CatalogError> {
        name::check_plugin(plugin)?;
        let exports = exports(engine, component)?;
        let mut catalog = Catalog { tools: Vec::new(), skipped: Vec::new(), warnings: Vec::new() };
        let mut served = Vec::new();
        for export in exports {
            match export.signature() {
                Ok(_) if served.len() == MAX_TOOLS => {
                    catalog.skip(plugin, &export, format!("a plugin has at most {MAX_TOOLS} tools"));
                }
                Ok(signature) => served.push((export, signature)),
                Err(reason) => catalog.skip(plugin, &export, reason),
            }
        }
        let places: Vec<name::Place<'_>> = served.iter().map(|(export, _)| export.place()).collect();
        let names = name::assign(plugin, &places)?;
        let mut left = MAX_SCHEMAS;
        for ((export, signature), name) in served.iter().zip(names) {
            catalog.add(plugin, export, signature, name, docs, &mut left);
        }
        catalog.warn_of_silence();
        Ok(catalog)
    }

    fn add(
        &mut self,
        plugin: &str,
        export: &Export,
        signature: &Signature,
        names: name::ToolName,
        docs: Option<&Docs>,
        left: &mut usize,
    ) {
        let docs = docs.and_then(|docs| docs.function(export.interface.as_deref(), &export.function));
        let InputSchema { schema, is_stripped } = input_schema(&signature.params, docs);
        let Some(rest) = left.checked_sub(schema.to_string().len()) else {
            let reason = format!("the schemas of a plugin take at most {} KiB", MAX_SCHEMAS >> 10);
            return self.skip(plugin, export, reason);
        };
        *left = rest;
        let name::ToolName { name, wire_name } = names;
        if is_stripped {
            self.warnings
                .push(format!("`{name}`: what is said about its parameters is too long and left out"));
        }
        let description = docs.map(description).unwrap_or_default();
        self.tools.push(Tool {
            name,
            wire_name,
            description,
            input_schema: schema,
            params: signature.params.clone(),
            result: signature.result.clone(),
            export: export.index,
        });
    }

    fn warn_of_silence(&mut self) {
        let silent: Vec<&str> = self
            .tools
            .iter()
            .filter(|tool| tool.description.is_empty())
            .map(|tool| tool.name.as_str())
            .collect();
        if !silent.is_empty() {
            let silent = silent.join(", ");
            self.warnings.push(format!("without a description, so that a model has to guess: {silent}"));
        }
    }

    fn skip(&mut self, plugin: &str, export: &Export, reason: String) {
        let name = format!("{plugin}.{}", snake_case(&shown(&export.function)));
        self.skipped.push(Skipped { name, function: export.place().to_string(), reason });
    }
}

impl Export {
    fn place(&self) -> name::Place<'_> {
        name::Place { interface: self.interface.as_deref(), function: &self.function }
    }

    /// The types of its parameters and result, or why it cannot be a tool.
    fn signature(&self) -> Result<Signature, String> {
        if self.function.starts_with('[') {
            return Err("it belongs to a resource, which only another component could hold".to_owned());
        }
        if self.ty.async_() {
            return Err("it is asynchronous".to_owned());
        }
        if self.is_left_by_componentize_py() {
            return Err("componentize-py uses it to make the component and leaves it behind".to_owned());
        }
        self.shapes().map_err(|unsupported| unsupported.to_string())
    }

    /// Whether it is `init` of the interface `exports`, which componentize-py adds to every component: its author knows
    /// nothing of it, and a model could only break the component with it. Name and types must all be the same, so that
    /// no function of an author's own is taken for it.
    fn is_left_by_componentize_py(&self) -> bool {
        let params: Vec<_> = self.ty.params().collect();
        self.interface.as_deref() == Some("exports")
            && self.function == "init"
            && matches!(
                params[..],
                [("app-name", Type::String), ("symbols", Type::Record(_)), ("stub-wasi", Type::Bool)]
            )
            && matches!(self.ty.results().next(), Some(Type::Result(result)) if result.ok().is_none())
    }

    fn shapes(&self) -> Result<Signature, Unsupported> {
        let mut shaper = Shaper::new();
        let params =
            self.ty.params().map(|(name, ty)| shaper.field(name, &ty)).collect::<Result<Vec<_>, _>>()?;
        let result = self.ty.results().next().map(|ty| shaper.shape(&ty)).transpose()?;
        Ok(Signature { params, result })
    }
}

fn description(docs: FunctionDocs<'_>) -> String {
    let mut text = docs.description().unwrap_or_default().trim().to_owned();
    if let Some(result) = docs.result().text() {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str("Returns: ");
        text.push_str(result);
    }
    text
}

/// Every function that the component exports, by itself or in an interface.
fn exports(engine: &Engine, component: &Component) -> Result<Vec<Export>, CatalogError> {
    let mut functions = Vec::new();
    let mut others = Vec::new();
    let ty = component.component_type();
    for (name, item) in ty.exports(engine) {
        name::check_version(name)?;
        let Some(index) = component.get_export_index(None, name) else {
            continue;
        };
        match item.ty {
            ComponentItem::ComponentFunc(ty) => {
                functions.push(Export { interface: None, function: name.to_owned(), ty, index });
            }
            ComponentItem::ComponentInstance(instance) => {
                let before = functions.len();
                for (function, item) in instance.exports(engine) {
                    let index = component.get_export_index(Some(&index), function);
                    if let (ComponentItem::ComponentFunc(ty), Some(index)) = (item.ty, index) {
                        let interface = Some(name.to_owned());
                        functions.push(Export { interface, function: function.to_owned(), ty, index });
                    }
                }
                if functions.len() == before {
                    others.push(format!("the interface `{}` without functions", shown(name)));
                }
            }
            ComponentItem::Module(_) => others.push(format!("the core module `{}`", shown(name))),
            ComponentItem::Component(_) => others.push(format!("the component `{}`", shown(name))),
            ComponentItem::Type(_) | ComponentItem::Resource(_) => {
                others.push(format!("the type `{}`", shown(name)));
            }
            ComponentItem::CoreFunc(_) => {}
        }
    }
    if functions.is_empty() {
        let more = others.len().saturating_sub(10);
        others.truncate(10);
        let found = match (others.len(), more) {
            (0, _) => "no export at all".to_owned(),
            (_, 0) => others.join(", "),
            _ => format!("{} and {more} more", others.join(", ")),
        };
        return Err(CatalogError::NoFunctions { found });
    }
    Ok(functions)
}

/// A name from a component, safe to show.
fn shown(name: &str) -> String {
    inert(name).chars().take(MAX_NAME).collect()
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
