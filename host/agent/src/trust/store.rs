use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::manifest::{Change, Manifest};
use crate::roles::{Digest, read_at_most, shown, shown_path};

const FILE: &str = "trust.toml";
const LOCK: &str = "trust.lock";
const NEW: &str = "trust.toml.new";

const HEADING: &str = "# Which roles.toml you trust, by workspace, with the files that each one names.\n\
                       # `remit trust` and `remit init` write this file.\n\n";

/// The form of the file. A file of a later form is refused, not guessed at.
const VERSION: u32 = 1;

/// The largest file that is read, in bytes: some thousand workspaces.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// How many states of one workspace stay trusted, the oldest going first: enough to move between branches without being
/// asked again.
const MAX_PER_WORKSPACE: usize = 16;

/// What the user trusts, kept in a file of their own configuration.
///
/// Nobody else can write it: the folder is made with mode 0700 and the file with 0600, and either is refused where
/// others may write to it. It is replaced as a whole, under a lock, so that two processes lose nothing of each other's.
#[derive(Clone, Debug)]
pub struct TrustStore {
    folder: PathBuf,
}

/// How a workspace's file stands with the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is trusted as it is, with everything that it names.
    Trusted,
    /// It was trusted when it, or something that it names, was different.
    Changed(Vec<Change>),
    /// It never was.
    Unknown,
}

/// Why trust could not be looked up or changed. Nothing is trusted then.
#[derive(Debug, Error)]
pub enum TrustError {
    /// A file or folder of the store, or the workspace, cannot be reached.
    #[error("cannot use {}: {source}", shown_path(path))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Somebody else could have written the store.
    #[error(
        "{} can be written by others, and whoever writes it decides what you trust\n  help: chmod go-w {}",
        shown_path(path),
        shown_path(path)
    )]
    OpenToOthers {
        /// The file or folder.
        path: PathBuf,
    },
    /// The store belongs to somebody else.
    #[error("{} belongs to another user, who would decide what you trust", shown_path(path))]
    NotYours {
        /// The file or folder.
        path: PathBuf,
    },
    /// The store is not what this program wrote.
    #[error("{} is damaged: {reason}\n  help: remove it, and trust your workspaces again", shown_path(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The store would become larger than what is read of it.
    #[error("{} is full\n  help: remove workspaces from it that you no longer have", shown_path(path))]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The workspace's path is no UTF-8, and the store is a text.
    #[error("the workspace's path {} is not UTF-8, so it cannot be remembered", shown_path(path))]
    Path {
        /// The workspace.
        path: PathBuf,
    },
}

/// A state of a workspace that is trusted.
struct Trusted {
    workspace: String,
    manifest: Manifest,
}

/// The file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    version: u32,
    #[serde(default)]
    trusted: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    workspace: String,
    files: Vec<Named>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    path: String,
    sha256: String,
}

impl Trusted {
    /// Nothing where a digest is none.
    fn from_entry(entry: Entry) -> Option<Self> {
        let files = entry.files.into_iter().map(|file| Some((file.path, Digest::parse(&file.sha256)?)));
        let manifest = Manifest::from_files(files.collect::<Option<Vec<_>>>()?);
        Some(Self { workspace: entry.workspace, manifest })
    }

    fn into_entry(self) -> Entry {
        let files = self
            .manifest
            .files()
            .map(|(path, sha256)| Named { path: path.to_owned(), sha256: sha256.to_string() });
        Entry { files: files.collect(), workspace: self.workspace }
    }
}

impl TrustStore {
    /// The store in `folder`, which is made when something is trusted first. It has to be the user's
    /// own: whoever writes it decides what is trusted.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// How the files of `workspace` stand.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, is damaged, or could have been written by somebody else.
    pub fn standing(&self, workspace: &Path, manifest: &Manifest) -> Result<Standing, TrustError> {
        let workspace = canonical(workspace)?;
        let mut trusted = self.read()?;
        trusted.retain(|entry| entry.workspace == workspace);
        Ok(match trusted.last() {
            None => Standing::Unknown,
            Some(_) if trusted.iter().any(|entry| entry.manifest == *manifest) => Standing::Trusted,
            Some(last) => Standing::Changed(manifest.changes_since(&last.manifest)),
        })
    }

