use std::fmt;
use std::sync::Arc;

/// What stands in a message where the server repeated a secret.
const REDACTED: &str = "[key]";

/// What must not be repeated, whoever repeats it.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Arc<[String]>);

impl Secrets {
    pub(crate) fn new(secrets: impl IntoIterator<Item = String>) -> Secrets {
        Secrets(secrets.into_iter().filter(|secret| !secret.is_empty()).collect())
    }

    /// `text` without the secrets.
    pub(crate) fn redacted(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, REDACTED))
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}
