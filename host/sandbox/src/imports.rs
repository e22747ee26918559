//! What a component imports, and so the most that it could ever touch.

use std::fmt;

use remit_pack::inert;
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

use crate::command;

/// The WASI release whose interfaces the host provides; a later patch release of it may be asked for too.
const WASI: &str = "0.2";

/// The interfaces that `wasmtime-wasi` and `wasmtime-wasi-http` 48 provide of WASI 0.2, and what each is about.
const KNOWN: [(&str, ImportKind); 29] = [
    ("wasi:cli/environment", ImportKind::Environment),
    ("wasi:cli/exit", ImportKind::Environment),
    ("wasi:cli/stderr", ImportKind::Stdio),
    ("wasi:cli/stdin", ImportKind::Stdio),
    ("wasi:cli/stdout", ImportKind::Stdio),
    ("wasi:cli/terminal-input", ImportKind::Stdio),
    ("wasi:cli/terminal-output", ImportKind::Stdio),
    ("wasi:cli/terminal-stderr", ImportKind::Stdio),
    ("wasi:cli/terminal-stdin", ImportKind::Stdio),
    ("wasi:cli/terminal-stdout", ImportKind::Stdio),
    ("wasi:clocks/monotonic-clock", ImportKind::Clock),
    ("wasi:clocks/wall-clock", ImportKind::Clock),
    ("wasi:filesystem/preopens", ImportKind::Filesystem),
    ("wasi:filesystem/types", ImportKind::Filesystem),
    ("wasi:http/outgoing-handler", ImportKind::Http),
    ("wasi:http/types", ImportKind::Http),
    ("wasi:io/error", ImportKind::Io),
    ("wasi:io/poll", ImportKind::Io),
    ("wasi:io/streams", ImportKind::Io),
    ("wasi:random/insecure", ImportKind::Random),
    ("wasi:random/insecure-seed", ImportKind::Random),
    ("wasi:random/random", ImportKind::Random),
    ("wasi:sockets/instance-network", ImportKind::Network),
    ("wasi:sockets/ip-name-lookup", ImportKind::Network),
    ("wasi:sockets/network", ImportKind::Network),
    ("wasi:sockets/tcp", ImportKind::Network),
    ("wasi:sockets/tcp-create-socket", ImportKind::Network),
    ("wasi:sockets/udp", ImportKind::Network),
    ("wasi:sockets/udp-create-socket", ImportKind::Network),
];

/// Something that a component imports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Import {
    /// Its full name, for example `wasi:filesystem/types@0.2.6`.
    pub name: String,
    /// What it is about.
    pub kind: ImportKind,
}

/// What an import is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ImportKind {
    /// `wasi:filesystem`.
    Filesystem,
    /// `wasi:sockets`.
    Network,
    /// `wasi:http`.
    Http,
    /// Standard input, output and error, and whether they are terminals.
    Stdio,
    /// Environment variables, arguments, the exit code.
    Environment,
    /// `wasi:clocks`.
    Clock,
    /// `wasi:random`.
    Random,
    /// `remit:command`.
    Command,
    /// `wasi:io`: the streams and waiting that the others are made of.
    Io,
    /// Types that the component shares with others; there is nothing to call.
    Types,
    /// Anything else.
    Unknown,
}

impl ImportKind {
    /// The most that a component with such an import could ever touch, whatever a role grants.
    pub fn could_touch(self) -> &'static str {
        match self {
            ImportKind::Filesystem => "files and directories that its role grants",
            ImportKind::Network => "nothing: sockets are linked, and every use of one is refused",
            ImportKind::Http => "requests to hosts that its role grants",
            ImportKind::Stdio => "its own captured output; its input is empty",
            ImportKind::Environment => "nothing: no variables, no arguments",
            ImportKind::Clock => "the time of day, and waiting",
            ImportKind::Random => "random numbers",
            ImportKind::Command => "commands that its role grants",
            ImportKind::Io | ImportKind::Types => "nothing by itself",
            ImportKind::Unknown => "nothing: the host does not provide it",
        }
    }
}

