use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::beneath::read_at_most;
use super::error::{ConfigError, ConfigErrors, RolesError};
use super::problem::Problem;
use super::section::{Lines, Position};
use super::shown::shown_path;

/// The name of a workspace's own file.
pub const ROLES_FILE: &str = "roles.toml";

/// The largest roles file that is read, in bytes: a file that is no roles file must not fill the memory.
pub const MAX_ROLES_BYTES: u64 = 1024 * 1024;

/// Which file says what the roles are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RolesSource {
    /// The one that comes with remit.
    BuiltIn,
    /// The workspace's own `roles.toml`, which replaces the built-in one as a whole. Somebody else may have written
    /// it; see [`crate::trust`].
    Workspace(PathBuf),
    /// The file that the user named on the command line, and trusts by that.
    File(PathBuf),
}

/// The text of a roles file, read once.
#[derive(Clone, Debug)]
pub struct RolesText {
    pub(super) source: RolesSource,
    pub(super) name: String,
    pub(super) text: String,
}

impl RolesSource {
    /// `file` where the user named one, else the workspace's `roles.toml` where there is one, else the built-in one.
    ///
    /// Only a name that does not exist counts as absent: a file that cannot be read must not fall back to other roles
    /// in silence.
    #[must_use]
    pub fn choose(workspace: &Path, file: Option<&Path>) -> Self {
        if let Some(file) = file {
            return Self::File(file.to_owned());
        }
        let own = workspace.join(ROLES_FILE);
        match own.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::BuiltIn,
            _ => Self::Workspace(own),
        }
    }
}

impl RolesText {
    /// Reads the text; `built_in` is the text of the file that comes with remit.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no regular file, is larger than [`MAX_ROLES_BYTES`], or is no UTF-8.
    pub fn read(source: RolesSource, built_in: &str) -> Result<Self, RolesError> {
        let (name, bytes) = match &source {
            RolesSource::BuiltIn => {
                return Ok(Self {
                    source,
                    name: format!("built-in {ROLES_FILE}"),
                    text: built_in.to_owned(),
                });
            }
            RolesSource::Workspace(path) => (ROLES_FILE.to_owned(), read_user_file(path)?),
            RolesSource::File(path) => (shown_path(path), read_user_file(path)?),
        };
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { source, name, text }),
            Err(error) => {
                let valid = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
                let at = Lines::new(&valid).position(valid.len());
                let problem = Problem::Syntax("not UTF-8 text".to_owned());
                Err(ConfigErrors::from(ConfigError { file: name, at, key: String::new(), problem }).into())
            }
        }
    }

    /// Where the text is from.
    #[must_use]
    pub fn source(&self) -> &RolesSource {
        &self.source
    }

    /// The file as messages name it, `roles.toml`; safe to show.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// An error of this file.
    pub(super) fn error(&self, at: Position, key: impl Into<String>, problem: Problem) -> ConfigError {
        ConfigError { file: self.name.clone(), at, key: key.into(), problem }
    }
}

/// Reads a file that is named by a path of the user's own, links and all.
fn read_user_file(path: &Path) -> Result<Vec<u8>, RolesError> {
    let failed = |source| RolesError::Read { path: path.to_owned(), source };
    // A pipe would wait for its other end.
    let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    let mut file: File =
        OpenOptions::new().read(true).custom_flags(nonblocking).open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(RolesError::NotFile { path: path.to_owned() });
    }
    read_at_most(&mut file, MAX_ROLES_BYTES)
        .map_err(failed)?
        .ok_or_else(|| RolesError::TooLarge { path: path.to_owned(), limit: MAX_ROLES_BYTES })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_file_comes_first_then_the_workspace_then_the_built_in_one() {
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join(ROLES_FILE);
        let other = Path::new("/other.toml");
        assert_eq!(RolesSource::choose(dir.path(), None), RolesSource::BuiltIn);
        std::fs::write(&own, "").unwrap();
        assert_eq!(RolesSource::choose(dir.path(), None), RolesSource::Workspace(own.clone()));
        assert_eq!(RolesSource::choose(dir.path(), Some(other)), RolesSource::File(other.to_owned()));
        assert_eq!(RolesText::read(RolesSource::BuiltIn, "x").unwrap().text(), "x");
    }

    #[test]
    fn a_broken_link_is_not_taken_for_an_absent_file() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("nowhere", dir.path().join(ROLES_FILE)).unwrap();
        let source = RolesSource::choose(dir.path(), None);
        let error = RolesText::read(source, "built in").unwrap_err().to_string();
        assert!(error.starts_with("cannot read ") && error.contains(ROLES_FILE), "{error}");
    }

    #[test]
    fn what_is_no_text_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let read =
            |path: &Path| RolesText::read(RolesSource::File(path.to_owned()), "").unwrap_err().to_string();
        assert!(read(dir.path()).ends_with("is not a file"));
        let file = dir.path().join("x.toml");
        std::fs::write(&file, b"# fine\na = \"\xff\"\n").unwrap();
        assert!(read(&file).ends_with("x.toml:2:6: not UTF-8 text"), "{}", read(&file));
        std::fs::write(&file, vec![b'\n'; usize::try_from(MAX_ROLES_BYTES).unwrap() + 1]).unwrap();
        assert!(read(&file).ends_with("is larger than 1048576 bytes"));
    }
}
