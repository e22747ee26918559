use std::path::{Path, PathBuf};

use thiserror::Error;

/// A directory that may be a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedWorkspace {
    /// Where it really is: absolute, no symbolic links.
    pub path: PathBuf,
    /// What the user should know before agents read it.
    pub warnings: Vec<WorkspaceWarning>,
}

/// Why a directory is no workspace.
#[derive(Debug, Error)]
pub enum WorkspaceError {
    /// It is not there, or may not be looked at.
    #[error("cannot use {} as the workspace: {source}", super::shown::shown_path(path))]
    Unreachable {
        /// The path as it was given.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is a file.
    #[error("cannot use {} as the workspace: it is not a directory", super::shown::shown_path(path))]
    NotDirectory {
        /// The path as it was given.
        path: PathBuf,
    },
    /// It is the whole file system.
    #[error(
        "the workspace would be `/`, the whole file system\n  help: name a project's directory with --workspace"
    )]
    Root,
}

/// Why a workspace is likely wider than was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WorkspaceWarning {
    /// It is `/`, and was forced.
    #[error("the workspace is `/`: agents may read every file that you may")]
    Root,
    /// It is the user's home directory.
    #[error("the workspace is your home directory: agents may read whatever is in it, of every project")]
    Home,
    /// The user's home directory lies in it.
    #[error("the workspace holds your home directory: agents may read whatever is in it, of every project")]
    AroundHome,
}

/// Finds out where `path` really is, and whether it should be a workspace. A symbolic link to a directory is one.
///
/// `/` is refused unless it is forced; `/` and the directories from it to `home` are warned about.
///
/// # Errors
///
/// When it is no directory that can be reached, or `/` without `force`.
pub fn check_workspace(
    path: &Path,
    home: Option<&Path>,
    force: bool,
) -> Result<CheckedWorkspace, WorkspaceError> {
    let failed = |source| WorkspaceError::Unreachable { path: path.to_owned(), source };
    let real = path.canonicalize().map_err(failed)?;
    if !real.metadata().map_err(failed)?.is_dir() {
        return Err(WorkspaceError::NotDirectory { path: path.to_owned() });
    }
    // A home that cannot be resolved is compared as it is written.
    let home = home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_owned()));
    let warning = if real.parent().is_none() {
        if !force {
            return Err(WorkspaceError::Root);
        }
        Some(WorkspaceWarning::Root)
    } else {
        match home {
            Some(home) if home == real => Some(WorkspaceWarning::Home),
            Some(home) if home.starts_with(&real) => Some(WorkspaceWarning::AroundHome),
            _ => None,
        }
    };
    Ok(CheckedWorkspace { path: real, warnings: warning.into_iter().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_a_directory_is_a_workspace() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap().join("real");
        let link = dir.path().join("link");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let checked = check_workspace(&link, None, false).unwrap();
        assert_eq!(checked, CheckedWorkspace { path: real, warnings: vec![] });
    }

    #[test]
    fn the_whole_file_system_has_to_be_forced() {
        let error = check_workspace(Path::new("/"), None, false).unwrap_err();
        assert!(error.to_string().starts_with("the workspace would be `/`"), "{error}");
        let forced = check_workspace(Path::new("/"), Some(Path::new("/home/x")), true).unwrap();
        assert_eq!(forced.warnings, [WorkspaceWarning::Root]);
    }

    #[test]
    fn the_home_directory_is_warned_about_also_by_another_name() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("users/me");
        std::fs::create_dir_all(home.join("project")).unwrap();
        let link = dir.path().join("home");
        std::os::unix::fs::symlink(&home, &link).unwrap();
        let warnings = |path: &Path| check_workspace(path, Some(&link), false).unwrap().warnings;
        assert_eq!(warnings(&home), [WorkspaceWarning::Home]);
        assert_eq!(warnings(&dir.path().join("users")), [WorkspaceWarning::AroundHome]);
        assert_eq!(warnings(&home.join("project")), []);
    }

    #[test]
    fn what_is_no_directory_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(
            check_workspace(&file, None, false)
                .unwrap_err()
                .to_string()
                .ends_with("file as the workspace: it is not a directory")
        );
        let missing = check_workspace(&dir.path().join("missing"), None, false).unwrap_err().to_string();
        assert!(missing.contains("missing as the workspace: "), "{missing}");
    }
}
