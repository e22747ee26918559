use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::chat::Model;
use crate::offline::{self, Offline};
use crate::script::Script;
use crate::{Account, Endpoint, Keys, ModelError, Protocol, Provider};

/// The forms that a choice can have, as messages list them.
const FORMS: &str =
    "`offline`, `script:FILE`, `openai:NAME[@URL]`, `anthropic:NAME[@URL]` or `responses:NAME[@URL]`";

/// Which model to ask: `offline`, `script:FILE`, or a protocol's prefix with `:NAME[@URL]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    kind: Kind,
    by: By,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Offline,
    Script(PathBuf),
    Provider { protocol: Protocol, name: String, endpoint: Option<(String, Endpoint)> },
}

/// Who made the choice.
#[derive(Clone, Debug, PartialEq, Eq)]
enum By {
    User,
    Workspace,
    /// The environment, which has the keys of these accounts.
    Environment(Vec<Account>),
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

    /// Reads what a workspace's file says. A URL in it is sent no key unless it is the provider's own or the one that the
    /// user set, as `OPENAI_BASE_URL` or `ANTHROPIC_BASE_URL`.
    ///
    /// # Errors
    ///
    /// As [`ModelChoice::parse`].
    pub fn parse_in_workspace(text: &str) -> Result<ModelChoice, ModelError> {
        Ok(ModelChoice { kind: Kind::parse(text)?, by: By::Workspace })
    }

    /// What is used where nobody chose: the [`default_model`](Protocol::default_model) of the first account that there is
    /// a key of, else `offline`.
    pub fn from_env(keys: &Keys) -> ModelChoice {
        let accounts: Vec<Account> = Account::ALL.into_iter().filter(|account| keys.has(*account)).collect();
        let kind = match accounts.first().map(|account| account.protocol()) {
            Some(protocol) => {
                Kind::Provider { protocol, name: protocol.default_model().to_owned(), endpoint: None }
            }
            None => Kind::Offline,
        };
        ModelChoice { kind, by: By::Environment(accounts) }
    }

    /// In words, which model is used and why, such as `openai:gpt-5-mini, because OPENAI_API_KEY is set`.
    pub fn explain(&self) -> String {
        let why = match &self.by {
            By::User => "as chosen".to_owned(),
            By::Workspace => "as the workspace's roles say".to_owned(),
            By::Environment(accounts) => why(accounts),
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
            Kind::Provider { protocol, name, endpoint } => {
                let endpoint = self.endpoint(*protocol, endpoint.as_ref(), keys)?;
                Arc::new(Provider::new(name, endpoint, keys)?)
            }
        })
    }

    fn endpoint(
        &self,
        protocol: Protocol,
        said: Option<&(String, Endpoint)>,
        keys: &Keys,
    ) -> Result<Endpoint, ModelError> {
        let account = protocol.account();
        let users = keys.base_url(account).map(|url| Endpoint::at(protocol, url)).transpose();
        let users = users.map_err(|error| ModelError::Configuration {
            message: format!("{}: {error}", account.url_variable()),
        })?;
        match (said, users) {
            (None, Some(users)) => Ok(users),
            (None, None) => Endpoint::own(protocol),
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
            None if text == "offline" => return Ok(Kind::Offline),
            Some(("script", "")) => {
                return Err(bad("`script:` needs a file, as in `script:turns.toml`".to_owned()));
            }
            Some(("script", path)) => return Ok(Kind::Script(PathBuf::from(path))),
            Some((prefix, rest)) => {
                if let Some(protocol) = Protocol::ALL.into_iter().find(|one| one.prefix() == prefix) {
                    return Kind::parse_provider(protocol, rest);
                }
            }
            None => {}
        }
        let near = nearest(text).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        Err(bad(format!("unknown model `{text}`: expected {FORMS}{near}")))
    }

    fn parse_provider(protocol: Protocol, rest: &str) -> Result<Kind, ModelError> {
        // A name may hold an @ itself.
        let at = rest.find("@http://").or_else(|| rest.find("@https://"));
        let (name, url) = match at {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        if name.is_empty() || name.ends_with('@') || name.contains(char::is_whitespace) {
            let (prefix, example) = (protocol.prefix(), protocol.default_model());
            let message = format!("`{prefix}:` needs a model's name, as in `{prefix}:{example}`");
            return Err(ModelError::Configuration { message });
        }
        let endpoint = match url {
            Some(url) => Some((url.to_owned(), Endpoint::at(protocol, url)?)),
            None => None,
        };
        Ok(Kind::Provider { protocol, name: name.to_owned(), endpoint })
    }
}

