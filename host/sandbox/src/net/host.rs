//! Hosts that a grant names.

use std::collections::BTreeSet;
use std::fmt;

use thiserror::Error;
use url::{Host, Url};

/// What every grant of a host allows.
const ALWAYS: [&str; 2] = ["GET", "HEAD"];

/// Methods that no grant gives: the one asks for a tunnel to anywhere, the other sends a request's headers back, secrets
/// among them.
const NEVER: [&str; 2] = ["CONNECT", "TRACE"];

/// A host that requests may be sent to: scheme, name and port, and which methods.
///
/// It is decided by the letters of the name alone. What the name stands for is looked up, and checked, when a request is
/// sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostGrant {
    scheme: Scheme,
    name: Name,
    port: u16,
    /// In capitals, with those that are always there.
    methods: BTreeSet<String>,
}

/// Why a URL names no host that can be granted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cannot grant {url:?}: {reason}")]
pub struct HostProblem {
    /// The URL as it was written.
    pub url: String,
    /// What is wrong, and what would be right.
    pub reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

/// What stands between the scheme and the port, in its one spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    /// This host.
    Exactly(Host),
    /// Every host under this domain, and not the domain itself.
    Under(String),
}

/// Where a request is to go: the origin, taken apart and in its one spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Destination {
    pub(crate) scheme: Scheme,
    pub(crate) host: Host,
    pub(crate) port: u16,
}

impl Scheme {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl Destination {
    /// Takes the origin of a URL apart: `scheme://host` or `scheme://host:port`.
    ///
    /// # Errors
    ///
    /// When there is a name or password in it, when the scheme is another, or when the host is not written in its one
    /// spelling: `127.1` and `0x7f000001` are 127.0.0.1 to some and a name to others, and must not be two things here.
    pub(crate) fn parse(scheme: &str, authority: &str) -> Result<Self, String> {
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err("the scheme is `http` or `https`".to_owned()),
        };
        if authority.contains('@') {
            return Err("a URL holds no user and no password".to_owned());
        }
        if authority.contains(|c: char| c.is_ascii_control() || c.is_whitespace() || "/\\?#%".contains(c)) {
            return Err("this is no host".to_owned());
        }
        let url = Url::parse(&format!("{}://{authority}/", scheme.as_str()));
        let url = url.map_err(|error| format!("this is no host: {error}"))?;
        let host = url.host().ok_or("there is no host in it")?.to_owned();
        let port = url.port().unwrap_or(scheme.default_port());
        if port == 0 {
            return Err("port 0 is none".to_owned());
        }
        let written = without_port(authority);
        let spelling = host.to_string();
        if written.ends_with('.') {
            return Err(format!(
                "a host is written without a dot at its end: `{}`",
                spelling.trim_end_matches('.')
            ));
        }
        if !written.eq_ignore_ascii_case(&spelling) {
            return Err(format!("the host is written `{spelling}`"));
        }
        if let Host::Domain(name) = &host {
            check_labels(name)?;
        }
        Ok(Self { scheme, host, port })
    }

    /// Host and port, the port only where it is not the scheme's own: as the header `Host` has it.
    pub(crate) fn authority(&self) -> String {
        match self.port == self.scheme.default_port() {
            true => self.host.to_string(),
            false => format!("{}:{}", self.host, self.port),
        }
    }

    /// Whether what is sent there can be read by nobody on the way.
    pub(crate) fn is_this_machine(&self) -> bool {
        match &self.host {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        }
    }
}

/// As a URL has it: `https://docs.rs`, the port only where it is not the scheme's own.
impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.as_str(), self.authority())
    }
}

