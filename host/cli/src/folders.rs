//! Where remit keeps what is the user's and no workspace's.

use std::env;
use std::path::PathBuf;

/// The folder for compiled components: `$XDG_CACHE_HOME/remit`, else `$HOME/.cache/remit`.
pub(crate) fn cache() -> Option<PathBuf> {
    folder("XDG_CACHE_HOME", ".cache")
}

/// The folder for what the user decided: `$XDG_CONFIG_HOME/remit`, else `$HOME/.config/remit`.
pub(crate) fn config() -> Option<PathBuf> {
    folder("XDG_CONFIG_HOME", ".config")
}

/// The user's home directory.
pub(crate) fn home() -> Option<PathBuf> {
    absolute("HOME")
}

/// A relative path in one of these variables is to be passed over, as the XDG base directory specification has it.
fn folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let base = absolute(variable).or_else(|| Some(home()?.join(below_home)))?;
    Some(base.join("remit"))
}

fn absolute(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}
