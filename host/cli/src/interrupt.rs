//! Signals that end a program: first in good order, then at once.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::failure::Failure;

/// How a program ends that was interrupted, or terminated, or whose terminal went away.
pub(crate) const CANCELLED: u8 = 130;

/// The signals that end a program.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// Nothing where the program was started to outlive its terminal, as by `nohup`.
    hang_up: Option<Signal>,
}

/// What a signal means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// SIGINT: what goes on should stop.
    Stop,
    /// SIGTERM or SIGHUP: the program should end.
    End,
}

impl Signals {
    /// From now on they no longer end the program by themselves. Has to be called within a runtime.
    pub(crate) fn catch() -> Result<Signals, Failure> {
        let catch = |kind| {
            signal(kind).map_err(|error| Failure::Refused(format!("cannot watch for signals: {error}")))
        };
        Ok(Signals {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
            hang_up: if hang_up_is_ignored() { None } else { Some(catch(SignalKind::hangup())?) },
        })
    }

    pub(crate) async fn next(&mut self) -> Sign {
        tokio::select! {
            _ = self.interrupt.recv() => Sign::Stop,
            _ = self.terminate.recv() => Sign::End,
            () = received(&mut self.hang_up) => Sign::End,
        }
    }
}

async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Whether SIGHUP was set to be ignored by whoever started the program. Where there is no `/proc` it is taken not to be.
fn hang_up_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The lowest bit is that of signal 1.
    mask.is_some_and(|mask| mask & 1 == 1)
}

/// From now on the first signal cancels `cancel`, and the second one ends the program on the spot. Has to be called within a
/// runtime.
pub(crate) fn watch(cancel: CancellationToken) -> Result<(), Failure> {
    let mut signals = Signals::catch()?;
    tokio::spawn(async move {
        signals.next().await;
        cancel.cancel();
        signals.next().await;
        std::process::exit(i32::from(CANCELLED));
    });
    Ok(())
}