    /// Trusts these files in `workspace`, from now on.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or written, is damaged, or could have been written by somebody else.
    pub fn trust(&self, workspace: &Path, manifest: &Manifest) -> Result<(), TrustError> {
        let workspace = canonical(workspace)?;
        self.change(|trusted| {
            trusted.retain(|entry| entry.workspace != workspace || entry.manifest != *manifest);
            let states = trusted.iter().filter(|entry| entry.workspace == workspace).count();
            let mut surplus = (states + 1).saturating_sub(MAX_PER_WORKSPACE);
            trusted.retain(|entry| {
                let goes = surplus > 0 && entry.workspace == workspace;
                surplus -= usize::from(goes);
                !goes
            });
            trusted.push(Trusted { workspace: workspace.clone(), manifest: manifest.clone() });
            true
        })?;
        Ok(())
    }

    /// Trusts nothing of `workspace` any more; says whether anything was trusted.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or written, is damaged, or could have been written by somebody else.
    pub fn revoke(&self, workspace: &Path) -> Result<bool, TrustError> {
        let workspace = canonical(workspace)?;
        self.change(|trusted| {
            let before = trusted.len();
            trusted.retain(|entry| entry.workspace != workspace);
            trusted.len() != before
        })
    }

    fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    fn damaged(&self, reason: String) -> TrustError {
        TrustError::Damaged { path: self.file(), reason }
    }

    /// What is trusted; nothing where there is no store yet.
    fn read(&self) -> Result<Vec<Trusted>, TrustError> {
        let path = self.file();
        if !is_ours(&self.folder)? || !is_ours(&path)? {
            return Ok(Vec::new());
        }
        let mut file = File::open(&path).map_err(|source| failed(&path, source))?;
        let bytes = read_at_most(&mut file, MAX_BYTES).map_err(|source| failed(&path, source))?;
        let bytes = bytes.ok_or_else(|| self.damaged(format!("it is larger than {MAX_BYTES} bytes")))?;
        let kept: Kept = toml::from_slice(&bytes).map_err(|error| self.damaged(shown(error.message())))?;
        if kept.version != VERSION {
            let reason = format!("it has the form {}, this version of remit knows {VERSION}", kept.version);
            return Err(self.damaged(reason));
        }
        let trusted = kept.trusted.into_iter().map(Trusted::from_entry).collect::<Option<_>>();
        trusted.ok_or_else(|| self.damaged("a sha256 is not one".to_owned()))
    }

    /// Changes what is trusted, alone among all processes, and writes it if `change` says that it did.
    fn change(&self, change: impl FnOnce(&mut Vec<Trusted>) -> bool) -> Result<bool, TrustError> {
        if !is_ours(&self.folder)? {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
            made.map_err(|source| failed(&self.folder, source))?;
        }
        let path = self.folder.join(LOCK);
        let lock = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let lock =
            lock.and_then(|lock| lock.lock().map(|()| lock)).map_err(|source| failed(&path, source))?;
        let mut trusted = self.read()?;
        let changed = change(&mut trusted);
        if changed {
            self.write(trusted)?;
        }
        drop(lock);
        Ok(changed)
    }

    /// Replaces the file as a whole: a reader finds the old one or the new one.
    fn write(&self, trusted: Vec<Trusted>) -> Result<(), TrustError> {
        let kept = Kept { version: VERSION, trusted: trusted.into_iter().map(Trusted::into_entry).collect() };
        let text = toml::to_string(&kept).map_err(|error| self.damaged(error.to_string()))?;
        let text = format!("{HEADING}{text}");
        if u64::try_from(text.len()).is_ok_and(|size| size > MAX_BYTES) {
            return Err(TrustError::Full { path: self.file() });
        }
        let new = self.folder.join(NEW);
        let written = (|| {
            match fs::remove_file(&new) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                // Whoever left it died; the lock is ours.
                _ => {}
            }
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, self.file())
        })();
        written.map_err(|source| failed(&self.file(), source))
    }
}

fn failed(path: &Path, source: io::Error) -> TrustError {
    TrustError::Io { path: path.to_owned(), source }
}

fn canonical(workspace: &Path) -> Result<String, TrustError> {
    let path = workspace.canonicalize().map_err(|source| failed(workspace, source))?;
    path.into_os_string().into_string().map_err(|path| TrustError::Path { path: path.into() })
}

/// Whether the file or folder is there; an error where somebody else could have written it.
fn is_ours(path: &Path) -> Result<bool, TrustError> {
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(source) => return Err(failed(path, source)),
    };
    let user = rustix::process::geteuid().as_raw();
    // The superuser may use anybody's configuration, as after `su` without a login.
    if user != 0 && found.uid() != user && found.uid() != 0 {
        return Err(TrustError::NotYours { path: path.to_owned() });
    }
    if found.mode() & 0o022 != 0 {
        return Err(TrustError::OpenToOthers { path: path.to_owned() });
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
