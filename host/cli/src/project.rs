//! The workspace, its roles, and whether the user trusts them.

use std::path::PathBuf;
use std::sync::Arc;

use remit_agent::roles::{BuiltIn, PluginFiles, Role, Roles, RolesSource, check_workspace};
use remit_agent::trust::{self, Manifest, Standing, TrustStore, describe_grants};

use crate::command_line::Place;
use crate::failure::Failure;
use crate::folders;
use crate::screen::Screen;

/// The largest component that is read, in bytes.
pub(crate) const MAX_COMPONENT_BYTES: u64 = 64 << 20;

/// Where the words begin that `describe_grants` puts behind a name.
const NAME_COLUMNS: usize = 12;

/// A workspace with the roles that count in it.
#[derive(Debug)]
pub(crate) struct Project {
    /// Absolute, no symbolic links.
    pub(crate) workspace: PathBuf,
    pub(crate) roles: Arc<Roles>,
    /// The files of the plugins that the roles file adds, as they were read.
    pub(crate) files: PluginFiles,
    /// What the user should know before anything is started.
    pub(crate) warnings: Vec<String>,
}

/// How the roles stand with the user.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// They are the built-in ones, or the user named the file.
    NotNeeded,
    Given,
    /// Of the file as it is now, it is not given.
    Missing(Standing),
}

/// Whether agents may read the user's home directory, or everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breadth {
    /// No, unless the user forces it.
    Guarded { forced: bool },
    /// Nothing is read by an agent.
    Any,
}

impl Project {
    /// Reads everything that says who the agents are. Nothing of it is believed yet; see [`Project::trust`].
    pub(crate) fn open(place: &Place, breadth: Breadth) -> Result<Project, Failure> {
        let workspace = workspace(place, breadth)?;
        let source = RolesSource::choose(&workspace.path, place.roles.as_deref());
        let roles = Roles::load(source, &built_in(), &workspace.path)?;
        let files = roles.read_plugins(&workspace.path, MAX_COMPONENT_BYTES)?;
        let mut warnings = workspace.warnings;
        warnings.extend(roles.warnings().iter().map(|warning| warning.as_warning().to_string()));
        Ok(Project { workspace: workspace.path, roles: Arc::new(roles), files, warnings })
    }

    /// The same, for a command that acts on what the file says: only if the user trusts it.
    pub(crate) fn trusted(place: &Place, breadth: Breadth) -> Result<Project, Failure> {
        let project = Project::open(place, breadth)?;
        match project.trust()? {
            Trust::NotNeeded | Trust::Given => Ok(project),
            Trust::Missing(standing) => Err(project.not_trusted(&standing)),
        }
    }

    pub(crate) fn trust(&self) -> Result<Trust, Failure> {
        if !trust::is_needed(&self.roles, &built_in()) {
            return Ok(Trust::NotNeeded);
        }
        // Without a place for it, nothing was ever trusted.
        let Some(folder) = folders::config() else { return Ok(Trust::Missing(Standing::Unknown)) };
        let standing = TrustStore::at(folder).standing(&self.workspace, &self.manifest());
        Ok(match standing.map_err(Failure::refused)? {
            Standing::Trusted => Trust::Given,
            other => Trust::Missing(other),
        })
    }

    pub(crate) fn manifest(&self) -> Manifest {
        Manifest::of(&self.roles, &self.files)
    }

    /// What the file would grant, in lines of the screen's width.
    pub(crate) fn grants_in_words(&self, screen: Screen) -> String {
        let words = describe_grants(&self.roles, &self.manifest());
        // Names stand in a column of their own.
        let entry = |line: &str| {
            let (name, words) = line.split_at(line.floor_char_boundary(NAME_COLUMNS));
            screen.entry(name.trim_end(), words, NAME_COLUMNS)
        };
        words.lines().map(entry).collect()
    }

    /// The role that is asked for by name.
    pub(crate) fn role(&self, name: &str) -> Result<&Role, Failure> {
        self.roles.require(name).map_err(Failure::refused)
    }

    fn not_trusted(&self, standing: &Standing) -> Failure {
        let how = match standing {
            Standing::Changed(changes) => {
                let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
                format!("has changed since you trusted it: {}", changes.join(", "))
            }
            Standing::Unknown | Standing::Trusted => "is not trusted yet".to_owned(),
        };
        let path = self.workspace.display();
        Failure::Refused(format!(
            "the roles.toml of {path} {how}\n\nIt would grant:\n\n{}\nRun `remit trust` if you want that, or name \
             other roles with --roles FILE.",
            self.grants_in_words(Screen::stderr())
        ))
    }
}

/// The user's record of what they trust.
pub(crate) fn trust_store() -> Result<TrustStore, Failure> {
    let folder = folders::config().ok_or_else(|| {
        Failure::refused(
            "there is no folder to keep trust in: set HOME or XDG_CONFIG_HOME to an absolute path",
        )
    })?;
    Ok(TrustStore::at(folder))
}

/// What comes with remit.
pub(crate) fn built_in() -> BuiltIn<'static> {
    BuiltIn { roles: remit_builtin::ROLES_TOML, plugins: plugin_names() }
}

fn plugin_names() -> &'static [&'static str] {
    static NAMES: std::sync::OnceLock<Vec<&str>> = std::sync::OnceLock::new();
    NAMES.get_or_init(|| remit_builtin::PLUGINS.iter().map(|plugin| plugin.name).collect())
}

/// The directory that agents work in.
pub(crate) struct Directory {
    pub(crate) path: PathBuf,
    pub(crate) warnings: Vec<String>,
}

/// Finds the workspace.
pub(crate) fn workspace(place: &Place, breadth: Breadth) -> Result<Directory, Failure> {
    let forced = breadth != Breadth::Guarded { forced: false };
    let checked = check_workspace(&place.workspace, folders::home().as_deref(), forced);
    let checked = checked.map_err(|error| match error {
        remit_agent::roles::WorkspaceError::Root => too_wide(error),
        other => Failure::refused(other),
    })?;
    match checked.warnings.first() {
        Some(warning) if !forced => Err(too_wide(warning)),
        _ => {
            let shown = checked.warnings.iter().filter(|_| breadth != Breadth::Any);
            Ok(Directory { path: checked.path, warnings: shown.map(ToString::to_string).collect() })
        }
    }
}

fn too_wide(why: impl ToString) -> Failure {
    let why = why.to_string();
    let what = why.lines().next().unwrap_or_default();
    Failure::Refused(format!("{what}\n  help: name a project's directory with --workspace, or say --force"))
}
