//! A component that is loaded and can be called.

use std::borrow::Cow;
use std::path::PathBuf;

use remit_pack::Docs;
use wasmtime::Engine;
use wasmtime::component::{Component, InstancePre};

use crate::catalog::{Catalog, Skipped, Tool};
use crate::error::LoadProblem;
use crate::imports::{self, Import, ImportKind};
use crate::state::State;

/// Where a component comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is part of the program.
    BuiltIn,
    /// A file.
    File(PathBuf),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// A component to load.
#[derive(Clone, Debug)]
pub struct PluginSource {
    /// The name that its tools begin with: `[a-z][a-z0-9-]*`.
    pub name: String,
    /// Where the bytes come from.
    pub origin: Origin,
    /// The component.
    pub bytes: Cow<'static, [u8]>,
    /// A `wit` folder whose comments describe the component's functions, for one that brings none.
    pub wit: Option<PathBuf>,
}

/// A loaded component. It holds no grant and no state: every call gets an instance of its own.
pub struct Plugin {
    name: String,
    origin: Origin,
    tools: Vec<Tool>,
    skipped: Vec<Skipped>,
    imports: Vec<Import>,
    warnings: Vec<String>,
    pub(crate) pre: InstancePre<State>,
}

impl Plugin {
    pub(crate) fn new(
        engine: &Engine,
        component: &Component,
        source: &PluginSource,
        link: impl FnOnce(&Component) -> wasmtime::Result<InstancePre<State>>,
    ) -> Result<Self, LoadProblem> {
        let unknown = imports::unknown(engine, component);
        if !unknown.is_empty() {
            return Err(LoadProblem::UnknownImports(unknown));
        }
        let mut warnings = Vec::new();
        let docs = match &source.wit {
            Some(folder) => Some(Docs::from_wit_dir(folder)?),
            // Functions without descriptions still work.
            None => Docs::from_component(&source.bytes).unwrap_or_else(|problem| {
                warnings.push(format!("its documentation is left out: {problem}"));
                None
            }),
        };
        let catalog = Catalog::read(engine, component, &source.name, docs.as_ref())?;
        warnings.extend(docs.iter().flat_map(|docs| docs.warnings()).cloned());
        warnings.extend(catalog.warnings);
        let pre = link(component).map_err(|error| LoadProblem::Invalid(format!("{error:#}")))?;
        Ok(Self {
            name: source.name.clone(),
            origin: source.origin.clone(),
            tools: catalog.tools,
            skipped: catalog.skipped,
            imports: imports::imports(engine, component),
            warnings,
            pre,
        })
    }

    /// The name that its tools begin with.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it comes from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Its tools, in the component's order.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool of that name (`files.read_file`).
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The exported functions that are no tools.
    #[must_use]
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Everything that it imports.
    #[must_use]
    pub fn imports(&self) -> &[Import] {
        &self.imports
    }

    /// What is wrong with it and keeps nothing from working.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether it could open a file if one were granted.
    #[must_use]
    pub fn could_open_files(&self) -> bool {
        self.imports.iter().any(|import| import.kind == ImportKind::Filesystem)
    }

    /// Whether it could have a command run if one were granted. Such a call is never without effects.
    #[must_use]
    pub fn could_run_commands(&self) -> bool {
        self.imports.iter().any(|import| import.kind == ImportKind::Command)
    }
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plugin")
            .field("name", &self.name)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}
