use std::collections::HashSet;
use std::sync::Arc;

use tokio::sync::watch;

/// The gates of a script: a turn with `gate = "name"` waits until the gate with that name is open. A gate that was opened
/// stays open, whether or not a turn has come to it yet. Clones share their gates.
#[derive(Clone, Debug, Default)]
pub struct ScriptGates {
    open: Names,
    reached: Names,
}

type Names = Arc<watch::Sender<HashSet<String>>>;

impl ScriptGates {
    /// Opens a gate for good.
    pub fn open(&self, name: &str) {
        add(&self.open, name);
    }

    /// Returns once some turn has come to the gate, whether it is open or not.
    pub async fn reached(&self, name: &str) {
        wait_for(&self.reached, name).await;
    }

    /// Comes to a gate and waits until it is open.
    pub(super) async fn pass(&self, name: &str) {
        add(&self.reached, name);
        wait_for(&self.open, name).await;
    }
}

fn add(names: &Names, name: &str) {
    names.send_modify(|names| {
        names.insert(name.to_owned());
    });
}

async fn wait_for(names: &Names, name: &str) {
    // The sender outlives the receiver, since `names` is borrowed, so that this never fails.
    let _ = names.subscribe().wait_for(|names| names.contains(name)).await;
}
