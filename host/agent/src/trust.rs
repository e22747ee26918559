//! Whose `roles.toml` it is.
//!
//! A file that came with a cloned repository is somebody else's: it could grant a stranger's component the workspace, or
//! send what agents read to a stranger's server. So a workspace's own file counts for nothing until the user trusts it,
//! having been told in words what it grants ([`describe_grants`]).
//!
//! What is trusted is not the file's name but a [`Manifest`]: the workspace's path together with the digests of the file
//! and of everything that it names and that decides what agents do: prompt files, components, their `wit` folders.
//! When one of them changes, the trust is gone, and [`Standing::Changed`] says what changed. A copy of the repository
//! elsewhere is another workspace.
//!
//! A file that the user names on the command line is trusted by that act, and one with the built-in file's text needs no
//! trust; [`is_needed`] knows both.

mod grants;
mod init;
mod manifest;
mod store;

pub use grants::describe_grants;
pub use init::{InitError, init};
pub use manifest::{Change, Manifest};
pub use store::{Standing, TrustError, TrustStore};

use crate::roles::{BuiltIn, Roles, RolesSource};

/// Whether the user has to trust the file that these roles are from before they are used.
#[must_use]
pub fn is_needed(roles: &Roles, built_in: &BuiltIn<'_>) -> bool {
    let text = roles.text();
    matches!(text.source(), RolesSource::Workspace(_)) && text.text() != built_in.roles
}
