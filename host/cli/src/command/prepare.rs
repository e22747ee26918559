//! What a run and a conversation have to have before the first prompt.

use std::env;
use std::io::{self, Write};
use std::sync::Arc;

use remit_agent::{ChosenModels, Models, Notes, PRICES_FILE, Prices, SandboxToolboxes};
use remit_model::{Keys, ModelChoice};
use remit_pack::inert;

use crate::command_line::{Place, Work};
use crate::failure::Failure;
use crate::folders;
use crate::plugins;
use crate::project::{Breadth, Project};
use crate::screen::{Busy, Screen};

/// Everything that can be found wrong before anything is begun was looked for.
pub(crate) struct Prepared {
    pub(crate) project: Project,
    /// The role that answers.
    pub(crate) role: String,
    pub(crate) models: Arc<ChosenModels>,
    /// The model of the role that answers.
    pub(crate) choice: ModelChoice,
    pub(crate) keys: Keys,
    pub(crate) toolboxes: Arc<SandboxToolboxes>,
    pub(crate) notes: Notes,
}

impl Prepared {
    pub(crate) fn new(place: &Place, work: &Work) -> Result<Prepared, Failure> {
        let mut project = Project::trusted(place, Breadth::Guarded { forced: work.force })?;
        let role = project.role(work.role())?;
        let keys = Keys::from_env();
        let choice = match &work.model {
            Some(text) => ModelChoice::parse(text).map_err(Failure::refused)?,
            None => ModelChoice::from_env(&keys),
        };
        let models = ChosenModels::new(&choice, keys.clone()).map_err(Failure::refused)?;
        let models = Arc::new(models.with_prices(prices()?));
        // What can't be had is found out before anything is begun.
        models.of(role).map_err(Failure::refused)?;
        let choice = match role.model() {
            Some(text) => ModelChoice::parse_in_workspace(text).map_err(Failure::refused)?,
            None => choice,
        };
        let notes = if work.no_notes {
            Notes::default()
        } else {
            // Where the working directory is gone, the workspace's own notes are left.
            let from = env::current_dir().unwrap_or_else(|_| project.workspace.clone());
            Notes::read(&project.workspace, &from, &project.roles, role).map_err(Failure::refused)?
        };
        let secrets = project.roles.resolve_secrets(project.roles.reachable(role), plugins::variable)?;
        let role = role.name().to_owned();
        let sandbox = plugins::sandbox()?;
        plugins::recover(&mut project)?;
        let toolboxes = Arc::new(plugins::toolboxes(&mut project, &sandbox)?.with_secrets(secrets));
        project.warnings.extend_from_slice(sandbox.warnings());
        project.warnings.extend_from_slice(notes.warnings());
        Ok(Prepared { project, role, models, choice, keys, toolboxes, notes })
    }

    /// Loads the components that may be needed, and checks every tool that a role names against them.
    pub(crate) async fn check_tools(&self) -> Result<(), Failure> {
        let _busy = Busy::with("loading components; new ones are compiled once");
        let plugins = plugins::reachable(&self.project.roles, self.project.role(&self.role)?);
        let known = plugins.into_iter().filter(|name| self.toolboxes.names().any(|known| known == *name));
        let known = self.toolboxes.known_tools(known).await.map_err(Failure::refused)?;
        Ok(self.project.roles.check_tools(&known)?)
    }

    /// Says on standard error what to know before it begins: warnings, and who answers.
    pub(crate) fn announce(&self, names_model: bool) {
        let screen = Screen::stderr();
        let mut text = warnings(&self.project.warnings, screen);
        if names_model {
            let model = inert(&format!("model: {}", self.choice.explain())).into_owned();
            text += &screen.faint(&screen.entry("", &model, 0));
        }
        // Whoever closed standard error does not want to watch.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// Warnings, for standard error.
pub(crate) fn warnings(warnings: &[String], screen: Screen) -> String {
    warnings
        .iter()
        .map(|warning| screen.careful(&screen.entry("", &inert(&format!("! {warning}")), 0)))
        .collect()
}

/// What models cost, as the user says.
fn prices() -> Result<Prices, Failure> {
    match folders::config() {
        Some(folder) => Prices::read(&folder.join(PRICES_FILE)).map_err(Failure::refused),
        None => Ok(Prices::default()),
    }
}
