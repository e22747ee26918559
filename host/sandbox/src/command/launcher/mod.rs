//! The process beside the host from which commands are started.
//!
//! A process can only go into namespaces of its own while it has one thread, and a copy of it is cheap only while it is
//! small: a host with an engine in it is neither. So the host's program is started a second time and does nothing but
//! this. It keeps no grant and decides nothing: each request brings a socket, the two streams for output and a plan.
//!
//! ```text
//! host ── socket ── launcher ─┬─ keeper ── init (process 1 of its own namespace) ── the program
//!                             └─ keeper ── …
//! ```
//!
//! Whoever goes away takes everything below with it: a host that is gone closes its sockets; a keeper whose socket is
//! closed kills the init; an init that is gone takes its whole namespace along.

mod confine;
mod fork;
mod mountinfo;
mod namespaces;
mod root;
mod supervise;
mod syscalls;

use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, waitpid};

use self::fork::Side;
use super::passing::{Request, receive, send};
use super::plan::{Failure, MAX_MESSAGE, Plan, Report};

/// The first argument of a program that is to be a launcher.
pub(crate) const ARGUMENT: &str = "__remit-launch-commands";

/// What the launcher says when it is ready.
pub(crate) const READY: u8 = b'r';

/// Starts commands for the host that started this process for it, until that host is gone. Call it first in `main`, while
/// there is one thread: with `Some` the process was a launcher, and its work is done.
#[must_use]
pub fn launch_commands() -> Option<ExitCode> {
    if std::env::args_os().nth(1).is_none_or(|argument| argument != ARGUMENT) {
        return None;
    }
    Some(match serve() {
        Ok(()) => ExitCode::SUCCESS,
        // There is nobody to tell: the host notices that the socket is closed.
        Err(_) => ExitCode::FAILURE,
    })
}

/// Closes what whoever started the host left open for it: no command has anything of that.
#[expect(unsafe_code, reason = "what is closed belongs to nobody, which no type can tell")]
fn close_inherited() -> std::io::Result<()> {
    let open: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > 2)
        .collect();
    for fd in open {
        // SAFETY: The process has just begun and has opened nothing that it keeps. What it read the numbers with is closed
        // already, and to close that number again is without effect.
        unsafe { rustix::io::close(fd) };
    }
    Ok(())
}

fn serve() -> std::io::Result<()> {
    close_inherited()?;
    // Standard input is that socket; it is taken from there, so that no child keeps it.
    let host = UnixStream::from(rustix::stdio::stdin().try_clone_to_owned()?);
    rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    (&host).write_all(&[READY])?;
    let mut launcher = Launcher { host: Some(host), ..Launcher::default() };
    while let Some(request) = launcher.next()? {
        launcher.start(request)?;
    }
    Ok(())
}

/// A process and what tells of its end.
type Keeper = (Pid, OwnedFd);

/// What the launcher has, and no copy of it keeps.
#[derive(Default)]
struct Launcher {
    host: Option<UnixStream>,
    /// Each sees a command through.
    keepers: Vec<Keeper>,
    /// One that is in namespaces already, which takes the kernel a while to make, and how it gets its request.
    spare: Option<Keeper>,
    hand: Option<UnixStream>,
}

impl Launcher {
    /// The next request; nothing when the host is gone.
    fn next(&mut self) -> std::io::Result<Option<Request>> {
        let Some(host) = &self.host else { return Ok(None) };
        loop {
            let mut polled = vec![PollFd::new(host, PollFlags::IN)];
            polled.extend(self.keepers.iter().map(|(_, keeper)| PollFd::new(keeper, PollFlags::IN)));
            match poll(&mut polled, None) {
                Err(Errno::INTR) => continue,
                other => other?,
            };
            let is_asked = !polled[0].revents().is_empty();
            let ended: Vec<bool> = polled[1..].iter().map(|keeper| !keeper.revents().is_empty()).collect();
            let mut ended = ended.into_iter();
            self.keepers.retain(|(pid, _)| {
                let is_over = ended.next().unwrap_or(false);
                is_over.then(|| waitpid(Some(*pid), WaitOptions::NOHANG)).is_none()
            });
            if is_asked {
                return receive(host);
            }
        }
    }

