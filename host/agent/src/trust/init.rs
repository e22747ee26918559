use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::manifest::Manifest;
use super::store::{TrustError, TrustStore};
use crate::roles::{BuiltIn, PluginFiles, ROLES_FILE, Roles, RolesError, RolesSource, shown_path};

/// Why no file could be written for a workspace.
#[derive(Debug, Error)]
pub enum InitError {
    /// There is one, or something else of that name.
    #[error("{} is there already, and stays as it is", shown_path(path))]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {source}", shown_path(path))]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What was written does not fit the workspace.
    #[error(transparent)]
    Roles(#[from] RolesError),
    /// It was written, but trust in it could not be kept.
    #[error(transparent)]
    Trust(#[from] TrustError),
}

/// Writes the built-in roles into `workspace` as a file to change, and trusts it as it is. A file that is there is never
/// overwritten.
///
/// # Errors
///
/// When there is a file of that name, it cannot be written, or the store cannot. Where the trust could not be kept, the
/// file stays; its text is the built-in one, which needs none.
pub fn init(workspace: &Path, built_in: &BuiltIn<'_>, store: &TrustStore) -> Result<PathBuf, InitError> {
    let path = workspace.join(ROLES_FILE);
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => InitError::Exists { path: path.clone() },
        _ => InitError::Write { path: path.clone(), source },
    };
    // Refuses a link too, wherever it leads.
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(failed)?;
    if let Err(error) = file.write_all(built_in.roles.as_bytes()).and_then(|()| file.sync_all()) {
        // Half a file would be worse than none; the error that is told is the first one.
        let _ = fs::remove_file(&path);
        return Err(failed(error));
    }
    let roles = Roles::load(RolesSource::Workspace(path.clone()), built_in, workspace)?;
    store.trust(workspace, &Manifest::of(&roles, &PluginFiles::new()))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::super::{Standing, is_needed};
    use super::*;

    const BUILT_IN: BuiltIn<'static> = BuiltIn {
        roles: "# A comment.\n[roles.root]\ndescription = \"Answers.\"\nread = [\".\"]\n",
        plugins: &[],
    };

    #[test]
    fn what_init_writes_is_trusted_as_long_as_it_is_not_changed() {
        let dir = tempfile::tempdir().unwrap();
        let store = TrustStore::at(dir.path().join("config"));
        let workspace = dir.path().join("w");
        fs::create_dir(&workspace).unwrap();
        let path = init(&workspace, &BUILT_IN, &store).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), BUILT_IN.roles);

        let load =
            |built_in| Roles::load(RolesSource::choose(&workspace, None), built_in, &workspace).unwrap();
        assert!(!is_needed(&load(&BUILT_IN), &BUILT_IN), "the built-in text needs no trust");
        let next_version = BuiltIn { roles: "# Another one.", plugins: &[] };
        let roles = load(&next_version);
        assert!(is_needed(&roles, &next_version));
        let manifest = Manifest::of(&roles, &PluginFiles::new());
        assert_eq!(store.standing(&workspace, &manifest).unwrap(), Standing::Trusted);

        fs::write(&path, "[roles.root]\ndescription = \"Changed.\"\n").unwrap();
        let roles = load(&BUILT_IN);
        assert!(is_needed(&roles, &BUILT_IN));
        let manifest = Manifest::of(&roles, &PluginFiles::new());
        assert!(matches!(store.standing(&workspace, &manifest).unwrap(), Standing::Changed(_)));
    }

    #[test]
    fn nothing_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let store = TrustStore::at(dir.path().join("config"));
        let path = dir.path().join(ROLES_FILE);
        fs::write(&path, "mine").unwrap();
        assert!(matches!(init(dir.path(), &BUILT_IN, &store), Err(InitError::Exists { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");

        fs::remove_file(&path).unwrap();
        let elsewhere = dir.path().join("elsewhere");
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert!(matches!(init(dir.path(), &BUILT_IN, &store), Err(InitError::Exists { .. })));
        assert!(!elsewhere.exists());
    }
}
