//! Where remit keeps what is the user's and no workspace's.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The folder for compiled components: `$XDG_CACHE_HOME/remit`, else `$HOME/.cache/remit`.
pub(crate) fn cache() -> Option<PathBuf> {
    folder(|name| env::var_os(name), "XDG_CACHE_HOME", ".cache")
}

/// The folder for what the user decided: `$XDG_CONFIG_HOME/remit`, else `$HOME/.config/remit`.
pub(crate) fn config() -> Option<PathBuf> {
    folder(|name| env::var_os(name), "XDG_CONFIG_HOME", ".config")
}

/// The folder for what must outlast a process: `$XDG_STATE_HOME/remit`, else `$HOME/.local/state/remit`.
pub(crate) fn state() -> Option<PathBuf> {
    folder(|name| env::var_os(name), "XDG_STATE_HOME", ".local/state")
}

/// Every folder that is believed. No role may write there, even where the home directory is its workspace.
pub(crate) fn all() -> impl Iterator<Item = PathBuf> {
    [cache(), config(), state()].into_iter().flatten()
}

/// The user's home directory.
pub(crate) fn home() -> Option<PathBuf> {
    absolute(env::var_os("HOME"))
}

/// A relative path in one of these variables is passed over, as the XDG base directory specification has it. It would
/// be a folder of the workspace, which is what must not decide.
fn folder(variable: impl Fn(&str) -> Option<OsString>, base: &str, below_home: &str) -> Option<PathBuf> {
    let home = || Some(absolute(variable("HOME"))?.join(below_home));
    Some(absolute(variable(base)).or_else(home)?.join("remit"))
}

fn absolute(path: Option<OsString>) -> Option<PathBuf> {
    path.map(PathBuf::from).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_the_users_own() {
        let of = |base: Option<&str>, home: Option<&str>| {
            let variable = |name: &str| if name == "HOME" { home } else { base }.map(Into::into);
            folder(variable, "XDG_CONFIG_HOME", ".config")
        };
        assert_eq!(of(Some("/x"), Some("/h")), Some("/x/remit".into()));
        assert_eq!(of(None, Some("/h")), Some("/h/.config/remit".into()));
        assert_eq!(of(Some("x"), Some("/h")), Some("/h/.config/remit".into()));
        assert_eq!(of(Some(""), Some("h")), None);
        assert_eq!(of(None, None), None);
    }
}
