//! One command, from a component's words to what became of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::follow::{Cause, Finished, follow, millis};
use super::interface::{Error, Options, Outcome};
use super::pattern::shown;
use super::plan::{End, Plan, ProcessLimits};
use super::toolchain::Toolchain;
use super::view::{PRIVATE, is_in_view, path_of, view};
use super::{CommandSandbox, Launching};
use crate::clock::Clock;
use crate::consent::{Outward, Supervision};
use crate::gate::{DirNode, Follow, locate};
use crate::grant::{Grants, normal};
use crate::ledger::Entry;

/// How long the arguments of a command may be together, in bytes: what Linux takes without question.
const MAX_ARGUMENTS: usize = 128 << 10;

/// The processes of a command at once: against a fork bomb.
const PROCESSES: u64 = 1024;

/// Its processes and threads at once, as the kernel counts them: against a bomb that is faster than the count above, and
/// one of threads.
const TASKS: u64 = 4096;

/// The largest file that it may write: against one that fills the disk in a single file.
const FILE: u64 = 4 << 30;

/// The open files of each of its processes.
const OPEN_FILES: u64 = 4096;

/// What its temporary files may take, which are held in memory.
const PRIVATE_BYTES: u64 = 1 << 30;

/// What is not there for a command that runs uncontained.
const LOST: &str = "it is not contained: it can read and change every file of yours, hidden ones too, use the network, \
                    and see your other processes";

/// Runs commands for one call.
#[derive(Debug)]
pub(crate) struct Commander {
    pub(crate) launching: Arc<Launching>,
    pub(crate) grants: Arc<Grants>,
    pub(crate) supervision: Supervision,
    pub(crate) clock: Arc<Clock>,
    /// The memory of a command's processes together, in bytes.
    pub(crate) memory_bytes: u64,
}

/// What can have commands run: a store's state.
pub(crate) trait Commanded: Send {
    /// Who runs them.
    fn commander(&self) -> &Arc<Commander>;
}

impl Commander {
    /// Runs a command, if it may be.
    pub(crate) async fn run(&self, argv: Vec<String>, options: Options) -> Result<Outcome, Error> {
        let length: usize = argv.iter().map(|argument| argument.len() + 1).sum();
        if argv.is_empty() || argv.iter().any(|argument| argument.contains('\0')) || length > MAX_ARGUMENTS {
            return Err(Error::Invalid(format!(
                "a command is a program and its arguments, without NUL, of at most {MAX_ARGUMENTS} bytes"
            )));
        }
        let granted = self.grants.commands_granted();
        if !granted.patterns.iter().any(|pattern| pattern.matches(&argv)) {
            let patterns: Vec<_> = granted.patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
            return Err(self.deny(
                &argv,
                match patterns.is_empty() {
                    true => "no command is granted".to_owned(),
                    false => format!("it is not among the commands granted: {}", patterns.join(", ")),
                },
            ));
        }
        let directory = self.directory(&argv, options.directory.as_deref().unwrap_or("."))?;
        let Some(workspace) = self.grants.workspace() else {
            return Err(self.deny(&argv, "there is no workspace to run it in".to_owned()));
        };
        let toolchain = granted.toolchain.get_or_init(|| Toolchain::of_host(workspace.path()));
        let name = argv[0].as_str();
        let program = match name.contains('/') {
            true => Some(path_of(workspace, Path::new(name))),
            false => toolchain.find(name),
        };
        let program = program.ok_or_else(|| {
            Error::Failed(format!(
                "there is no program `{name}` in the directories of PATH that commands may use"
            ))
        })?;
        let shown_directory = if directory.is_empty() { ".".to_owned() } else { directory.clone() };
        let effect = Outward::Command { argv: argv.clone(), directory: shown_directory.clone() };
        if let Err(why) = self.supervision.ask(&self.clock, effect).await {
            return Err(self.deny(&argv, why));
        }

        let time = self.clock.left().saturating_sub(self.clock.reserve());
        let time = options.timeout_ms.map_or(time, |asked| time.min(Duration::from_millis(asked)));
        let plan = |is_contained| self.plan(&program, &argv, &directory, toolchain, time, is_contained);
        let mut finished = self.try_run(plan(true)?, &argv, &shown_directory, time, None).await?;
        let mut warnings = Vec::new();
        if let Err(failure) = &finished.report
            && failure.is_lacking
        {
            if granted.sandbox == CommandSandbox::Required {
                return Err(Error::Failed(format!(
                    "this system cannot contain commands ({failure}), so none is run; with `command_sandbox = \
                     \"best-effort\"` it would run, but {LOST}"
                )));
            }
            warnings.push(format!("{LOST} ({failure})"));
            finished = self.try_run(plan(false)?, &argv, &shown_directory, time, Some(LOST)).await?;
        }
        finished.outcome(warnings)
    }

    fn deny(&self, argv: &[String], reason: String) -> Error {
        Error::Denied(self.supervision.refuse("run", &shown(argv), reason))
    }

    /// The own path of the directory that a command asks to run in.
    fn directory(&self, argv: &[String], asked: &str) -> Result<String, Error> {
        let invalid = |reason: &str| Error::Invalid(format!("it cannot run in `{asked}`: {reason}"));
        let path = normal(asked).map_err(|error| Error::Invalid(error.to_string()))?;
        if path == "." {
            return Ok(String::new());
        }
        let workspace = self.grants.workspace().ok_or_else(|| invalid("there is no workspace"))?;
        let found = locate(&DirNode::root(workspace.root().clone()), &path, Follow::Yes);
        let own = found.as_ref().map_or(path.as_str(), |found| found.path.as_str());
        if let Some(rule) = self.grants.hidden().hides(own, true) {
            return Err(self.deny(argv, format!("the directory `{asked}` is hidden by the rule `{rule}`")));
        }
        if !is_in_view(&self.grants, own) {
            return Err(self.deny(argv, format!("the directory `{asked}` is not granted")));
        }
        match found {
            Ok(found) if found.is_dir() => Ok(found.path),
            Ok(_) => Err(invalid("it is no directory")),
            Err(_) => Err(invalid("there is no such directory")),
        }
    }

