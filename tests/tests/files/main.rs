//! A guest reads what its directories hold, and nothing else: at the level of WASI's own calls, and through
//! `std::fs`.

#![expect(clippy::unwrap_used, reason = "the helpers belong to tests")]

mod hidden;
mod links;
mod odd;
mod paths;
mod read_only;
mod recovery;
mod special;
mod write;
mod write_odd;

use std::sync::Arc;

use remit_sandbox::{Grants, Plugin};
use remit_tests::{Stage, guest};

/// A stage, and a guest that tries what a test lists.
struct Probe {
    stage: Stage,
    /// Through WASI's own calls.
    wasi: Arc<Plugin>,
    /// Through `std::fs` and the guest's libc.
    std: Arc<Plugin>,
}

impl Probe {
    fn new() -> Self {
        let stage = Stage::default();
        let (wasi, std) = (stage.load(guest("fs_probe")), stage.load(guest("fs_probe_std")));
        Self { stage, wasi, std }
    }

    /// What each operation gives, one a line, with the whole workspace granted.
    async fn each(&self, operations: &[&str]) -> Vec<String> {
        self.each_with(operations, &self.stage.grants(&["."])).await
    }

    async fn each_with(&self, operations: &[&str], grants: &Arc<Grants>) -> Vec<String> {
        results(&self.stage, &self.wasi, operations, grants).await
    }

    /// The same through `std::fs`.
    async fn each_std(&self, operations: &[&str]) -> Vec<String> {
        results(&self.stage, &self.std, operations, &self.stage.grants(&["."])).await
    }
}

async fn results(
    stage: &Stage,
    plugin: &Arc<Plugin>,
    operations: &[&str],
    grants: &Arc<Grants>,
) -> Vec<String> {
    let output = stage.run_with(plugin, &operations.join("\n"), grants).await.unwrap();
    assert!(!output.is_error, "{}", output.text);
    let results: Vec<_> = output.text.lines().map(str::to_owned).collect();
    assert_eq!(results.len(), operations.len(), "{operations:?} gave {results:?}");
    results
}

/// Every operation is refused, whatever the error is called.
fn all_refused(operations: &[&str], results: &[String]) {
    for (operation, result) in operations.iter().zip(results) {
        assert!(!result.starts_with("ok"), "{operation:?} gave {result:?}");
    }
}