/// An import that the host cannot satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownImport {
    /// Its full name.
    pub name: String,
    /// Why not: what is provided instead, and what was found.
    pub reason: String,
}

impl fmt::Display for UnknownImport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.name, self.reason)
    }
}

/// Everything that the component imports, in its own order.
pub(crate) fn imports(engine: &Engine, component: &Component) -> Vec<Import> {
    let ty = component.component_type();
    let imports = ty.imports(engine).map(|(name, item)| {
        let kind = if is_called(engine, &item.ty) { kind(name) } else { ImportKind::Types };
        Import { name: inert(name).into_owned(), kind }
    });
    imports.collect()
}

/// The imports that the host cannot satisfy. A component that has one is not to be instantiated.
pub(crate) fn unknown(engine: &Engine, component: &Component) -> Vec<UnknownImport> {
    let ty = component.component_type();
    ty.imports(engine)
        .filter(|(_, item)| is_called(engine, &item.ty))
        .filter_map(|(name, _)| {
            let reason = refusal(name)?;
            Some(UnknownImport { name: inert(name).into_owned(), reason })
        })
        .collect()
}

/// Whether the host has to provide something for it. An instance that only shares types needs nothing.
fn is_called(engine: &Engine, item: &ComponentItem) -> bool {
    match item {
        ComponentItem::Type(_) | ComponentItem::Resource(_) => false,
        ComponentItem::ComponentInstance(instance) => {
            instance.exports(engine).any(|(_, item)| is_called(engine, &item.ty))
        }
        ComponentItem::ComponentFunc(_)
        | ComponentItem::CoreFunc(_)
        | ComponentItem::Module(_)
        | ComponentItem::Component(_) => true,
    }
}

fn kind(name: &str) -> ImportKind {
    let interface = name.split_once('@').map_or(name, |(interface, _)| interface);
    match KNOWN.iter().find(|(known, _)| *known == interface) {
        Some((_, kind)) => *kind,
        None if interface == command::INTERFACE => ImportKind::Command,
        None => ImportKind::Unknown,
    }
}

/// Why the host does not provide an import; none where it does.
fn refusal(name: &str) -> Option<String> {
    let (interface, version) = match name.split_once('@') {
        Some((interface, version)) => (interface, Some(version)),
        None => (name, None),
    };
    let found = version.map_or("no version".to_owned(), |version| format!("version {}", inert(version)));
    if KNOWN.iter().any(|(known, _)| *known == interface) {
        return match version {
            Some(version) if is_patch_of_wasi(version) => None,
            _ => Some(format!("expected version {WASI} of it, found {found}")),
        };
    }
    if interface == command::INTERFACE {
        return match version {
            Some(command::VERSION) => None,
            _ => Some(format!("expected version {} of it, found {found}", command::VERSION)),
        };
    }
    Some(match interface.split_once(':') {
        Some(("wasi", rest)) if rest.starts_with("http/") => {
            "of HTTP a plugin can send requests (`outgoing-handler`, `types`), and not serve any".to_owned()
        }
        Some(("wasi", _)) => format!("WASI {WASI} as this host provides it has no such interface"),
        Some(("remit", _)) => {
            format!(
                "of remit's own interfaces expected `{}@{}`, found another one with {found}",
                command::INTERFACE,
                command::VERSION,
            )
        }
        _ => "the host does not know it".to_owned(),
    })
}

/// Whether it is `0.2.N`. A pre-release of WASI 0.2 is another interface.
fn is_patch_of_wasi(version: &str) -> bool {
    let patch = version.strip_prefix(WASI).and_then(|rest| rest.strip_prefix('.'));
    patch.is_some_and(|patch| !patch.is_empty() && patch.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests;
