use std::sync::{Arc, OnceLock};

use remit_sandbox::{Change, Entry};

use crate::roles::Target;

/// Where the entries of one call are kept while it runs, and after it was given up.
pub trait EffectSource: Send + Sync {
    /// The entries so far, in the order in which it happened.
    fn entries(&self) -> Vec<Entry>;

    /// How many more there were than are kept.
    fn dropped(&self) -> u64 {
        0
    }
}

/// The ledger of one call. The loop makes it and the toolbox fills it; it outlives the call, so that what a call did before
/// it was stopped is known.
#[derive(Default)]
pub struct CallLedger(OnceLock<Arc<dyn EffectSource>>);

impl std::fmt::Debug for CallLedger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.entries()).finish()
    }
}

impl CallLedger {
    /// Takes the entries from `source`, now and later. A second source is not taken.
    pub fn keep(&self, source: Arc<dyn EffectSource>) {
        // A toolbox that runs two things for one call keeps one ledger for both.
        let _ = self.0.set(source);
    }

    /// The entries so far.
    pub fn entries(&self) -> Vec<Entry> {
        self.0.get().map(|source| source.entries()).unwrap_or_default()
    }

    /// How many more there were than are kept.
    pub fn dropped(&self) -> u64 {
        self.0.get().map_or(0, |source| source.dropped())
    }
}

/// A list that does not grow any more.
impl EffectSource for Vec<Entry> {
    fn entries(&self) -> Vec<Entry> {
        self.clone()
    }
}

/// What a call would change. Nothing of it is on the disk; dropping it drops it.
pub trait Staged: Send + Sync {
    /// The files, each with what would become of it.
    fn files(&self) -> &[Change];

    /// What rules are held against: a file that is moved is changed where it was and where it will be.
    fn targets(&self) -> Vec<Target<'_>> {
        let targets = self.files().iter().flat_map(|file| [Some(file.path.as_str()), file.from.as_deref()]);
        targets.flatten().map(Target::File).collect()
    }

    /// The changes as a unified diff of at most about `max_bytes`, safe to show; a cut is marked.
    fn unified_diff(&self, max_bytes: usize) -> String;

    /// Makes all of the changes, or none of them, and enters them into the call's ledger. It waits for the disk.
    ///
    /// # Errors
    ///
    /// Why nothing was changed, such as a file that is not what the call has read any more.
    fn commit(self: Box<Self>) -> Result<(), String>;
}

impl std::fmt::Debug for dyn Staged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.files()).finish()
    }
}