    fn plan(
        &self,
        program: &Path,
        argv: &[String],
        directory: &str,
        toolchain: &Toolchain,
        time: Duration,
        is_contained: bool,
    ) -> Result<Unseen, Error> {
        let workspace =
            self.grants.workspace().ok_or_else(|| Error::Failed("there is no workspace".to_owned()))?;
        let path = std::env::join_paths(&toolchain.path).ok().and_then(|path| path.into_string().ok());
        let temporary = if is_contained { PathBuf::from(PRIVATE) } else { std::env::temp_dir() };
        let home = match is_contained {
            true => temporary.join("home"),
            false => std::env::var_os("HOME").map_or_else(|| temporary.clone(), PathBuf::from),
        };
        let mut env = toolchain.env.clone();
        if !env.iter().any(|(name, _)| name == "LANG") {
            env.push(("LANG".to_owned(), "C.UTF-8".to_owned()));
        }
        let own = [("PATH", path), ("HOME", text(&home)), ("TMPDIR", text(&temporary))];
        env.extend(own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        let named = self.grants.commands_granted().env.iter();
        env.extend(named.filter_map(|name| Some((name.clone(), std::env::var(name).ok()?))));
        Ok(Unseen {
            plan: Plan {
                program: program.to_owned(),
                argv: argv.to_vec(),
                directory: path_of(workspace, Path::new(directory)),
                env,
                limits: self.limits(time),
                view: None,
            },
            is_contained,
        })
    }

    fn limits(&self, time: Duration) -> ProcessLimits {
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
        ProcessLimits {
            memory_bytes: self.memory_bytes,
            processes: PROCESSES,
            tasks: TASKS,
            file_bytes: FILE,
            open_files: OPEN_FILES,
            // What all processors could do in the time: only what outlives its keeper gets there.
            cpu_seconds: time.as_secs().saturating_add(1).saturating_mul(processors),
            private_bytes: PRIVATE_BYTES,
        }
    }

    async fn try_run(
        &self,
        unseen: Unseen,
        argv: &[String],
        directory: &str,
        time: Duration,
        lost: Option<&str>,
    ) -> Result<Finished, Error> {
        let (launching, grants) = (self.launching.clone(), self.grants.clone());
        // Searching a workspace and starting a launcher take their time.
        let launched = tokio::task::spawn_blocking(move || {
            let mut plan = unseen.plan;
            if unseen.is_contained {
                let granted = grants.commands_granted();
                let (Some(workspace), Some(toolchain)) = (grants.workspace(), granted.toolchain.get()) else {
                    return Err("there is no workspace".to_owned());
                };
                plan.view = Some(view(&grants, workspace, toolchain)?);
            }
            launching.launch(&plan).map_err(|error| error.to_string())
        });
        let failed = |error: String| Error::Failed(format!("it could not be started: {error}"));
        let launched = launched.await.map_err(|error| failed(error.to_string()))?.map_err(failed)?;
        let mut record = Record {
            commander: self,
            argv: argv.to_vec(),
            directory: directory.to_owned(),
            start: Instant::now(),
            printed: Arc::default(),
            lost: lost.map(str::to_owned),
            is_written: false,
        };
        let finished = follow(launched, time, &record.printed, record.start).await;
        let finished = finished.map_err(|error| failed(error.to_string()))?;
        record.finish(&finished);
        Ok(finished)
    }
}

/// A plan that has not looked at the workspace yet.
struct Unseen {
    plan: Plan,
    is_contained: bool,
}

/// Puts a command into the ledger when it is over, whatever ends it.
struct Record<'a> {
    commander: &'a Commander,
    argv: Vec<String>,
    directory: String,
    start: Instant,
    printed: Arc<AtomicU64>,
    lost: Option<String>,
    is_written: bool,
}

impl Record<'_> {
    fn finish(&mut self, finished: &Finished) {
        match (&finished.report, finished.cause) {
            // It never ran.
            (Err(_), None) => self.is_written = true,
            (Ok(End::Exited(code)), _) => self.write(Some(*code), None),
            (Ok(End::Signalled(signal)), _) => self.write(None, Some(format!("signal {signal}"))),
            (_, Some(Cause::Time)) => self.write(None, Some("time".to_owned())),
            (_, Some(Cause::Output)) => self.write(None, Some("output".to_owned())),
            (Ok(End::Memory), None) => self.write(None, Some("memory".to_owned())),
            (Ok(End::Processes), None) => self.write(None, Some("processes".to_owned())),
            (Ok(End::Told), None) => {}
        }
    }

    fn write(&mut self, exit_code: Option<i32>, ended_by: Option<String>) {
        self.is_written = true;
        self.commander.supervision.ledger.changed(Entry::Ran {
            argv: std::mem::take(&mut self.argv),
            directory: std::mem::take(&mut self.directory),
            exit_code,
            ended_by,
            duration_ms: millis(self.start.elapsed()),
            output_bytes: self.printed.load(Ordering::Relaxed),
            uncontained: self.lost.take(),
        });
    }
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        if !self.is_written {
            self.write(None, Some("cancelled".to_owned()));
        }
    }
}

fn text(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}
