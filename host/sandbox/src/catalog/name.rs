//! What plugins and tools may be named, and how tools get their names.

use std::collections::HashMap;
use std::fmt;

use super::{CatalogError, shown};
use crate::shape::snake_case;

/// The longest name that model APIs take, in characters.
const MAX_WIRE_NAME: usize = 64;

/// The plugin name whose tools would look like remit's own: `task`, `task_…`.
const RESERVED: &str = "task";

/// Packages in remit's own namespace that this host knows, and the version line that it knows of each. A
/// component with a later one was made for a later host.
const KNOWN_PACKAGES: [(&str, &str); 3] =
    [("remit:edit", "0.1"), ("remit:files", "0.1"), ("remit:search", "0.1")];

/// Where in a component a function is.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) interface: Option<&'a str>,
    pub(super) function: &'a str,
}

#[derive(Debug, PartialEq)]
pub(super) struct ToolName {
    pub(super) name: String,
    pub(super) wire_name: String,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.interface {
            Some(interface) => write!(f, "{}#{}", shown(interface), shown(self.function)),
            None => write!(f, "{}", shown(self.function)),
        }
    }
}

/// Checks `[a-z][a-z0-9-]*`.
pub(super) fn check_plugin(name: &str) -> Result<(), CatalogError> {
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if !is_name {
        return Err(CatalogError::BadName { name: shown(name) });
    }
    if name == RESERVED {
        return Err(CatalogError::ReservedName { name: name.to_owned() });
    }
    Ok(())
}

/// Refuses an exported interface of a package of remit's own in a version that this host does not know.
pub(super) fn check_version(export: &str) -> Result<(), CatalogError> {
    let Some((package, rest)) = export.split_once('/') else {
        return Ok(());
    };
    let Some((_, expected)) = KNOWN_PACKAGES.iter().find(|(known, _)| *known == package) else {
        return Ok(());
    };
    let version = rest.split_once('@').map(|(_, version)| version);
    let is_known = version.is_some_and(|version| {
        version.strip_prefix(expected).is_some_and(|patch| patch.is_empty() || patch.starts_with('.'))
    });
    if is_known {
        return Ok(());
    }
    Err(CatalogError::OtherVersion {
        package: package.to_owned(),
        expected: (*expected).to_owned(),
        found: version.map_or("no version".to_owned(), shown),
    })
}

/// Names the tools of a plugin: `plugin.function`, and `plugin.interface.function` where two interfaces have a
/// function of that name.
pub(super) fn assign(plugin: &str, places: &[Place<'_>]) -> Result<Vec<ToolName>, CatalogError> {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for place in places {
        *uses.entry(snake_case(place.function)).or_default() += 1;
    }
    let mut taken: HashMap<String, Place<'_>> = HashMap::new();
    let mut names = Vec::with_capacity(places.len());
    for &place in places {
        let function = snake_case(place.function);
        let is_shared = uses.get(&function).is_some_and(|&uses| uses > 1);
        let parts = match place.interface {
            Some(interface) if is_shared => vec![plugin.to_owned(), short_name(interface), function],
            _ => vec![plugin.to_owned(), function],
        };
        let (name, wire_name) = (parts.join("."), parts.join("__"));
        if let Some(first) = taken.insert(name.clone(), place) {
            return Err(CatalogError::Clash { name, first: first.to_string(), second: place.to_string() });
        }
        if wire_name.len() > MAX_WIRE_NAME {
            let (wire_name, length) = (shown(&wire_name), wire_name.len());
            return Err(CatalogError::NameTooLong { wire_name, length, limit: MAX_WIRE_NAME });
        }
        names.push(ToolName { name, wire_name });
    }
    Ok(names)
}

/// `remit:files/files@0.1.0` as `files`.
fn short_name(interface: &str) -> String {
    let unversioned = interface.split_once('@').map_or(interface, |(name, _)| name);
    snake_case(unversioned.rsplit('/').next().unwrap_or(unversioned))
}
