//! Real counterparts that are no part of the repository: `.ci/peers DIR` installs them, `REMIT_PEERS` names the folder.

use std::path::PathBuf;

/// The path of the peer `name` in the peers' folder, at `relative` in it. Where it is not installed this says so, and the
/// test that wants it passes without it.
pub fn peer(name: &str, relative: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("REMIT_PEERS").map(PathBuf::from);
    let found = folder.map(|folder| folder.join(relative)).filter(|path| path.exists());
    if found.is_none() {
        say_skipped(name);
    }
    found
}

#[expect(clippy::print_stderr, reason = "only tests call this, and a test that is left out says so")]
fn say_skipped(name: &str) {
    eprintln!("skipped: {name} is not installed; `.ci/peers DIR` installs it, REMIT_PEERS=DIR names it");
}
