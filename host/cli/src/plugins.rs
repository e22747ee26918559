//! The components that there are, in a sandbox.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use remit_agent::roles::{Powers, Role, Roles, WorkspacePath};
use remit_agent::{SandboxToolboxes, plugin_sources};
use remit_sandbox::{ImportKind, Journals, Origin, Plugin, PluginSource, Sandbox, SandboxConfig, Workspace};
use tokio::runtime::{Builder, Runtime};

use crate::failure::Failure;
use crate::folders;
use crate::project::{MAX_COMPONENT_BYTES, Project};

/// Calls are made one after the other; the second slot is for one that is being cleared away.
const CALLS_AT_ONCE: u32 = 2;

/// The sandbox, which compiles only what is new.
pub(crate) fn sandbox() -> Result<Sandbox, Failure> {
    let config = SandboxConfig {
        concurrency: CALLS_AT_ONCE,
        cache_dir: folders::cache().map(|folder| folder.join("compiled")),
        max_component_bytes: MAX_COMPONENT_BYTES,
        ..SandboxConfig::default()
    };
    Sandbox::new(&config).map_err(Failure::refused)
}

/// The project's toolboxes. Nothing is loaded yet.
pub(crate) fn toolboxes(project: &mut Project, sandbox: &Sandbox) -> Result<SandboxToolboxes, Failure> {
    let workspace = workspace(project)?;
    let files = std::mem::take(&mut project.files);
    let mut sources: Vec<PluginSource> = remit_builtin::PLUGINS.iter().map(built_in).collect();
    sources.extend(plugin_sources(&project.roles, files, &project.workspace));
    let own = folders::all().filter_map(|folder| within(&project.workspace, &folder));
    Ok(SandboxToolboxes::new(sandbox.clone(), workspace, sources).protecting(own))
}

/// `folder` as a path of the workspace, if it is in there.
fn within(workspace: &Path, folder: &Path) -> Option<WorkspacePath> {
    // As much of it as is there yet.
    let real = folder
        .ancestors()
        .find_map(|above| Some(above.canonicalize().ok()?.join(folder.strip_prefix(above).ok()?)))?;
    WorkspacePath::parse(real.strip_prefix(workspace).ok()?.to_str()?).ok()
}

/// The workspace, as calls are given it.
fn workspace(project: &Project) -> Result<Workspace, Failure> {
    let workspace = Workspace::open(&project.workspace).map_err(Failure::refused)?;
    Ok(match folders::state() {
        Some(folder) => workspace.with_journals(Journals::at(folder.join("unfinished"))),
        None => workspace,
    })
}

/// Brings to an end what a killed process had begun to write, and says so in the project's warnings.
pub(crate) fn recover(project: &mut Project) -> Result<(), Failure> {
    let recovered = match remit_sandbox::recover(&workspace(project)?) {
        Ok(recovered) => recovered,
        Err(error) => {
            let problem = format!("cannot look for changes that were cut short: {error}");
            project.warnings.push(problem);
            return Ok(());
        }
    };
    if !recovered.finished.is_empty() {
        let files = recovered.finished.join(", ");
        let warning = format!("a change that was cut short when remit was killed is finished now: {files}");
        project.warnings.push(warning);
    }
    project.warnings.extend(recovered.problems);
    Ok(())
}

/// A plugin that comes with remit, to be loaded.
pub(crate) fn built_in(plugin: &remit_builtin::Builtin) -> PluginSource {
    PluginSource {
        name: plugin.name.to_owned(),
        origin: Origin::BuiltIn,
        bytes: Cow::Borrowed(plugin.bytes),
        wit: None,
    }
}

/// The plugins that a run of `role` may need: its own, and those of every role that it can reach.
pub(crate) fn reachable<'a>(roles: &'a Roles, role: &'a Role) -> BTreeSet<&'a str> {
    roles.reachable(role).into_iter().flat_map(Role::plugins).collect()
}

/// What a component could use of what roles grant, as its imports say.
pub(crate) fn powers(plugin: &Plugin) -> Powers {
    let has = |kind| plugin.imports().iter().any(|import| import.kind == kind);
    Powers {
        files: has(ImportKind::Filesystem),
        network: has(ImportKind::Http),
        commands: has(ImportKind::Command),
    }
}

/// The value of an environment variable, if it has one that is text.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// What calls run on: one thread that watches beside the one that works. Calls that read files get threads of their
/// own as they need them.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("remit").enable_all().build();
    runtime.map_err(|error| Failure::Refused(format!("cannot start a thread: {error}")))
}
