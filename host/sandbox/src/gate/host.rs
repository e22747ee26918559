//! The gate for the host itself: what it reads on an agent's behalf, it reads under the agent's rules.

use std::io::Read;
use std::sync::Arc;

use rustix::fs::FileType;
use thiserror::Error;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::{DirNode, Follow, Gate, Place, open_located};
use crate::grant::Grants;
use crate::ledger::{Entry, Ledger};
use crate::limits::Limits;

/// The beginning of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The file's own path in the workspace, through no link.
    pub path: String,
    /// At most as many bytes as were asked for.
    pub bytes: Vec<u8>,
    /// Whether the file has more.
    pub is_cut: bool,
}

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// Nothing of that name is there.
    #[error("`{0}` is not there")]
    Missing(String),
    /// A rule hides it, whether it is there or not.
    #[error("cannot read `{path}`: {reason}")]
    Hidden {
        /// What was asked for.
        path: String,
        /// The rule.
        reason: String,
    },
    /// It lies outside of what is granted, or is no file.
    #[error("cannot read `{path}`: {reason}")]
    Refused {
        /// What was asked for.
        path: String,
        /// The rule.
        reason: String,
    },
    /// The system refused.
    #[error("cannot read `{path}`: {reason}")]
    System {
        /// What was asked for.
        path: String,
        /// Its words.
        reason: String,
    },
}

impl Grants {
    /// Reads the first `most` bytes of the file `path`, relative to the first granted directory, under every rule that
    /// holds for a component.
    ///
    /// # Errors
    ///
    /// See [`ReadError`].
    pub fn read(self: &Arc<Self>, path: &str, most: u64) -> Result<Excerpt, ReadError> {
        let name = || path.to_owned();
        let Some(base) = self.preopens().first().map(|preopen| preopen.dir.clone()) else {
            return Err(ReadError::Refused { path: name(), reason: "nothing is granted".to_owned() });
        };
        let ledger = Arc::new(Ledger::default());
        let mut gate = Gate::new(self.clone(), ledger.clone(), &Limits::default());
        gate.excerpt(&base, path, most).map_err(|code| match code {
            ErrorCode::NoEntry => ReadError::Missing(name()),
            code => {
                let refused = ledger.entries().into_iter().find_map(|entry| match entry {
                    Entry::Refused { reason, .. } => Some(reason),
                    _ => None,
                });
                match refused {
                    Some(reason) if code == ErrorCode::Access => ReadError::Hidden { path: name(), reason },
                    Some(reason) => ReadError::Refused { path: name(), reason },
                    None => ReadError::System { path: name(), reason: code.message().to_owned() },
                }
            }
        })
    }
}

impl Gate {
    fn excerpt(&mut self, base: &DirNode, path: &str, most: u64) -> Result<Excerpt, ErrorCode> {
        let Place::Disk(found) = self.admit("read", base, path, Follow::Yes)? else {
            return Err(ErrorCode::NoEntry);
        };
        if found.file_type() != FileType::RegularFile {
            return Err(ErrorCode::IsDirectory);
        }
        let file = open_located(base, &found)?;
        let mut bytes = Vec::new();
        let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|_| ErrorCode::Io)?;
        let is_cut = u64::try_from(read).is_ok_and(|read| read > most);
        bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        Ok(Excerpt { path: found.path, bytes, is_cut })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::{GrantSpec, Workspace};

    #[test]
    fn the_host_reads_under_the_rules_of_a_component() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        std::fs::create_dir_all(at("workspace/docs")).unwrap();
        for (path, text) in
            [("outside", "secret"), ("workspace/.env", "secret"), ("workspace/docs/a", "héllo")]
        {
            std::fs::write(at(path), text).unwrap();
        }
        symlink("docs/a", at("workspace/inner")).unwrap();
        symlink("../outside", at("workspace/outer")).unwrap();
        symlink(".env", at("workspace/alias")).unwrap();
        std::fs::hard_link(at("workspace/.env"), at("workspace/twin")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("workspace/pipe"),
            FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        let workspace = Workspace::open(&at("workspace")).unwrap();
        let spec =
            GrantSpec { read: vec![".".into()], role_hidden: vec!["*.key".into()], ..Default::default() };
        let grants = Grants::new(&workspace, &spec).unwrap();
        let read = |path: &str| grants.read(path, 3);
        let whole = grants.read("inner", 6).unwrap();
        assert_eq!(
            (whole.path.as_str(), whole.bytes.as_slice(), whole.is_cut),
            ("docs/a", "héllo".as_bytes(), false)
        );
        let part = read("docs/a").unwrap();
        assert_eq!((part.bytes.len(), part.is_cut), (3, true));
        assert_eq!(read("docs/b"), Err(ReadError::Missing("docs/b".into())));
        for (path, reason) in [
            (".env", "hidden by the rule `.env*`"),
            ("alias", "hidden by the rule `.env*`"),
            ("twin", "hard link to a hidden file"),
            ("my.key", "hidden by the rule `*.key`"),
        ] {
            let Err(ReadError::Hidden { reason: found, .. }) = read(path) else { panic!("{path}") };
            assert!(found.contains(reason), "{path}: {found}");
        }
        for (path, reason) in
            [("outer", "leads out"), ("../outside", "leads out"), ("pipe", "neither a file nor a directory")]
        {
            let Err(ReadError::Refused { reason: found, .. }) = read(path) else { panic!("{path}") };
            assert!(found.contains(reason), "{path}: {found}");
        }
        assert!(matches!(read("docs"), Err(ReadError::System { .. })));
        assert!(matches!(Grants::none().read("docs/a", 3), Err(ReadError::Refused { .. })));
    }
}
