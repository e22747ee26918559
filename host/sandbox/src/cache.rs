//! Compiled components on disk.
//!
//! Loading compiled code is running native code, so the folder must be the user's alone; where it is not, nothing is
//! read from it and nothing written.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::private_folder;

/// A folder of compiled components, each named after its bytes and after everything of the engine that matters.
#[derive(Debug)]
pub(crate) struct Cache {
    dir: PathBuf,
}

impl Cache {
    /// Makes the folder ready.
    ///
    /// # Errors
    ///
    /// A sentence about what is wrong with it.
    pub(crate) fn open(dir: &Path) -> Result<Self, String> {
        private_folder::make(dir, "the compile cache")?;
        Ok(Self { dir: dir.to_owned() })
    }

    /// The compiled form of `bytes`, from disk or made now and kept. That it can't be kept is no error.
    pub(crate) fn component(&self, engine: &Engine, bytes: &[u8]) -> wasmtime::Result<Component> {
        let path = self.dir.join(format!("{}.cwasm", key(engine, bytes)));
        if let Some(component) = read(engine, &path) {
            return Ok(component);
        }
        let component = Component::new(engine, bytes)?;
        let _ = component.serialize().map(|compiled| self.keep(&path, &compiled));
        Ok(component)
    }

    /// Whole or not at all: a reader never meets half a file.
    fn keep(&self, path: &Path, compiled: &[u8]) -> std::io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let new = self.dir.join(format!(".new-{}-{number}", std::process::id()));
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        let written = file.write_all(compiled).and_then(|()| std::fs::rename(&new, path));
        if written.is_err() {
            let _ = std::fs::remove_file(&new);
        }
        written
    }
}

#[expect(unsafe_code, reason = "wasmtime's own format, from a folder that only this user can write to")]
fn read(engine: &Engine, path: &Path) -> Option<Component> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    if !meta.is_file() || !private_folder::is_ours(&meta) {
        return None;
    }
    // SAFETY: the file was written by `keep` from `Component::serialize`, in a folder that was checked by
    // `Cache::open` to be writable by this user alone. wasmtime checks version and settings, and refuses others.
    unsafe { Component::deserialize_file(engine, path) }.ok()
}

fn key(engine: &Engine, bytes: &[u8]) -> String {
    use std::hash::{Hash, Hasher};
    let mut settings = Settings(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut settings);
    settings.0.update(bytes);
    let _ = settings.finish();
    settings.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Feeds what is hashed to a hash that is the same in every process.
struct Settings(Sha256);

impl std::hash::Hasher for Settings {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}
