//! The host's side of the launcher.

use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::pipe::{PipeFlags, pipe_with};

use super::launcher::{ARGUMENT, READY};
use super::passing::{Request, send};
use super::plan::{MAX_MESSAGE, Plan};

/// How long a launcher may take to say that it is one: against a program that is something else.
const START: Duration = Duration::from_secs(10);

/// Starts commands through one launcher, which is started with the first of them.
#[derive(Debug)]
pub(crate) struct Launching {
    program: Option<PathBuf>,
    launcher: Mutex<Option<Launcher>>,
}

#[derive(Debug)]
struct Launcher {
    process: Child,
    socket: UnixStream,
}

/// A command that is being started. Dropping `talk` ends it.
#[derive(Debug)]
pub(crate) struct Launched {
    /// Where the launcher reports on it. Closed when nothing of it is left.
    pub(crate) talk: UnixStream,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

impl Launching {
    /// `program` calls [`launch_commands`](crate::launch_commands) first thing; by default it is the one that runs.
    pub(crate) fn new(program: Option<PathBuf>) -> Self {
        Self { program, launcher: Mutex::new(None) }
    }

    /// Has the launcher start a command. This may wait for a new launcher.
    pub(crate) fn launch(&self, plan: &Plan) -> io::Result<Launched> {
        let message = serde_json::to_vec(plan)?;
        let length = u32::try_from(message.len()).ok().filter(|length| *length <= MAX_MESSAGE);
        let length = length.ok_or_else(|| io::Error::other("there is too much to say about it"))?;
        let (talk, far_talk) = UnixStream::pair()?;
        let (stdout, far_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, far_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
        let is_contained = plan.view.is_some();
        let far = Request { is_contained, talk: far_talk, stdout: far_stdout, stderr: far_stderr };
        self.request(&far)?;
        drop(far);
        io::Write::write_all(&mut &talk, &[&length.to_le_bytes(), &message[..]].concat())?;
        Ok(Launched { talk, stdout, stderr })
    }

    fn request(&self, request: &Request) -> io::Result<()> {
        let mut launcher = self.launcher.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = launcher.as_ref()
            && send(&running.socket, request).is_ok()
        {
            return Ok(());
        }
        // There was none yet, or it has been killed.
        let program = match &self.program {
            Some(program) => program.clone(),
            None => std::env::current_exe()?,
        };
        let started = Launcher::start(&program).map_err(|error| {
            io::Error::other(format!("{} does not work as a launcher: {error}", program.display()))
        })?;
        send(&launcher.insert(started).socket, request)
    }
}

impl Launcher {
    fn start(program: &std::path::Path) -> io::Result<Self> {
        let (socket, far) = UnixStream::pair()?;
        let process = Command::new(program)
            .arg(ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(far)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let launcher = Self { process, socket };
        let mut byte = [0];
        launcher.socket.set_read_timeout(Some(START))?;
        (&launcher.socket).read_exact(&mut byte)?;
        if byte != [READY] {
            return Err(io::Error::other("it says something else"));
        }
        Ok(launcher)
    }
}

/// Every command that it has started ends with it.
impl Drop for Launcher {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
