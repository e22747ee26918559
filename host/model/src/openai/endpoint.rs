use std::net::IpAddr;

use reqwest::Url;

use crate::ModelError;

/// The base URL of OpenAI's own API.
pub const OPENAI_URL: &str = "https://api.openai.com/v1";

/// Where Chat Completions are asked for, and whether the user's key may go there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    url: Url,
    own: bool,
    takes_key: bool,
}

impl Endpoint {
    /// OpenAI's own. It needs a key.
    ///
    /// # Errors
    ///
    /// None that a caller can meet.
    pub fn openai() -> Result<Endpoint, ModelError> {
        Endpoint::at(OPENAI_URL)
    }

    /// A base URL that the user set, such as `http://127.0.0.1:8080/v1`; with or without a slash at its end. It gets the
    /// user's key if there is one.
    ///
    /// # Errors
    ///
    /// [`ModelError::Configuration`] if it isn't an `http` or `https` URL, or holds a password.
    pub fn at(base: &str) -> Result<Endpoint, ModelError> {
        let bad = |why: &str| ModelError::Configuration {
            message: format!(
                "expected a base URL such as {OPENAI_URL} or http://127.0.0.1:8080/v1, found {why}"
            ),
        };
        // The text is not repeated where it may hold a password.
        let mut url = Url::parse(base).map_err(|error| bad(&format!("one that can't be read ({error})")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad(&format!("the scheme `{}`", url.scheme())));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("one with a user name or password; a key belongs in OPENAI_API_KEY"));
        }
        url.set_fragment(None);
        let path = format!("{}/chat/completions", url.path().trim_end_matches('/'));
        url.set_path(&path);
        let own = url.as_str() == concat!("https://api.openai.com/v1", "/chat/completions");
        Ok(Endpoint { url, own, takes_key: true })
    }

    /// The same, but never sent the user's key unless it is OpenAI's own: for a URL that somebody else wrote, such as
    /// the author of a workspace's file.
    pub fn without_key(mut self) -> Endpoint {
        self.takes_key = self.own;
        self
    }

    /// Whether this is OpenAI's own.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn url(base: &str) -> String {
        Endpoint::at(base).unwrap().url().to_string()
    }

    #[test]
    fn a_slash_at_the_end_of_the_base_changes_nothing() {
        assert_eq!(url("http://127.0.0.1:8080/v1"), "http://127.0.0.1:8080/v1/chat/completions");
        assert_eq!(url("http://127.0.0.1:8080/v1/"), "http://127.0.0.1:8080/v1/chat/completions");
        assert_eq!(url("http://localhost:11434"), "http://localhost:11434/chat/completions");
        assert_eq!(
            url("https://example.com/v1?version=2#x"),
            "https://example.com/v1/chat/completions?version=2"
        );
    }

    #[test]
    fn only_http_urls_without_passwords_are_taken_and_no_password_is_repeated() {
        for base in
            ["ftp://example.com", "example.com/v1", "", "http://", "https://me:hunter2@example.com/v1"]
        {
            let error = Endpoint::at(base).unwrap_err().to_string();
            assert!(error.contains("expected a base URL"), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn a_query_is_not_shown() {
        let endpoint = Endpoint::at("https://example.com/v1?key=hunter2").unwrap();
        assert_eq!(endpoint.shown(), "https://example.com/v1/chat/completions");
    }

    #[test]
    fn somebody_elses_url_gets_no_key_but_openais_own_does() {
        assert!(Endpoint::at("https://example.com/v1").unwrap().takes_key());
        assert!(!Endpoint::at("https://example.com/v1").unwrap().without_key().takes_key());
        assert!(Endpoint::at("https://api.openai.com/v1/").unwrap().without_key().takes_key());
        assert!(!Endpoint::at("https://api.openai.com.evil.example/v1").unwrap().without_key().takes_key());
        assert!(!Endpoint::at("http://api.openai.com/v1").unwrap().without_key().takes_key());
    }

    #[test]
    fn loopback_is_known_by_its_number_and_name() {
        for base in ["http://127.0.0.1/v1", "http://[::1]:8080", "http://localhost", "http://127.9.9.9"] {
            assert!(Endpoint::at(base).unwrap().is_local(), "{base}");
        }
        for base in ["http://10.0.0.1", "http://localhost.example.com", "https://api.openai.com/v1"] {
            assert!(!Endpoint::at(base).unwrap().is_local(), "{base}");
        }
    }
}
