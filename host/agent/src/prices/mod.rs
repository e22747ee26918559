//! What models cost: the user's own table, and what is counted with it.

mod cost;
mod file;
mod price;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use cost::Cost;
pub use file::PricesError;
pub use price::{Price, Pricing};

/// The file's name, in the user's configuration. A workspace has none: whoever writes prices decides when `max_cost` ends an
/// agent.
pub const PRICES_FILE: &str = "models.toml";

/// What models cost, by the names that choose them, such as `anthropic:claude-sonnet-4-5`.
#[derive(Clone, Debug, Default)]
pub struct Prices(Arc<Listed>);

#[derive(Debug, Default)]
struct Listed {
    path: Option<PathBuf>,
    prices: BTreeMap<String, Price>,
}

impl Prices {
    /// Reads the user's file; one that is not there lists nothing.
    ///
    /// ```toml
    /// [prices."anthropic:claude-sonnet-4-5"]   # dollars for a million tokens
    /// input        = 3.0
    /// cached_input = 0.3                       # without it, as `input`
    /// output       = 15.0
    /// ```
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or says anything else, with its place.
    pub fn read(path: &Path) -> Result<Prices, PricesError> {
        Ok(Prices(Arc::new(Listed { path: Some(path.to_owned()), prices: file::read(path)? })))
    }

    /// What is known of the model with this [`id`](remit_model::Model::id).
    pub fn of(&self, id: &str) -> Pricing {
        match self.0.prices.get(id) {
            Some(price) => Pricing::Listed(*price),
            None if id == "offline" || id.starts_with("script:") => Pricing::Free,
            None => Pricing::Unknown,
        }
    }

    /// Where prices are to be written, for people.
    pub fn place(&self) -> String {
        match &self.0.path {
            Some(path) => path.display().to_string(),
            None => format!("{PRICES_FILE} in remit's folder of your configuration"),
        }
    }
}