impl HostGrant {
    /// A host, as `https://docs.rs`, `https://*.wikipedia.org` (every host under that domain, and not the domain itself)
    /// or `http://localhost:8080`, with GET, HEAD and `methods`.
    ///
    /// # Errors
    ///
    /// When the URL has more than scheme, host and port, when the host is not in its one spelling (lower case or
    /// not), or when a method is none that can be granted.
    pub fn new(url: &str, methods: &[&str]) -> Result<Self, HostProblem> {
        let refuse = |reason: String| HostProblem { url: url.to_owned(), reason };
        let (scheme, rest) = url
            .split_once("://")
            .ok_or_else(|| refuse("a host is written with its scheme, as in `https://docs.rs`".to_owned()))?;
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        if authority.contains(['/', '?', '#']) {
            return Err(refuse(
                "a grant is of a host as a whole, without path, query or fragment".to_owned(),
            ));
        }
        let base = authority.strip_prefix("*.");
        if base.unwrap_or(authority).contains('*') {
            return Err(refuse(
                "`*` stands for whole labels, at the beginning: `https://*.example.org`".to_owned(),
            ));
        }
        let Destination { scheme, host, port } =
            Destination::parse(scheme, base.unwrap_or(authority)).map_err(refuse)?;
        let name = match (base, host) {
            (None, host) => Name::Exactly(host),
            (Some(_), Host::Domain(base)) if base.contains('.') => Name::Under(base),
            (Some(_), Host::Domain(base)) => {
                return Err(refuse(format!("`*.{base}` would be too many hosts: name a domain below it")));
            }
            (Some(_), _) => return Err(refuse("an address has nothing under it".to_owned())),
        };
        let mut all: BTreeSet<String> = ALWAYS.map(str::to_owned).into();
        for method in methods {
            check_method(method).map_err(refuse)?;
            all.insert((*method).to_owned());
        }
        Ok(Self { scheme, name, port, methods: all })
    }

    /// Whether everything that `other` allows is allowed by this one. Decided by syntax.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let names = match (&self.name, &other.name) {
            (Name::Under(domain), Name::Under(below)) => domain == below || is_below(below, domain),
            (_, Name::Exactly(host)) => self.name.is_of(host),
            (Name::Exactly(_), Name::Under(_)) => false,
        };
        names
            && self.scheme == other.scheme
            && self.port == other.port
            && self.methods.is_superset(&other.methods)
    }

    /// What of it lies at the hosts that `places` names, whatever that allows there; nothing if there is nothing.
    #[must_use]
    pub fn within(&self, places: &Self) -> Option<Self> {
        let there = Self { methods: self.methods.clone(), ..places.clone() };
        if self.covers(&there) {
            return Some(there);
        }
        there.covers(self).then(|| self.clone())
    }

    /// The URL alone, without the methods: `https://docs.rs`.
    #[must_use]
    pub fn url(&self) -> String {
        Self { methods: BTreeSet::new(), ..self.clone() }.to_string()
    }

    /// Whether it allows more than GET and HEAD.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.methods.len() > ALWAYS.len()
    }

    /// What it allows, in capitals, in the order of the alphabet; GET and HEAD among them.
    pub fn methods(&self) -> impl Iterator<Item = &str> {
        self.methods.iter().map(String::as_str)
    }

    /// The one origin that it names; none where it names many.
    pub(crate) fn origin(&self) -> Option<Destination> {
        match &self.name {
            Name::Exactly(host) => {
                Some(Destination { scheme: self.scheme, host: host.clone(), port: self.port })
            }
            Name::Under(_) => None,
        }
    }
}

impl HostGrant {
    /// Whether requests may go there, whatever their method.
    pub(crate) fn is_of(&self, destination: &Destination) -> bool {
        self.scheme == destination.scheme
            && self.port == destination.port
            && self.name.is_of(&destination.host)
    }

    pub(crate) fn allows_method(&self, method: &str) -> bool {
        self.methods.contains(method)
    }

    /// Whether it names one host of which the address is in the name: an address, or `localhost`. Such a host may be a
    /// private one, because whoever wrote the grant saw that it is.
    pub(crate) fn names_address(&self) -> bool {
        match &self.name {
            Name::Exactly(Host::Domain(name)) => name == "localhost",
            Name::Exactly(_) => true,
            Name::Under(_) => false,
        }
    }
}

/// As the file would say it: the URL alone, or a table with the methods that come on top.
impl fmt::Display for HostGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more: Vec<_> = self.methods().filter(|method| !ALWAYS.contains(method)).collect();
        if !more.is_empty() {
            f.write_str("{ url = \"")?;
        }
        write!(f, "{}://", self.scheme.as_str())?;
        match &self.name {
            Name::Exactly(host) => write!(f, "{host}")?,
            Name::Under(domain) => write!(f, "*.{domain}")?,
        }
        write_port(f, self.scheme, self.port)?;
        if !more.is_empty() {
            write!(f, "\", methods = {more:?} }}")?;
        }
        Ok(())
    }
}

impl Name {
    fn is_of(&self, host: &Host) -> bool {
        match (self, host) {
            (Self::Exactly(own), host) => own == host,
            (Self::Under(domain), Host::Domain(name)) => is_below(name, domain),
            (Self::Under(_), _) => false,
        }
    }
}

