use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::SettingProblem;

/// The most header fields that can be added. Stops a file from making every request large.
pub const MAX_HEADERS: usize = 16;

/// The longest value of one, in bytes; for the same reason.
pub const MAX_HEADER_BYTES: usize = 1024;

/// What is remit's, or the connection's, to say.
const OWN: [&str; 18] = [
    "accept",
    "accept-encoding",
    "anthropic-version",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
];

/// Parts of names of fields that say who asks. None may take a key's place, and none belongs in a file of roles, which is
/// often somebody else's and mostly in a repository.
const SECRET: [&str; 9] =
    ["auth", "cookie", "credential", "key", "passw", "secret", "session", "signature", "token"];

/// Header fields besides those of the protocol. None of them can say who asks, or change what the request is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtraHeaders(Vec<(HeaderName, HeaderValue)>);

impl ExtraHeaders {
    pub(super) const NONE: ExtraHeaders = ExtraHeaders(Vec::new());

    /// Adds a field.
    ///
    /// # Errors
    ///
    /// For one that is remit's own, that could hold a secret, or that can't be sent.
    pub fn add(&mut self, name: &str, value: &str) -> Result<(), SettingProblem> {
        let bad = || SettingProblem::HeaderName(name.to_owned());
        let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        let not_free = |why| Err(SettingProblem::HeaderNotFree(name.to_owned(), why));
        if OWN.contains(&known.as_str()) {
            return not_free("it is remit's own");
        }
        if SECRET.iter().any(|part| known.as_str().contains(part)) {
            return not_free("a key comes from the environment, never from a file of roles");
        }
        let is_visible = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if !is_visible || value.len() > MAX_HEADER_BYTES || value.trim().is_empty() {
            return Err(SettingProblem::HeaderValue(name.to_owned()));
        }
        if self.0.iter().any(|(there, _)| *there == known) {
            return not_free("it is there already");
        }
        if self.0.len() == MAX_HEADERS {
            return Err(SettingProblem::TooManyHeaders);
        }
        let value = HeaderValue::from_str(value.trim());
        let value = value.map_err(|_| SettingProblem::HeaderValue(name.to_owned()))?;
        self.0.push((known, value));
        Ok(())
    }

    /// Name and value of each.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap_or_default()))
    }

    /// `headers` with these; what is there already stays.
    pub(crate) fn added_to(&self, mut headers: HeaderMap) -> HeaderMap {
        for (name, value) in &self.0 {
            if !headers.contains_key(name) {
                headers.insert(name.clone(), value.clone());
            }
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_takes_the_place_of_a_key_or_changes_the_request() {
        let names = [
            "Authorization",
            "x-api-key",
            "API-KEY",
            "x-goog-api-key",
            "Proxy-Authorization",
            "Cookie",
            "X-Auth-Token",
            "x-amz-security-token",
            "Host",
            "Content-Length",
            "transfer-encoding",
            "content-type",
            "anthropic-version",
            "connection",
        ];
        for name in names {
            let added = ExtraHeaders::default().add(name, "x");
            assert!(matches!(added, Err(SettingProblem::HeaderNotFree(..))), "{name}: {added:?}");
        }
    }

    #[test]
    fn no_field_smuggles_another_in() {
        for (name, value) in [("x\r\ny", "1"), ("x y", "1"), ("", "1"), ("x:", "1"), ("ü", "1")] {
            let added = ExtraHeaders::default().add(name, value);
            assert!(matches!(added, Err(SettingProblem::HeaderName(_))), "{name:?}: {added:?}");
        }
        let long = "x".repeat(MAX_HEADER_BYTES + 1);
        for value in ["a\r\nauthorization: b", "a\0", "ü", "", " ", long.as_str()] {
            let added = ExtraHeaders::default().add("x-title", value);
            assert!(matches!(added, Err(SettingProblem::HeaderValue(_))), "{value:?}: {added:?}");
        }
    }

    #[test]
    fn there_is_an_end_to_them() {
        let mut headers = ExtraHeaders::default();
        for number in 0..MAX_HEADERS {
            headers.add(&format!("x-{number}"), "1").unwrap();
        }
        assert_eq!(headers.add("x-more", "1"), Err(SettingProblem::TooManyHeaders));
        assert_eq!(headers.iter().count(), MAX_HEADERS);
        let twice = headers.add("X-1", "2").unwrap_err().to_string();
        assert_eq!(twice, "`X-1` may not be set here: it is there already");
    }
}