/// Why a choice was made of what the environment has.
fn why(accounts: &[Account]) -> String {
    match accounts {
        [] => {
            let variables = Account::ALL.map(Account::key_variable).join(" nor ");
            format!("because neither {variables} is set")
        }
        [first] => format!("because {} is set", first.key_variable()),
        [first, others @ ..] => {
            let others: Vec<String> = others
                .iter()
                .map(|other| {
                    let protocol = other.protocol();
                    let (prefix, name) = (protocol.prefix(), protocol.default_model());
                    format!("{} is set too: --model {prefix}:{name}", other.key_variable())
                })
                .collect();
            format!("because {} is set ({})", first.key_variable(), others.join("; "))
        }
    }
}

/// The choice that `text` was probably meant to be.
fn nearest(text: &str) -> Option<String> {
    let (prefix, rest) = text.split_once(':').unwrap_or((text, ""));
    let prefix = prefix.trim().to_lowercase();
    if rest.is_empty() {
        let names = [("openai", ["gpt-", "o1", "o3", "o4"].as_slice()), ("anthropic", &["claude"])];
        let owner =
            names.into_iter().find(|(_, starts)| starts.iter().any(|start| prefix.starts_with(start)));
        if let Some((owner, _)) = owner {
            return Some(format!("{owner}:{text}"));
        }
    }
    let close = |name: &&str| strsim::damerau_levenshtein(&prefix, name) <= 2;
    let known = ["offline", "script"].into_iter().chain(Protocol::ALL.map(Protocol::prefix));
    let near = known.into_iter().find(close)?;
    let example = Protocol::ALL.into_iter().find(|protocol| protocol.prefix() == near);
    Some(match (near, example) {
        ("offline", _) => "offline".to_owned(),
        (_, Some(protocol)) if rest.is_empty() => format!("{near}:{}", protocol.default_model()),
        (_, None) if rest.is_empty() => format!("{near}:FILE"),
        _ => format!("{near}:{}", rest.trim()),
    })
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Offline => f.write_str("offline"),
            Kind::Script(path) => write!(f, "script:{}", path.display()),
            Kind::Provider { protocol, name, endpoint } => {
                write!(f, "{}:{name}", protocol.prefix())?;
                match endpoint {
                    // A query may hold a secret.
                    Some((url, _)) => write!(f, "@{}", url.split(['?', '#']).next().unwrap_or_default()),
                    None => Ok(()),
                }
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
    fn every_form_is_read_and_shown_as_it_was_written() {
        for text in [
            "offline",
            "script:lessons/first.toml",
            "openai:gpt-x",
            "openai:org/name@2024@http://127.0.0.1:8080/v1/",
            "anthropic:claude-x",
            "responses:gpt-x@https://example.com/v1",
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
        let expected = format!("expected {FORMS}");
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
        assert_eq!(
            message("claude-x"),
            format!("unknown model `claude-x`: {expected}; did you mean `anthropic:claude-x`?")
        );
        assert_eq!(
            message("antropic"),
            format!("unknown model `antropic`: {expected}; did you mean `anthropic:claude-sonnet-4-5`?")
        );
        assert!(message("openai:").contains("needs a model's name"));
        assert!(message("anthropic:").ends_with("as in `anthropic:claude-sonnet-4-5`"));
        assert!(message("openai:@http://x").contains("needs a model's name"));
        assert!(message("script:").contains("needs a file"));
        assert!(message("openai:x@http://").contains("expected a base URL"));
    }

    #[test]
    fn without_a_choice_a_key_means_its_provider_and_none_means_offline() {
        let explained = |keys: &Keys| {
            let choice = ModelChoice::from_env(keys);
            (choice.explain(), choice.open(keys).unwrap().id().to_owned())
        };
        let (why, id) = explained(&Keys::none());
        assert_eq!(
            why,
            "offline (a keyword planner, not a language model), because neither OPENAI_API_KEY nor ANTHROPIC_API_KEY is set"
        );
        assert_eq!(id, "offline");

        let openai = Keys::none().with_key(Account::OpenAi, "sk-hunter2");
        let (why, id) = explained(&openai);
        assert_eq!(why, "openai:gpt-5-mini, because OPENAI_API_KEY is set");
        assert_eq!(id, "openai:gpt-5-mini");

        let (why, id) = explained(&Keys::none().with_key(Account::Anthropic, "sk-hunter2"));
        assert_eq!(why, "anthropic:claude-sonnet-4-5, because ANTHROPIC_API_KEY is set");
        assert_eq!(id, "anthropic:claude-sonnet-4-5");

        let (why, _) = explained(&openai.with_key(Account::Anthropic, "sk-hunter2"));
        assert_eq!(
            why,
            "openai:gpt-5-mini, because OPENAI_API_KEY is set \
             (ANTHROPIC_API_KEY is set too: --model anthropic:claude-sonnet-4-5)"
        );
    }

    #[test]
    fn a_providers_own_url_needs_a_key_and_another_does_not() {
        for (text, variable) in [
            ("openai:x", "OPENAI_API_KEY"),
            ("responses:x", "OPENAI_API_KEY"),
            ("anthropic:x", "ANTHROPIC_API_KEY"),
        ] {
            let error = ModelChoice::parse(text).unwrap().open(&Keys::none()).err().unwrap();
            assert!(error.to_string().contains(&format!("{variable} is not set")), "{error}");
        }
        assert!(ModelChoice::parse("openai:x@http://127.0.0.1:1/v1").unwrap().open(&Keys::none()).is_ok());
        let keys = Keys::none().with_base_url(Account::OpenAi, "http://127.0.0.1:1/v1");
        assert!(ModelChoice::parse("openai:x").unwrap().open(&keys).is_ok());
        let keys = Keys::none().with_base_url(Account::OpenAi, "nonsense");
        let error = ModelChoice::parse("openai:x").unwrap().open(&keys).err().unwrap();
        assert!(error.to_string().starts_with("OPENAI_BASE_URL: "), "{error}");
    }

    #[test]
    fn a_workspaces_url_gets_the_key_only_where_the_user_set_the_same() {
        let takes_key = |choice: ModelChoice, keys: &Keys| match &choice.kind {
            Kind::Provider { protocol, endpoint, .. } => {
                choice.endpoint(*protocol, endpoint.as_ref(), keys).unwrap().takes_key()
            }
            _ => unreachable!(),
        };
        let text = "openai:x@https://models.example/v1";
        let keys = Keys::none().with_key(Account::OpenAi, "sk-hunter2");
        assert!(takes_key(ModelChoice::parse(text).unwrap(), &keys));
        assert!(!takes_key(ModelChoice::parse_in_workspace(text).unwrap(), &keys));
        let keys = keys.with_base_url(Account::OpenAi, "https://models.example/v1/");
        assert!(takes_key(ModelChoice::parse_in_workspace(text).unwrap(), &keys));
        assert!(takes_key(ModelChoice::parse_in_workspace("openai:x").unwrap(), &keys));
    }
}
