//! A command under way: what it prints, what ends it, and how it ended.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::mpsc::unbounded_channel;

use super::Launched;
use super::capture::Capture;
use super::interface::{Ending, Error, Outcome, Output};
use super::plan::{End, Failure, Report};

/// How much a command may print: against one that prints for ever.
const MAX_OUTPUT: u64 = 64 << 20;

/// How long the end of a command may take once it is told to end: a kernel that is busy, not a program that refuses.
const GRACE: Duration = Duration::from_secs(5);

/// What ends a command from outside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Time,
    Output,
}

/// What the launcher had to say, and what was printed.
pub(super) struct Finished {
    pub(super) report: Result<End, Failure>,
    pub(super) cause: Option<Cause>,
    stdout: Capture,
    stderr: Capture,
    elapsed: Duration,
}

impl Finished {
    /// What the component is told.
    pub(super) fn outcome(self, warnings: Vec<String>) -> Result<Outcome, Error> {
        let ending = match (self.report, self.cause) {
            (Ok(End::Exited(code)), _) => Ending::Exited(code),
            (Ok(End::Signalled(signal)), _) => Ending::Signalled(signal),
            (_, Some(Cause::Time)) => Ending::TimedOut,
            (_, Some(Cause::Output)) => Ending::TooMuchOutput,
            (Ok(End::Memory), None) => Ending::TooMuchMemory,
            (Ok(End::Processes), None) => Ending::TooManyProcesses,
            (Ok(End::Told), None) => return Err(Error::Failed("it was ended by somebody else".to_owned())),
            (Err(failure), None) => return Err(Error::Failed(failure.to_string())),
        };
        let output = |capture: Capture| Output { bytes: capture.bytes(), text: capture.text() };
        Ok(Outcome {
            ending,
            stdout: output(self.stdout),
            stderr: output(self.stderr),
            duration_ms: millis(self.elapsed),
            warnings,
        })
    }
}

/// Reads what a command prints until nothing of it is left, and ends it at its limits.
pub(super) async fn follow(
    launched: Launched,
    time: Duration,
    printed: &AtomicU64,
    start: Instant,
) -> std::io::Result<Finished> {
    let Launched { talk, stdout, stderr } = launched;
    talk.set_nonblocking(true)?;
    let (mut reports, lifeline) = tokio::net::UnixStream::from_std(talk)?.into_split();
    let mut lifeline = Some(lifeline);
    let (count, mut counted) = unbounded_channel();
    let (stdout, stderr) = (Receiver::from_owned_fd(stdout)?, Receiver::from_owned_fd(stderr)?);
    let everything = async {
        let mut said = Vec::new();
        let reading = async { reports.read_to_end(&mut said).await };
        let (stdout, stderr, read) = tokio::join!(
            Capture::default().read(stdout, count.clone()),
            Capture::default().read(stderr, count),
            reading
        );
        read.map(|_| (stdout, stderr, said))
    };
    let limit = tokio::time::sleep(time);
    let grace = tokio::time::sleep(GRACE);
    tokio::pin!(everything, limit, grace);
    let mut cause = None;
    let (stdout, stderr, said) = loop {
        let reached = tokio::select! {
            done = &mut everything => break done?,
            Some(bytes) = counted.recv() => {
                let before = printed.fetch_add(bytes, Ordering::Relaxed);
                (before + bytes > MAX_OUTPUT).then_some(Cause::Output)
            }
            () = &mut limit, if cause.is_none() => Some(Cause::Time),
            () = &mut grace, if cause.is_some() => {
                return Err(std::io::Error::other("it was told to end and could not be ended"));
            }
        };
        if cause.is_none() && reached.is_some() {
            cause = reached;
            grace.as_mut().reset(tokio::time::Instant::now() + GRACE);
            // The launcher ends everything when this side is closed.
            drop(lifeline.take());
        }
    };
    while let Ok(bytes) = counted.try_recv() {
        printed.fetch_add(bytes, Ordering::Relaxed);
    }
    Ok(Finished { report: last_word(&said), cause, stdout, stderr, elapsed: start.elapsed() })
}

/// How a command ended, by the launcher's reports.
fn last_word(said: &[u8]) -> Result<End, Failure> {
    let mut last = Err(Failure::at("starting it", "the launcher said nothing"));
    for line in said.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        last = match serde_json::from_slice(line) {
            Ok(Report::Started) => Err(Failure::at("running it", "the launcher was ended")),
            Ok(Report::Ended(end)) => Ok(end),
            Ok(Report::Failed(failure)) => Err(failure),
            Err(error) => Err(Failure::at("understanding the launcher", error)),
        };
    }
    last
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