    /// Starts a command in a process of its own, the one that is ready for it if there is one.
    fn start(&mut self, request: Request) -> std::io::Result<()> {
        let is_contained = request.is_contained;
        let hand = if is_contained { self.hand.take() } else { None };
        let is_taken = hand.is_some_and(|hand| send(&hand, &request).is_ok());
        // One that did not take it has ended, and is waited for like the others.
        if is_contained && let Some(spare) = self.spare.take() {
            self.keepers.push(spare);
        }
        // Whatever comes of it, no later copy of this process may hold what came with the request.
        if is_taken {
            drop(request);
        } else {
            let keeper = self.split(move || keep(request, namespaces::enter))?;
            self.keepers.push(keeper);
        }
        if is_contained {
            let (hand, far) = UnixStream::pair()?;
            self.hand = Some(hand);
            self.spare = Some(self.split(move || wait_and_keep(&far))?);
        }
        Ok(())
    }

    /// Does the work in a copy of this process.
    fn split(&mut self, work: impl FnOnce()) -> std::io::Result<Keeper> {
        match fork::split()? {
            Side::Child => {
                drop(std::mem::take(self));
                fork::finish(work)
            }
            Side::Parent(child) => Ok((child, pidfd_open(child, PidfdFlags::empty())?)),
        }
    }
}

/// Goes into namespaces, and then sees one command through.
fn wait_and_keep(hand: &UnixStream) {
    let entered = confine::die_with_parent().and_then(|()| namespaces::enter());
    if let Ok(Some(request)) = receive(hand) {
        keep(request, || entered);
    }
}

/// Tells the host. If it is gone, the closed socket ends everything anyway.
fn tell(mut talk: &UnixStream, report: &Report) {
    if let Ok(mut line) = serde_json::to_vec(report) {
        line.push(b'\n');
        let _ = talk.write_all(&line);
    }
}

/// Sees one command through, in a process of its own. `enter` takes it into namespaces, unless it is not to be contained.
fn keep(request: Request, enter: impl FnOnce() -> Result<(), Failure>) {
    let Request { talk, stdout, stderr, .. } = request;
    if let Err(failure) = try_keep(&talk, stdout, stderr, enter) {
        tell(&talk, &Report::Failed(failure));
    }
}

fn try_keep(
    talk: &UnixStream,
    stdout: OwnedFd,
    stderr: OwnedFd,
    enter: impl FnOnce() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let plan = read_plan(talk).map_err(|error| Failure::at("reading the plan", error))?;
    confine::die_with_parent()?;
    let Some(view) = &plan.view else {
        return supervise::run(&plan, talk, talk.as_fd(), stdout, stderr);
    };
    enter()?;
    let (alive, keeper_lives) =
        pipe_with(PipeFlags::CLOEXEC).map_err(|error| Failure::at("making a pipe", error))?;
    match fork::split().map_err(|error| Failure::lacking("starting process 1 of a namespace", error))? {
        Side::Child => fork::finish(|| {
            drop(keeper_lives);
            let done = confine::die_with_parent()
                .and_then(|()| root::assemble(view, &plan.limits))
                .and_then(|()| confine::give_up_privileges())
                .and_then(|()| syscalls::refuse())
                .and_then(|()| supervise::run(&plan, talk, alive.as_fd(), stdout, stderr));
            if let Err(failure) = done {
                tell(talk, &Report::Failed(failure));
            }
        }),
        Side::Parent(init) => {
            drop((alive, stdout, stderr));
            // When this returns nothing of the command is left; that the socket is then closed says so to the host.
            wait(talk, init).map_err(|error| Failure::at("waiting for process 1 of a namespace", error))
        }
    }
}

/// Until the init has ended, by itself or because the host has closed its side of the socket.
fn wait(talk: &UnixStream, init: Pid) -> Result<(), Errno> {
    let handle = pidfd_open(init, PidfdFlags::empty())?;
    let mut polled =
        [PollFd::new(&handle, PollFlags::IN), PollFd::new(talk, PollFlags::IN | PollFlags::RDHUP)];
    while let Err(error) = poll(&mut polled, None) {
        if error != Errno::INTR {
            break;
        }
    }
    if polled[0].revents().is_empty() {
        kill_process(init, Signal::KILL)?;
    }
    // The kernel lets process 1 end only when all others of its namespace have.
    waitpid(Some(init), WaitOptions::empty()).map(drop)
}

fn read_plan(mut talk: &UnixStream) -> std::io::Result<Plan> {
    let mut length = [0; 4];
    talk.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MAX_MESSAGE {
        return Err(std::io::Error::other("it is too long"));
    }
    let mut text = vec![0; length as usize];
    talk.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}
