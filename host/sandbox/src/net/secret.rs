//! Secrets that the host adds to requests, and nobody else sees.

use std::fmt;
use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};
use thiserror::Error;

use super::header::is_reserved;
use super::host::{Destination, HostGrant, HostProblem, Scheme};
use super::redact::parts_of_basic;

/// The shortest secret. A shorter one could not be told from ordinary text where answers are searched for it.
const MIN_BYTES: usize = 8;

/// The longest secret: what is searched for is held back while an answer streams.
const MAX_BYTES: usize = 4096;

/// Where the value goes in a header's template.
const PLACE: &str = "{}";

/// A secret's value. It is printed nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretValue(Arc<str>);

impl SecretValue {
    /// The value as the environment holds it.
    #[must_use]
    pub fn new(value: String) -> Self {
        Self(value.into())
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretValue(…)")
    }
}

/// A secret that is added to every request to one origin, as one header.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretGrant {
    name: String,
    value: SecretValue,
    origin: Destination,
    header: HeaderName,
    filled: HeaderValue,
}

/// Why a secret cannot be used. The value is in none of these.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SecretProblem {
    /// It has no name that can stand in a text in its place.
    #[error("a secret's name is made of letters, digits, `-` and `_`; {name:?} is not")]
    Name {
        /// As it was written.
        name: String,
    },
    /// Too short to be searched for.
    #[error(
        "the value of secret `{name}` has {bytes} bytes; with fewer than {MIN_BYTES} it could not be told from \
         ordinary text, and so not be kept back"
    )]
    Short {
        /// The secret.
        name: String,
        /// What it has.
        bytes: usize,
    },
    /// Too long for a header.
    #[error("the value of secret `{name}` has {bytes} bytes, and the limit is {MAX_BYTES}")]
    Long {
        /// The secret.
        name: String,
        /// What it has.
        bytes: usize,
    },
    /// It can't stand in a header.
    #[error(
        "the value of secret `{name}` has a line break, a space at an end, or a character outside of ASCII, which \
         a header cannot have"
    )]
    Value {
        /// The secret.
        name: String,
    },
    /// The host is none.
    #[error("secret `{name}`: {problem}")]
    Host {
        /// The secret.
        name: String,
        /// What is wrong with it.
        problem: HostProblem,
    },
    /// The host is many.
    #[error("secret `{name}` belongs to one host, and `{host}` names many")]
    ManyHosts {
        /// The secret.
        name: String,
        /// As it was written.
        host: String,
    },
    /// It would be sent for everybody on the way to read.
    #[error(
        "secret `{name}` would go to `{host}` unencrypted; only to this machine itself it may: use `https`"
    )]
    Unencrypted {
        /// The secret.
        name: String,
        /// As it was written.
        host: String,
    },
    /// The header is none.
    #[error("secret `{name}`: {header:?} is no header to put it into: {reason}")]
    Header {
        /// The secret.
        name: String,
        /// The template as it was written.
        header: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
}

impl SecretGrant {
    /// A secret that the host adds to requests to `host`, such as `https://api.github.com`, as `header`, such as
    /// `Authorization: Bearer {}`, where `{}` is the value's place.
    ///
    /// # Errors
    ///
    /// When one of them is unusable; what the value is stands in no error.
    pub fn new(name: &str, value: SecretValue, host: &str, header: &str) -> Result<Self, SecretProblem> {
        let owned = || name.to_owned();
        let is_named = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(is_named) {
            return Err(SecretProblem::Name { name: owned() });
        }
        let text = value.expose();
        match text.len() {
            bytes if bytes < MIN_BYTES => return Err(SecretProblem::Short { name: owned(), bytes }),
            bytes if bytes > MAX_BYTES => return Err(SecretProblem::Long { name: owned(), bytes }),
            _ => {}
        }
        if text.trim() != text || !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(SecretProblem::Value { name: owned() });
        }
        let grant =
            HostGrant::new(host, &[]).map_err(|problem| SecretProblem::Host { name: owned(), problem })?;
        let origin = grant
            .origin()
            .ok_or_else(|| SecretProblem::ManyHosts { name: owned(), host: host.to_owned() })?;
        if origin.scheme == Scheme::Http && !origin.is_this_machine() {
            return Err(SecretProblem::Unencrypted { name: owned(), host: host.to_owned() });
        }
        let (header, filled) = fill(header, text).map_err(|reason| SecretProblem::Header {
            name: owned(),
            header: header.to_owned(),
            reason: reason.to_owned(),
        })?;
        Ok(Self { name: owned(), value, origin, header, filled })
    }

    /// Whether it is sent there.
    pub(crate) fn belongs_to(&self, destination: &Destination) -> bool {
        self.origin == *destination
    }

    /// The header, with the value in it.
    pub(crate) fn entry(&self) -> (&HeaderName, &HeaderValue) {
        (&self.header, &self.filled)
    }

    /// The value, and what it is made of where that is as secret.
    pub(crate) fn values(&self) -> Vec<String> {
        let mut values = vec![self.value.expose().to_owned()];
        if self.header == AUTHORIZATION
            && self.filled.as_bytes().get(..6).is_some_and(|s| s.eq_ignore_ascii_case(b"basic "))
        {
            values.extend(
                parts_of_basic(self.value.expose()).into_iter().filter(|part| part.len() >= MIN_BYTES),
            );
        }
        values
    }

    /// What it is called, in `roles.toml` and where it was taken out of a text.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The origin to which it is sent, and no other.
    #[must_use]
    pub fn host(&self) -> String {
        self.origin.to_string()
    }

    /// The header in which it is sent, in lower case.
    #[must_use]
    pub fn header(&self) -> &str {
        self.header.as_str()
    }
}

