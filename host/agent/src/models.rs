//! Which model an agent asks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use remit_model::{Keys, Model, ModelChoice, ModelError};

use crate::roles::Role;

/// Gives each role its model.
pub trait Models: Send + Sync {
    /// The model of `role`.
    ///
    /// # Errors
    ///
    /// What keeps the model from being used, for the user.
    fn of(&self, role: &Role) -> Result<Arc<dyn Model>, ModelError>;
}

/// The run's model for every role that names none, and each other one opened once, when it is first needed.
pub struct ChosenModels {
    default: Arc<dyn Model>,
    keys: Keys,
    opened: Mutex<HashMap<String, Arc<dyn Model>>>,
}

impl ChosenModels {
    /// The run's model is `choice`. `keys` are the user's; they go where [`ModelChoice`] lets them.
    ///
    /// # Errors
    ///
    /// What keeps the run's model from being used.
    pub fn new(choice: &ModelChoice, keys: Keys) -> Result<ChosenModels, ModelError> {
        let default = choice.open(&keys)?;
        Ok(ChosenModels { default, keys, opened: Mutex::default() })
    }
}

impl Models for ChosenModels {
    fn of(&self, role: &Role) -> Result<Arc<dyn Model>, ModelError> {
        let Some(text) = role.model() else { return Ok(self.default.clone()) };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = opened.get(text) {
            return Ok(model.clone());
        }
        // The file may have come with the workspace, so its word does not decide where a key goes.
        let model = ModelChoice::parse_in_workspace(text)?.open(&self.keys)?;
        opened.insert(text.to_owned(), model.clone());
        Ok(model)
    }
}
