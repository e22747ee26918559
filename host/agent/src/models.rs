//! Which model an agent asks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use remit_model::{Keys, Model, ModelChoice, ModelError};

use crate::patience::Patience;
use crate::prices::Prices;
use crate::roles::Role;

/// Gives each role its model.
pub trait Models: Send + Sync {
    /// The model of `role`.
    ///
    /// # Errors
    ///
    /// What keeps the model from being used, for the user.
    fn of(&self, role: &Role) -> Result<Arc<dyn Model>, ModelError>;

    /// How patiently they are asked.
    fn patience(&self) -> Patience {
        Patience::default()
    }

    /// What they cost.
    fn prices(&self) -> Prices {
        Prices::default()
    }
}

/// The run's model for every role that names none, and each other one opened once, when it is first needed.
pub struct ChosenModels {
    default: Arc<dyn Model>,
    keys: Keys,
    patience: Patience,
    prices: Prices,
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
        let (patience, prices) = (Patience::default(), Prices::default());
        Ok(ChosenModels { default, keys, patience, prices, opened: Mutex::default() })
    }

    /// The same at these prices.
    #[must_use]
    pub fn with_prices(mut self, prices: Prices) -> ChosenModels {
        self.prices = prices;
        self
    }

    /// The same, asked with this patience.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> ChosenModels {
        self.patience = patience;
        self
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

    fn patience(&self) -> Patience {
        self.patience.clone()
    }

    fn prices(&self) -> Prices {
        self.prices.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::{BuiltIn, Roles, RolesSource};

    #[test]
    fn a_role_has_its_own_model_opened_once_or_else_the_runs() {
        let text = "[roles.a]\ndescription = \"A.\"\n\
                    [roles.b]\ndescription = \"B.\"\nmodel = \"openai:b@http://127.0.0.1:9/v1\"\n\
                    [roles.c]\ndescription = \"C.\"\nmodel = \"openai:c\"\n";
        let workspace = tempfile::tempdir().unwrap();
        let built_in = BuiltIn { roles: text, plugins: &[] };
        let roles = Roles::load(RolesSource::BuiltIn, &built_in, workspace.path()).unwrap();
        let models = ChosenModels::new(&ModelChoice::parse("offline").unwrap(), Keys::none()).unwrap();
        let of = |role| models.of(roles.get(role).unwrap());
        assert_eq!(of("a").unwrap().id(), "offline");
        let b = of("b").unwrap();
        assert!(b.id().starts_with("openai:b"), "{}", b.id());
        assert!(Arc::ptr_eq(&b, &of("b").unwrap()));
        assert!(matches!(of("c").err(), Some(ModelError::Configuration { .. })), "there is no key");
    }
}
