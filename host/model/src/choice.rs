use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::chat::Model;
use crate::offline::{self, Offline};
use crate::openai::{Endpoint, OpenAi};
use crate::script::Script;
use crate::{Keys, ModelError};

/// The model that is asked where `OPENAI_API_KEY` is set and nothing else is said.
pub const DEFAULT_OPENAI_MODEL: &str = "gpt-5-mini";

/// The forms that a choice can have, as messages list them.
const FORMS: &str = "`offline`, `script:FILE` or `openai:NAME[@URL]`";

/// Which model to ask: `offline`, `script:FILE` or `openai:NAME[@URL]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    kind: Kind,
    by: By,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Offline,
    Script(PathBuf),
    OpenAi { name: String, endpoint: Option<(String, Endpoint)> },
}

/// Who made the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    User,
    Workspace,
    Environment,
}

impl ModelChoice {
    /// Reads what the *user* wrote, on the command line or in a file of their own. A URL in it is sent the user's key.
    ///
    /// # Errors
    ///
    /// [`ModelError::Configuration`], which says what was expected and the nearest valid choice.
    pub fn parse(text: &str) -> Result<ModelChoice, ModelError> {
        Ok(ModelChoice { kind: Kind::parse(text)?, by: By::User })
    }

    /// Reads what a workspace's file says. A URL in it is sent no key unless it is OpenAI's own or the one that the user
    /// set as `OPENAI_BASE_URL`.
    ///
    /// # Errors
    ///
    /// As [`ModelChoice::parse`].
    pub fn parse_in_workspace(text: &str) -> Result<ModelChoice, ModelError> {
        Ok(ModelChoice { kind: Kind::parse(text)?, by: By::Workspace })
    }

    /// What is used where nobody chose: [`DEFAULT_OPENAI_MODEL`] if there is an OpenAI key, else `offline`.
    pub fn from_env(keys: &Keys) -> ModelChoice {
        let kind = if keys.has_openai() {
            Kind::OpenAi { name: DEFAULT_OPENAI_MODEL.to_owned(), endpoint: None }
        } else {
            Kind::Offline
        };
        ModelChoice { kind, by: By::Environment }
    }

    /// In words, which model is used and why, such as `offline, because OPENAI_API_KEY is not set`.
    pub fn explain(&self) -> String {
        let why = match (&self.kind, self.by) {
            (_, By::User) => "as chosen",
            (_, By::Workspace) => "as the workspace's roles say",
            (Kind::Offline, By::Environment) => "because OPENAI_API_KEY is not set",
            (_, By::Environment) => "because OPENAI_API_KEY is set",
        };
        match self.kind {
            Kind::Offline => format!("{self} ({}), {why}", offline::NOTE),
            _ => format!("{self}, {why}"),
        }
    }

    /// The script that is played, if that is the choice. A relative one is relative to the working directory.
    pub fn script(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Script(path) => Some(path),
            _ => None,
        }
    }

    /// Makes the model. Opens no connection; reads the script, if it is one.
    ///
    /// # Errors
    ///
    /// [`ModelError::Configuration`] where a key is missing or a URL in the environment is wrong;
    /// [`ModelError::Script`] for a script that can't be read.
    pub fn open(&self, keys: &Keys) -> Result<Arc<dyn Model>, ModelError> {
        Ok(match &self.kind {
            Kind::Offline => Arc::new(Offline::new()),
            Kind::Script(path) => Arc::new(Script::open(path)?),
            Kind::OpenAi { name, endpoint } => {
                Arc::new(OpenAi::new(name, self.endpoint(endpoint, keys)?, keys)?)
            }
        })
    }

    fn endpoint(&self, said: &Option<(String, Endpoint)>, keys: &Keys) -> Result<Endpoint, ModelError> {
        let users =
            keys.openai_base_url().map(Endpoint::at).transpose().map_err(|error| {
                ModelError::Configuration { message: format!("OPENAI_BASE_URL: {error}") }
            })?;
        match (said, users) {
            (None, Some(users)) => Ok(users),
            (None, None) => Endpoint::openai(),
            (Some((_, said)), Some(users)) if *said == users => Ok(users),
            (Some((_, said)), _) if self.by == By::Workspace => Ok(said.clone().without_key()),
            (Some((_, said)), _) => Ok(said.clone()),
        }
    }
}

impl Kind {
    fn parse(text: &str) -> Result<Kind, ModelError> {
        let bad = |message: String| ModelError::Configuration { message };
        let text = text.trim();
        match text.split_once(':') {
            None if text == "offline" => Ok(Kind::Offline),
            Some(("script", "")) => Err(bad("`script:` needs a file, as in `script:turns.toml`".to_owned())),
            Some(("script", path)) => Ok(Kind::Script(PathBuf::from(path))),
            Some(("openai", rest)) => {
                // A name may hold an @ itself.
                let at = rest.find("@http://").or_else(|| rest.find("@https://"));
                let (name, url) = match at {
                    Some(at) => (&rest[..at], Some(&rest[at + 1..])),
                    None => (rest, None),
                };
                if name.is_empty() || name.ends_with('@') || name.contains(char::is_whitespace) {
                    let message =
                        format!("`openai:` needs a model's name, as in `openai:{DEFAULT_OPENAI_MODEL}`");
                    return Err(bad(message));
                }
                let endpoint =
                    url.map(|url| Ok::<_, ModelError>((url.to_owned(), Endpoint::at(url)?))).transpose()?;
                Ok(Kind::OpenAi { name: name.to_owned(), endpoint })
            }
            _ => {
                let near = nearest(text).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                Err(bad(format!("unknown model `{text}`: expected {FORMS}{near}")))
            }
        }
    }
}

