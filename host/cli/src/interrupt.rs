//! Ctrl-C: first an end in good order, then an end at once.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// How a program ends that was interrupted.
const INTERRUPTED: i32 = 130;

/// From now on the first SIGINT or SIGTERM cancels `cancel`, and the second one ends the program on the spot.
///
/// # Errors
///
/// When the system lets no signal be caught. Has to be called within a runtime.
pub(crate) fn watch(cancel: CancellationToken) -> io::Result<()> {
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut terminations = signal(SignalKind::terminate())?;
    tokio::spawn(async move {
        for is_first in [true, false] {
            tokio::select! {
                _ = interrupts.recv() => {}
                _ = terminations.recv() => {}
            }
            if is_first {
                cancel.cancel();
            }
        }
        std::process::exit(INTERRUPTED);
    });
    Ok(())
}
