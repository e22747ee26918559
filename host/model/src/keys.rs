use std::env::{self, VarError};
use std::fmt;

/// What the user's environment holds about providers: keys, and URLs set in place of a provider's own.
///
/// A key is shown by nothing here, and goes into no error, event or log.
#[derive(Clone, Default)]
pub struct Keys {
    openai: Option<String>,
    openai_base_url: Option<String>,
}

impl Keys {
    /// None at all.
    pub fn none() -> Keys {
        Keys::default()
    }

    /// `OPENAI_API_KEY` and `OPENAI_BASE_URL`. One that is empty counts as not set.
    pub fn from_env() -> Keys {
        Keys { openai: variable("OPENAI_API_KEY"), openai_base_url: variable("OPENAI_BASE_URL") }
    }

    /// The same with this OpenAI key.
    pub fn with_openai(mut self, key: impl Into<String>) -> Keys {
        self.openai = non_empty(key.into());
        self
    }

    /// The same with this URL in place of OpenAI's own.
    pub fn with_openai_base_url(mut self, url: impl Into<String>) -> Keys {
        self.openai_base_url = non_empty(url.into());
        self
    }

    /// Whether there is an OpenAI key.
    pub fn has_openai(&self) -> bool {
        self.openai.is_some()
    }

    /// The URL that the user set in place of OpenAI's own.
    pub fn openai_base_url(&self) -> Option<&str> {
        self.openai_base_url.as_deref()
    }

    pub(crate) fn openai(&self) -> Option<&str> {
        self.openai.as_deref()
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys")
            .field("openai", if self.has_openai() { &"set" } else { &"not set" })
            .field("openai_base_url", if self.openai_base_url.is_some() { &"set" } else { &"not set" })
            .finish()
    }
}

/// A value that is no text is kept as a text that no server takes, so that it is reported and not passed over.
fn variable(name: &str) -> Option<String> {
    match env::var(name) {
        Ok(value) => non_empty(value),
        Err(VarError::NotPresent) => None,
        Err(VarError::NotUnicode(_)) => Some("\0".to_owned()),
    }
}

fn non_empty(value: String) -> Option<String> {
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_prints_a_key() {
        let keys = Keys::none().with_openai(" sk-hunter2\n").with_openai_base_url("http://u:hunter2@x");
        assert_eq!(keys.openai(), Some("sk-hunter2"));
        assert_eq!(format!("{keys:?}"), r#"Keys { openai: "set", openai_base_url: "set" }"#);
    }

    #[test]
    fn an_empty_key_is_none() {
        assert!(!Keys::none().with_openai("  ").has_openai());
    }
}
