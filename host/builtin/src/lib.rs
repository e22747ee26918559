//! The plugins and roles that come inside remit.
//!
//! The plugins are the components of the guest workspace `plugins/`, built and packed by this crate's build
//! script. They are loaded, granted and run like anybody's: nothing here makes them more trusted.

/// A component that comes inside remit.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// The plugin's name in `roles.toml` and in the names of its tools.
    pub name: &'static str,
    /// The component, with its documentation.
    pub bytes: &'static [u8],
    /// The SHA-256 of [`bytes`](Self::bytes), in lower-case hexadecimal; a key for caches of compiled code.
    pub sha256: &'static str,
}

/// The built-in plugins, by name.
pub static PLUGINS: &[Builtin] = include!(concat!(env!("OUT_DIR"), "/plugins.rs"));

/// The roles that count where the workspace has no `roles.toml`: this repository's own file.
pub const ROLES_TOML: &str = include_str!("../../../roles.toml");
