//! Runs the program, watches what it and its descendants take, and ends them.

use std::collections::HashMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, pidfd_open, set_child_subreaper,
    setsid, umask, wait,
};

use super::{confine, tell};
use crate::command::plan::{End, Failure, Plan, Report};

/// How often the processes are counted: against forks faster than memory runs out, at a cost that nobody notices.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 25_000_000 };

/// From how much on what a process shares is looked at, in bytes.
const LOOKED_AT: u64 = 64 << 20;

/// How many rounds it takes at most to kill what is not in a namespace of its own: each kills all that there is, and only
/// what forks between two looks needs another.
const ROUNDS: usize = 1000;

/// Starts the program and returns when it has ended, or has been ended because `alive` was closed or a limit reached. In a
/// namespace, what it leaves behind ends with this process; elsewhere it is killed here.
pub(super) fn run(
    plan: &Plan,
    talk: &UnixStream,
    alive: BorrowedFd<'_>,
    stdout: OwnedFd,
    stderr: OwnedFd,
) -> Result<(), Failure> {
    // Without a terminal, and the one that orphans are given to.
    setsid().map_err(|error| Failure::at("making a session", error))?;
    set_child_subreaper(Some(getpid())).map_err(|error| Failure::at("adopting orphans", error))?;
    umask(Mode::from_raw_mode(0o022));
    confine::limit(&plan.limits)?;
    let (name, arguments) =
        plan.argv.split_first().ok_or_else(|| Failure::at("starting it", "it has no name"))?;
    let mut command = Command::new(&plan.program);
    command
        .arg0(name)
        .args(arguments)
        .env_clear()
        .envs(plan.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&plan.directory)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr);
    let started = command.spawn();
    // It holds the streams too, and whoever reads them waits until nobody does.
    drop(command);
    let program = Pid::from_child(&started.map_err(|error| Failure::at("starting it", error))?);
    let handle =
        pidfd_open(program, PidfdFlags::empty()).map_err(|error| Failure::at("watching it", error))?;
    tell(talk, &Report::Started);
    let end = watch(program, &handle, alive, plan);
    if plan.view.is_none() {
        end_descendants();
    }
    tell(talk, &Report::Ended(end));
    Ok(())
}

fn watch(program: Pid, handle: &OwnedFd, alive: BorrowedFd<'_>, plan: &Plan) -> End {
    let limits = &plan.limits;
    loop {
        let mut polled = [
            PollFd::new(handle, PollFlags::IN),
            PollFd::from_borrowed_fd(alive, PollFlags::IN | PollFlags::RDHUP),
        ];
        let found = poll(&mut polled, Some(&TICK));
        let (is_over, is_told) = (!polled[0].revents().is_empty(), !polled[1].revents().is_empty());
        if is_over && let Some(end) = reap(program) {
            return end;
        }
        if is_told || found.is_err_and(|error| error != Errno::INTR) {
            return End::Told;
        }
        // Orphans that have ended.
        if let Some(end) = reap(program) {
            return end;
        }
        // In a namespace there is nobody else. A bomb grows while it is looked at, so that the look has to be short.
        if plan.view.is_some() && pids().count() as u64 > limits.processes {
            return End::Processes;
        }
        let descendants = Descendants::count();
        if descendants.processes.len() as u64 > limits.processes {
            return End::Processes;
        }
        if descendants.memory > limits.memory_bytes {
            return End::Memory;
        }
    }
}

/// Takes note of every child that has ended; the program's end, if it is among them.
fn reap(program: Pid) -> Option<End> {
    let mut end = None;
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        if pid == program {
            end = Some(ending(status));
        }
    }
    end
}

fn ending(status: WaitStatus) -> End {
    match status.terminating_signal() {
        Some(signal) => End::Signalled(signal),
        None => End::Exited(status.exit_status().unwrap_or(-1)),
    }
}

/// Kills everything that comes from this process.
fn end_descendants() {
    for _ in 0..ROUNDS {
        let descendants = Descendants::count();
        for pid in descendants.processes {
            let _ = kill_process(pid, Signal::KILL);
        }
        // With no child left there is no descendant: orphans become children.
        match wait(WaitOptions::empty()) {
            Err(Errno::CHILD) => return,
            _ => while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {},
        }
    }
}

/// What comes from this process: its children, theirs, and orphans among them.
struct Descendants {
    processes: Vec<Pid>,
    /// What they have in memory, in bytes, files left out.
    memory: u64,
}

impl Descendants {
    fn count() -> Self {
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        for pid in pids() {
            if let Some(parent) = parent(pid) {
                children.entry(parent).or_default().push(pid);
            }
        }
        let mut found = Self { processes: Vec::new(), memory: 0 };
        let mut todo = vec![getpid().as_raw_pid()];
        while let Some(pid) = todo.pop() {
            for child in children.remove(&pid).unwrap_or_default() {
                found.memory += memory(child).unwrap_or(0);
                found.processes.extend(Pid::from_raw(child));
                todo.push(child);
            }
        }
        found
    }
}

/// Every process that can be seen.
fn pids() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in parentheses, and may hold some itself.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn memory(pid: i32) -> Option<u64> {
    let statm = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let mut fields = statm.split_whitespace().skip(1).map(|field| field.parse::<u64>().ok());
    let (resident, shared) = (fields.next()??, fields.next()??);
    let bytes = |pages: u64| pages * rustix::param::page_size() as u64;
    let own = bytes(resident.saturating_sub(shared));
    // Most of what is shared are programs and libraries, and to look closer takes the kernel its time.
    let shared = if bytes(shared) < LOOKED_AT { 0 } else { shared_memory(pid).unwrap_or(bytes(shared)) };
    Some(own + shared)
}

/// Its part of what it shares with others and is no file, in bytes. A process can keep that to itself.
fn shared_memory(pid: i32) -> Option<u64> {
    let sums = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = sums.lines().find_map(|line| line.strip_prefix("Pss_Shmem:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kilobytes << 10)
}
