use std::net::IpAddr;

use reqwest::Url;

use crate::{Account, ModelError, Protocol};

/// Where a protocol's requests go, and whether the user's key may go there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    protocol: Protocol,
    url: Url,
    own: bool,
    takes_key: bool,
}

impl Endpoint {
    /// The provider's own. It needs a key.
    ///
    /// # Errors
    ///
    /// None that a caller can meet.
    pub fn own(protocol: Protocol) -> Result<Endpoint, ModelError> {
        Endpoint::at(protocol, protocol.account().url())
    }

    /// A base URL that the user set, such as `http://127.0.0.1:8080/v1`, in the form in which the provider's own
    /// clients take it: for Anthropic's protocol with or without `/v1`, and for each with or without a slash at its end
    /// or the protocol's own path. It gets the user's key if there is one.
    ///
    /// # Errors
    ///
    /// [`ModelError::Configuration`] if it isn't an `http` or `https` URL, or holds a password.
    pub fn at(protocol: Protocol, base: &str) -> Result<Endpoint, ModelError> {
        let account = protocol.account();
        let bad = |why: &str| ModelError::Configuration {
            message: format!(
                "expected a base URL such as {} or http://127.0.0.1:8080/v1, found {why}",
                account.url()
            ),
        };
        // The text is not repeated where it may hold a password.
        let mut url = Url::parse(base).map_err(|error| bad(&format!("one that can't be read ({error})")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad(&format!("the scheme `{}`", url.scheme())));
        }
        if !url.username().is_empty() || url.password().is_some() {
            let variable = account.key_variable();
            return Err(bad(&format!("one with a user name or password; a key belongs in {variable}")));
        }
        url.set_fragment(None);
        let path = full_path(url.path(), protocol.path());
        url.set_path(&path);
        let own = Url::parse(account.url()).is_ok_and(|mut own| {
            let path = full_path(own.path(), protocol.path());
            own.set_path(&path);
            own == url
        });
        Ok(Endpoint { protocol, url, own, takes_key: true })
    }

    /// The same, but never sent the user's key unless it is the provider's own: for a URL that somebody else wrote, such
    /// as the author of a workspace's file.
    pub fn without_key(mut self) -> Endpoint {
        self.takes_key = self.own;
        self
    }

    /// What is spoken there.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Whose key it takes.
    pub(crate) fn account(&self) -> Account {
        self.protocol.account()
    }

    /// Whether this is the provider's own.
    pub fn is_own(&self) -> bool {
        self.own
    }

    /// Whether the user's key is sent there.
    pub fn takes_key(&self) -> bool {
        self.takes_key
    }

    /// The full URL that is posted to.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The URL for people: without its query, which may hold a secret.
    pub(crate) fn shown(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        url.into()
    }

    /// Whether it is on this machine, so that no proxy may stand between.
    pub(crate) fn is_local(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        host == "localhost"
            || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// `base` with a protocol's path behind it, of which it may hold the beginning or all.
fn full_path(base: &str, path: &str) -> String {
    let base = base.trim_end_matches('/');
    let version = path.strip_prefix("/v1").map(|rest| ("/v1", rest));
    match version {
        _ if base.ends_with(path) => base.to_owned(),
        Some((version, rest)) if base.ends_with(version) => format!("{base}{rest}"),
        _ => format!("{base}{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(base: &str) -> Endpoint {
        Endpoint::at(Protocol::ChatCompletions, base).unwrap()
    }

    fn url(protocol: Protocol, base: &str) -> String {
        Endpoint::at(protocol, base).unwrap().url().to_string()
    }

    #[test]
    fn a_slash_at_the_end_of_the_base_changes_nothing() {
        for (protocol, base, full) in [
            (Protocol::ChatCompletions, "http://127.0.0.1:80/v1", "http://127.0.0.1/v1/chat/completions"),
            (Protocol::ChatCompletions, "http://127.0.0.1/v1/", "http://127.0.0.1/v1/chat/completions"),
            (Protocol::ChatCompletions, "http://h/v1/chat/completions/", "http://h/v1/chat/completions"),
            (Protocol::ChatCompletions, "http://localhost:11434", "http://localhost:11434/chat/completions"),
            (
                Protocol::ChatCompletions,
                "https://h/v1?version=2#x",
                "https://h/v1/chat/completions?version=2",
            ),
            (Protocol::Responses, "https://api.openai.com/v1/", "https://api.openai.com/v1/responses"),
            (Protocol::Messages, "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
            (Protocol::Messages, "https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"),
            (Protocol::Messages, "http://h/anthropic", "http://h/anthropic/v1/messages"),
            (Protocol::Messages, "http://h/v1/messages", "http://h/v1/messages"),
        ] {
            assert_eq!(url(protocol, base), full);
        }
    }

    #[test]
    fn only_http_urls_without_passwords_are_taken_and_no_password_is_repeated() {
        for base in
            ["ftp://example.com", "example.com/v1", "", "http://", "https://me:hunter2@example.com/v1"]
        {
            let error = Endpoint::at(Protocol::Messages, base).unwrap_err().to_string();
            assert!(error.contains("expected a base URL"), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn a_query_is_not_shown() {
        assert_eq!(
            at("https://example.com/v1?key=hunter2").shown(),
            "https://example.com/v1/chat/completions"
        );
    }

    #[test]
    fn somebody_elses_url_gets_no_key_but_the_providers_own_does() {
        assert!(at("https://example.com/v1").takes_key());
        assert!(!at("https://example.com/v1").without_key().takes_key());
        assert!(at("https://api.openai.com/v1/").without_key().takes_key());
        assert!(!at("https://api.openai.com.evil.example/v1").without_key().takes_key());
        assert!(!at("http://api.openai.com/v1").without_key().takes_key());
        for protocol in Protocol::ALL {
            assert!(Endpoint::own(protocol).unwrap().without_key().takes_key());
        }
        let theirs = Endpoint::at(Protocol::Messages, "https://api.openai.com/v1").unwrap();
        assert!(!theirs.without_key().takes_key(), "one provider's key is not for another");
    }

    #[test]
    fn loopback_is_known_by_its_number_and_name() {
        for base in ["http://127.0.0.1/v1", "http://[::1]:8080", "http://localhost", "http://127.9.9.9"] {
            assert!(at(base).is_local(), "{base}");
        }
        for base in ["http://10.0.0.1", "http://localhost.example.com", "https://api.openai.com/v1"] {
            assert!(!at(base).is_local(), "{base}");
        }
    }
}