impl fmt::Debug for SecretGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretGrant")
            .field("name", &self.name)
            .field("host", &self.host())
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

/// The header that a template and a value make.
fn fill(template: &str, value: &str) -> Result<(HeaderName, HeaderValue), &'static str> {
    let (name, content) = template.split_once(':').ok_or("write it as in `Authorization: Bearer {}`")?;
    let content = content.trim();
    if content.matches(PLACE).count() != 1 {
        return Err("`{}`, the value's place, stands in it once");
    }
    let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| "its name is no header's")?;
    if is_reserved(&name) {
        return Err("that header is the host's own");
    }
    let mut filled = HeaderValue::from_str(&content.replace(PLACE, value))
        .map_err(|_| "what stands around `{}` can't be in a header")?;
    filled.set_sensitive(true);
    Ok((name, filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = "hunter2-hunter2";

    fn secret(name: &str, value: &str, host: &str, header: &str) -> Result<SecretGrant, SecretProblem> {
        SecretGrant::new(name, SecretValue::new(value.to_owned()), host, header)
    }

    #[test]
    fn a_secret_is_a_header_of_one_origin() {
        let secret = secret("github", VALUE, "https://api.github.com", "Authorization: Bearer {}").unwrap();
        assert_eq!(
            (secret.name(), secret.host().as_str(), secret.header()),
            ("github", "https://api.github.com", "authorization")
        );
        assert_eq!(secret.filled.to_str().unwrap(), "Bearer hunter2-hunter2");
    }

    #[test]
    fn a_value_is_printed_nowhere() {
        let value = SecretValue::new(VALUE.to_owned());
        let secret = secret("github", VALUE, "https://api.github.com", "X-Key: {}").unwrap();
        assert!(!format!("{value:?} {secret:?} {secret:#?}").contains("hunter"));
    }

    #[test]
    fn what_cannot_be_kept_back_or_sent_is_refused_without_saying_it() {
        let (host, header) = ("https://api.github.com", "Authorization: Bearer {}");
        let long = VALUE.repeat(1000);
        for (name, value, host, header, reason) in [
            ("", VALUE, host, header, "a secret's name"),
            ("a b", VALUE, host, header, "a secret's name"),
            ("github", "hunter2", host, header, "has 7 bytes"),
            ("github", "", host, header, "has 0 bytes"),
            ("github", &long, host, header, "the limit is 4096"),
            ("github", "hunter2-hunter2\n", host, header, "line break"),
            ("github", "hunter2\r\nX: y", host, header, "line break"),
            ("github", " hunter2-hunter2", host, header, "a space at an end"),
            ("github", "hünter2-hunter2", host, header, "outside of ASCII"),
            ("github", VALUE, "api.github.com", header, "with its scheme"),
            ("github", VALUE, "https://*.github.com", header, "names many"),
            ("github", VALUE, "http://api.github.com", header, "unencrypted"),
            ("github", VALUE, "http://10.0.0.1", header, "unencrypted"),
            ("github", VALUE, host, "Bearer {}", "write it as in"),
            ("github", VALUE, host, "Authorization: Bearer", "stands in it once"),
            ("github", VALUE, host, "Authorization: {} {}", "stands in it once"),
            ("github", VALUE, host, "Auth orization: {}", "no header's"),
            ("github", VALUE, host, "Host: {}", "the host's own"),
            ("github", VALUE, host, "Proxy-Authorization: {}", "the host's own"),
            ("github", VALUE, host, "X: a\r\nY: {}", "can't be in a header"),
        ] {
            let problem = secret(name, value, host, header).unwrap_err().to_string();
            assert!(
                problem.contains(reason) && !problem.contains("hunter"),
                "{name} {host} {header}: {problem}"
            );
        }
        for host in ["http://127.0.0.1:8080", "http://[::1]", "http://localhost"] {
            assert!(secret("local", VALUE, host, header).is_ok(), "{host}");
        }
    }
}
