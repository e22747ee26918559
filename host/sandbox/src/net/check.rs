//! What a request has to be before anything of it leaves.

use http::header::HOST;
use http::request::Parts;
use http::{HeaderValue, Uri};
use remit_pack::inert;

use super::host::Destination;
use crate::grant::Grants;

/// The longest URL, in bytes: what servers in use take at most.
const MAX_URL: usize = 8192;

/// A request that may be sent, as far as it can be told from its words.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) destination: Destination,
    /// Without secrets.
    pub(crate) url: String,
    /// Whether the grant names the host by its address.
    pub(crate) names_address: bool,
}

/// A request that may not be sent.
#[derive(Debug)]
pub(crate) struct Forbidden {
    /// Its method and its URL, without secrets.
    pub(crate) request: String,
    pub(crate) reason: String,
}

/// Checks a request, by its words alone: nothing is looked up.
///
/// # Errors
///
/// What is against it.
pub(crate) fn check(parts: &Parts, grants: &Grants) -> Result<Checked, Forbidden> {
    let redactor = grants.redactor();
    let url = parts.uri.to_string();
    let shown = grants.redacted(url.clone());
    let shown = inert(&shown[..shown.floor_char_boundary(MAX_URL)]).into_owned();
    let forbid = |reason: String| Forbidden {
        request: grants.redacted(format!("{} {shown}", parts.method)),
        reason: grants.redacted(reason),
    };

    let authority = parts.uri.authority().map_or("", |authority| authority.as_str());
    let destination =
        Destination::parse(parts.uri.scheme_str().unwrap_or_default(), authority).map_err(&forbid)?;
    if url.len() > MAX_URL {
        return Err(forbid(format!("a URL has at most {MAX_URL} bytes")));
    }
    let of_host: Vec<_> = grants.hosts().iter().filter(|grant| grant.is_of(&destination)).collect();
    if of_host.is_empty() {
        let hosts: Vec<_> = grants.hosts().iter().map(|grant| format!("`{}`", grant.url())).collect();
        return Err(forbid(match hosts.is_empty() {
            true => "no host is granted".to_owned(),
            false => format!("`{destination}` is not among the hosts granted: {}", hosts.join(", ")),
        }));
    }
    let method = parts.method.as_str();
    if !of_host.iter().any(|grant| grant.allows_method(method)) {
        let methods: Vec<_> = of_host.iter().flat_map(|grant| grant.methods()).collect();
        return Err(forbid(format!(
            "the method `{method}` is not granted for `{destination}`, only {}",
            methods.join(", ")
        )));
    }
    if let Some(redactor) = redactor {
        let carries = |text: &[u8], what: &str| match redactor.find(text) {
            Some(mark) => Err(forbid(format!("{what} has a secret in it: {mark}"))),
            None => Ok(()),
        };
        carries(url.as_bytes(), "its URL")?;
        for (name, value) in &parts.headers {
            carries(name.as_str().as_bytes(), "a header's name")?;
            carries(value.as_bytes(), &format!("the header `{name}`"))?;
        }
    }
    let names_address = of_host.iter().any(|grant| grant.names_address());
    Ok(Checked { destination, url: shown, names_address })
}

/// Makes the request one to the destination itself, whatever the component wrote.
///
/// # Errors
///
/// When the path is none.
pub(crate) fn address(parts: &mut Parts, destination: &Destination) -> Result<(), String> {
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let path = match path.as_bytes().first() {
        Some(b'/') => path.to_owned(),
        None | Some(b'?') => format!("/{path}"),
        Some(_) => return Err(format!("a path begins with `/`, and `{}` does not", inert(path))),
    };
    parts.uri = Uri::try_from(path).map_err(|error| format!("its path is none: {error}"))?;
    let host = destination.authority();
    parts.headers.insert(HOST, HeaderValue::try_from(host).map_err(|error| error.to_string())?);
    Ok(())
}