/// The choice that `text` was probably meant to be.
fn nearest(text: &str) -> Option<String> {
    let (provider, rest) = text.split_once(':').unwrap_or((text, ""));
    let provider = provider.trim().to_lowercase();
    if rest.is_empty() && ["gpt-", "o1", "o3", "o4"].iter().any(|prefix| provider.starts_with(prefix)) {
        return Some(format!("openai:{text}"));
    }
    let close = |name: &&str| strsim::damerau_levenshtein(&provider, name) <= 2;
    Some(match ["offline", "script", "openai"].into_iter().find(close)? {
        "offline" => "offline".to_owned(),
        "script" if rest.is_empty() => "script:FILE".to_owned(),
        "openai" if rest.is_empty() => format!("openai:{DEFAULT_OPENAI_MODEL}"),
        name => format!("{name}:{}", rest.trim()),
    })
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Offline => f.write_str("offline"),
            Kind::Script(path) => write!(f, "script:{}", path.display()),
            Kind::OpenAi { name, endpoint: None } => write!(f, "openai:{name}"),
            Kind::OpenAi { name, endpoint: Some((url, _)) } => {
                // A query may hold a secret.
                write!(f, "openai:{name}@{}", url.split(['?', '#']).next().unwrap_or_default())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        ModelChoice::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn the_three_forms_are_read_and_shown_as_they_were_written() {
        for text in [
            "offline",
            "script:lessons/first.toml",
            "openai:gpt-x",
            "openai:org/name@2024@http://127.0.0.1:8080/v1/",
        ] {
            assert_eq!(ModelChoice::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(ModelChoice::parse("script:a.toml").unwrap().script(), Some(Path::new("a.toml")));
        assert!(
            !ModelChoice::parse("openai:x@https://h/v1?key=hunter2").unwrap().to_string().contains("hunter2")
        );
    }

    #[test]
    fn an_error_names_what_was_expected_and_the_nearest_choice() {
        let expected = "expected `offline`, `script:FILE` or `openai:NAME[@URL]`";
        assert_eq!(message("ofline"), format!("unknown model `ofline`: {expected}; did you mean `offline`?"));
        assert_eq!(
            message("open-ai:gpt-x"),
            format!("unknown model `open-ai:gpt-x`: {expected}; did you mean `openai:gpt-x`?")
        );
        assert_eq!(
            message("gpt-x"),
            format!("unknown model `gpt-x`: {expected}; did you mean `openai:gpt-x`?")
        );
        assert_eq!(message("llama"), format!("unknown model `llama`: {expected}"));
        assert_eq!(
            message("script"),
            format!("unknown model `script`: {expected}; did you mean `script:FILE`?")
        );
        assert!(message("openai:").contains("needs a model's name"));
        assert!(message("openai:@http://x").contains("needs a model's name"));
        assert!(message("script:").contains("needs a file"));
        assert!(message("openai:x@http://").contains("expected a base URL"));
    }

    #[test]
    fn without_a_choice_a_key_means_openai_and_none_means_offline() {
        let keys = Keys::none();
        let offline = ModelChoice::from_env(&keys);
        assert_eq!(
            offline.explain(),
            "offline (a keyword planner, not a language model), because OPENAI_API_KEY is not set"
        );
        assert_eq!(offline.open(&keys).unwrap().id(), "offline");

        let keys = keys.with_openai("sk-hunter2");
        let choice = ModelChoice::from_env(&keys);
        assert_eq!(choice.explain(), "openai:gpt-5-mini, because OPENAI_API_KEY is set");
        assert_eq!(choice.open(&keys).unwrap().id(), "openai:gpt-5-mini");
    }

    #[test]
    fn openais_own_url_needs_a_key_and_another_does_not() {
        let error = ModelChoice::parse("openai:x").unwrap().open(&Keys::none()).err().unwrap();
        assert!(error.to_string().contains("OPENAI_API_KEY is not set"), "{error}");
        assert!(ModelChoice::parse("openai:x@http://127.0.0.1:1/v1").unwrap().open(&Keys::none()).is_ok());
        let keys = Keys::none().with_openai_base_url("http://127.0.0.1:1/v1");
        assert!(ModelChoice::parse("openai:x").unwrap().open(&keys).is_ok());
        let keys = Keys::none().with_openai_base_url("nonsense");
        let error = ModelChoice::parse("openai:x").unwrap().open(&keys).err().unwrap();
        assert!(error.to_string().starts_with("OPENAI_BASE_URL: "), "{error}");
    }

    #[test]
    fn a_workspaces_url_gets_the_key_only_where_the_user_set_the_same() {
        let takes_key = |choice: ModelChoice, keys: &Keys| match &choice.kind {
            Kind::OpenAi { endpoint, .. } => choice.endpoint(endpoint, keys).unwrap().takes_key(),
            _ => unreachable!(),
        };
        let text = "openai:x@https://models.example/v1";
        let keys = Keys::none().with_openai("sk-hunter2");
        assert!(takes_key(ModelChoice::parse(text).unwrap(), &keys));
        assert!(!takes_key(ModelChoice::parse_in_workspace(text).unwrap(), &keys));
        let keys = keys.with_openai_base_url("https://models.example/v1/");
        assert!(takes_key(ModelChoice::parse_in_workspace(text).unwrap(), &keys));
        assert!(takes_key(ModelChoice::parse_in_workspace("openai:x").unwrap(), &keys));
    }
}