/// Whether `name` has one or more labels before `domain`. Both are in their one spelling.
fn is_below(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain).is_some_and(|labels| labels.len() > 1 && labels.ends_with('.'))
}

fn write_port(f: &mut fmt::Formatter<'_>, scheme: Scheme, port: u16) -> fmt::Result {
    if port == scheme.default_port() { Ok(()) } else { write!(f, ":{port}") }
}

/// The host of an authority without user and password.
fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        // Within the brackets of an IPv6 address a colon parts no port.
        Some((host, port)) if !port.contains(']') => host,
        _ => authority,
    }
}

/// What the URL standard lets through, and names in use don't have.
fn check_labels(name: &str) -> Result<(), String> {
    let is_label = |label: &str| {
        let is_inside =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        !label.is_empty() && label.len() <= 63 && label.bytes().all(is_inside)
    };
    if name.len() <= 253 && name.split('.').all(is_label) {
        Ok(())
    } else {
        Err("a host is made of labels of letters, digits and `-`, with dots between".to_owned())
    }
}

fn check_method(method: &str) -> Result<(), String> {
    if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-') {
        return Err(format!("{method:?} is no method: they are written in capitals, as in `POST`"));
    }
    if NEVER.contains(&method) {
        return Err(format!("{method} is never granted"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(url: &str) -> HostGrant {
        HostGrant::new(url, &[]).unwrap()
    }

    fn allows(grant: &str, scheme: &str, authority: &str) -> bool {
        Destination::parse(scheme, authority).is_ok_and(|destination| self::grant(grant).is_of(&destination))
    }

    #[test]
    fn a_host_is_granted_with_its_scheme_and_port_and_nothing_beside_it() {
        for (scheme, authority, is_granted) in [
            ("https", "docs.rs", true),
            ("https", "DOCS.rs", true),
            ("HTTPS", "docs.rs:443", true),
            ("http", "docs.rs", false),
            ("https", "docs.rs:444", false),
            ("https", "docs.rs.", false),
            ("https", "docs.rs.evil.com", false),
            ("https", "evildocs.rs", false),
            ("https", "a.docs.rs", false),
            ("https", "docs.rs\0.evil", false),
            ("https", "docs.rs@evil.com", false),
            ("https", "user:pass@docs.rs", false),
            ("https", "dοcs.rs", false),
            ("https", "docs.rs%2eevil.com", false),
            ("https", "docs.rs:0", false),
            ("https", "docs.rs/", false),
            ("https", "", false),
        ] {
            assert_eq!(allows("https://docs.rs", scheme, authority), is_granted, "{scheme} {authority:?}");
        }
    }

    #[test]
    fn a_star_stands_for_whole_labels_and_never_for_none() {
        for (host, is_granted) in [
            ("en.wikipedia.org", true),
            ("a.b.wikipedia.org", true),
            ("wikipedia.org", false),
            (".wikipedia.org", false),
            ("notwikipedia.org", false),
            ("en.wikipedia.org.evil.com", false),
        ] {
            assert_eq!(allows("https://*.wikipedia.org", "https", host), is_granted, "{host}");
        }
    }

    #[test]
    fn an_address_has_one_spelling() {
        for (host, is_granted) in [
            ("127.0.0.1", true),
            ("127.1", false),
            ("0x7f000001", false),
            ("2130706433", false),
            ("0177.0.0.1", false),
            ("[::ffff:127.0.0.1]", false),
            ("localhost", false),
        ] {
            assert_eq!(allows("http://127.0.0.1", "http", host), is_granted, "{host}");
        }
        assert!(allows("http://[::1]:8080", "http", "[::1]:8080"));
        assert!(!allows("http://[::1]:8080", "http", "[0::1]:8080"));
        assert_eq!(grant("http://[::1]:8080").to_string(), "http://[::1]:8080");
    }

    #[test]
    fn what_cannot_be_granted_says_why() {
        for (url, reason) in [
            ("docs.rs", "with its scheme"),
            ("ftp://docs.rs", "`http` or `https`"),
            ("https://docs.rs/a", "without path"),
            ("https://docs.rs?a", "without path"),
            ("https://docs.rs#a", "without path"),
            ("https://me:word@docs.rs", "no user and no password"),
            ("https://", "no host"),
            ("https://*", "whole labels"),
            ("https://*.com", "too many hosts"),
            ("https://a*.com", "whole labels"),
            ("https://a.*.com", "whole labels"),
            ("https://*.10.0.0.1", "an address has nothing under it"),
            ("https://docs.rs:port", "no host"),
            ("https://docs.rs:70000", "no host"),
            ("https://docs .rs", "no host"),
            ("https://docs.rs.", "without a dot at its end: `docs.rs`"),
            ("https://bücher.example", "the host is written `xn--bcher-kva.example`"),
            ("http://127.1", "the host is written `127.0.0.1`"),
            ("https://a..b", "labels"),
            ("https://a!b.org", "labels"),
        ] {
            let problem = HostGrant::new(url, &[]).unwrap_err();
            assert!(problem.reason.contains(reason), "{url}: {problem}");
        }
        for (method, reason) in [
            ("post", "in capitals"),
            ("", "in capitals"),
            ("PO ST", "in capitals"),
            ("CONNECT", "never granted"),
            ("TRACE", "never granted"),
        ] {
            let problem = HostGrant::new("https://docs.rs", &[method]).unwrap_err();
            assert!(problem.reason.contains(reason), "{method}: {problem}");
        }
    }

    #[test]
    fn a_grant_is_shown_as_the_file_would_say_it() {
        assert_eq!(grant("HTTPS://Docs.RS:443/").to_string(), "https://docs.rs");
        assert_eq!(grant("http://*.example.org:8080").to_string(), "http://*.example.org:8080");
        let writable = HostGrant::new("https://api.example.org", &["POST", "GET", "DELETE"]).unwrap();
        assert_eq!(
            writable.to_string(),
            r#"{ url = "https://api.example.org", methods = ["DELETE", "POST"] }"#
        );
        assert!(writable.is_writable() && !grant("https://docs.rs").is_writable());
        assert_eq!(writable.methods().collect::<Vec<_>>(), ["DELETE", "GET", "HEAD", "POST"]);
        assert!(writable.allows_method("POST") && !writable.allows_method("PUT"));
    }

    #[test]
    fn one_grant_covers_another_only_where_all_of_it_lies_within() {
        for (wide, narrow, covers) in [
            ("https://docs.rs", "https://docs.rs", true),
            ("https://docs.rs", "http://docs.rs", false),
            ("https://docs.rs", "https://docs.rs:8443", false),
            ("https://*.wikipedia.org", "https://en.wikipedia.org", true),
            ("https://*.wikipedia.org", "https://*.wikipedia.org", true),
            ("https://*.wikipedia.org", "https://*.m.wikipedia.org", true),
            ("https://*.wikipedia.org", "https://wikipedia.org", false),
            ("https://*.m.wikipedia.org", "https://*.wikipedia.org", false),
            ("https://en.wikipedia.org", "https://*.wikipedia.org", false),
            ("https://*.a.org", "https://*.aa.a.org", true),
            ("https://*.a.org", "https://*.aa.org", false),
        ] {
            assert_eq!(grant(wide).covers(&grant(narrow)), covers, "{wide} and {narrow}");
        }
        let writable = HostGrant::new("https://*.docs.rs", &["POST"]).unwrap();
        assert!(writable.covers(&HostGrant::new("https://a.docs.rs", &["POST"]).unwrap()));
        assert!(writable.covers(&grant("https://a.docs.rs")));
        assert!(!grant("https://*.docs.rs").covers(&writable));
    }

    #[test]
    fn what_lies_within_places_keeps_its_methods() {
        let api = HostGrant::new("https://*.example.org", &["POST"]).unwrap();
        let part = api.within(&grant("https://a.example.org")).unwrap();
        assert_eq!(part, HostGrant::new("https://a.example.org", &["POST"]).unwrap());
        assert_eq!(part.within(&grant("https://*.example.org")), Some(part.clone()));
        assert_eq!(part.within(&grant("https://b.example.org")), None);
        assert_eq!(part.url(), "https://a.example.org");
    }

    #[test]
    fn only_an_address_or_localhost_may_be_a_private_host() {
        for (url, names_address) in [
            ("http://10.0.0.1", true),
            ("http://[::1]", true),
            ("http://localhost:8080", true),
            ("http://db.localhost", false),
            ("http://*.a.localhost", false),
            ("http://intranet.example.org", false),
        ] {
            assert_eq!(grant(url).names_address(), names_address, "{url}");
        }
    }
}
