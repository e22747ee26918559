//! Systems without namespaces: nothing is started there, best effort or not, because even what is left of containment
//! (adopting orphans, counting processes) is Linux's.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;

use super::plan::Plan;

/// Starts nothing.
#[derive(Debug)]
pub(crate) struct Launching;

/// A command that runs, of which there is none.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) talk: UnixStream,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

impl Launching {
    pub(crate) fn new(_: Option<PathBuf>) -> Self {
        Self
    }

    pub(crate) fn launch(&self, _: &Plan) -> io::Result<Launched> {
        Err(io::Error::other("commands are run on Linux only"))
    }
}

/// Starts commands for the host that started this process for it. On this system no process is: it returns `None`.
#[must_use]
pub fn launch_commands() -> Option<ExitCode> {
    None
}
