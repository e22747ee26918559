//! `remit run`

use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use remit_agent::{
    ChosenModels, Events, Models, Notes, Outcome, Recorder, RunRequest, SandboxToolboxes, Setup,
};
use remit_model::{Keys, ModelChoice};
use remit_pack::inert;
use tokio_util::sync::CancellationToken;

use super::Output;
use crate::ask;
use crate::command_line::{Place, Run};
use crate::failure::Failure;
use crate::interrupt;
use crate::plugins;
use crate::project::{Breadth, Project};
use crate::screen::{Busy, Floor, Screen};
use crate::view::{View, closing};

/// The longest prompt that is read from standard input, in bytes: more is no question, and fits no model.
const MAX_PROMPT_BYTES: u64 = 1 << 20;

/// The exit code of a run that was cancelled before it began.
const CANCELLED: u8 = 130;

/// Runs a prompt to its end.
pub(super) fn run(place: &Place, arguments: Run) -> Result<ExitCode, Failure> {
    let mut project = Project::trusted(place, Breadth::Guarded { forced: arguments.force })?;
    let role = project.role(&arguments.role)?;
    let keys = Keys::from_env();
    let choice = match &arguments.model {
        Some(text) => ModelChoice::parse(text).map_err(Failure::refused)?,
        None => ModelChoice::from_env(&keys),
    };
    let models = Arc::new(ChosenModels::new(&choice, keys).map_err(Failure::refused)?);
    // What can't be had is found out before anything is begun.
    models.of(role).map_err(Failure::refused)?;
    let choice = match role.model() {
        Some(text) => ModelChoice::parse_in_workspace(text).map_err(Failure::refused)?,
        None => choice,
    };
    let prompt = prompt(arguments.prompt.as_deref())?;

    let cancel = CancellationToken::new();
    let runtime = plugins::runtime()?;
    let sandbox = plugins::sandbox()?;
    project.warnings.extend_from_slice(sandbox.warnings());
    plugins::recover(&mut project)?;
    let toolboxes = Arc::new(plugins::toolboxes(&mut project, &sandbox)?);
    let screen = Screen::stderr();
    announce(&project.warnings, &choice, arguments.json, screen);

    let ended = runtime.block_on(async {
        interrupt::watch(cancel.clone())
            .map_err(|error| Failure::Refused(format!("cannot watch for Ctrl-C: {error}")))?;
        let loaded = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(None),
            loaded = check_tools(&project, &toolboxes, &arguments.role) => loaded,
        };
        loaded?;
        let recorder = Recorder::create(&project.workspace).map_err(Failure::refused)?;
        let session = recorder.id().to_owned();
        let floor = Floor::default();
        let (sink, view) =
            if arguments.json { View::json(cancel.clone()) } else { View::lines(screen, floor.clone()) };
        let setup = Setup {
            role: arguments.role,
            pins: arguments.pins,
            notes: Notes::default(),
            roles: project.roles,
            workspace: project.workspace,
            toolboxes,
            models,
            broker: ask::broker(arguments.approve, screen, &floor),
            events: Arc::new(Events::new(vec![Box::new(recorder), Box::new(sink)])),
        };
        let outcome = remit_agent::run(RunRequest { prompt, setup, cancel }).await.map_err(Failure::refused);
        // Everything that hands events to the view is gone by now, so it comes to its end.
        view.end();
        Ok::<_, Failure>(Some((outcome?, session)))
    });
    // A component that is being compiled is not waited for.
    runtime.shutdown_background();
    match ended? {
        None => Ok(ExitCode::from(CANCELLED)),
        Some((outcome, session)) => {
            if !arguments.json {
                conclude(&outcome, &trace_command(place, &session), screen)?;
            }
            Ok(ExitCode::from(outcome.status.exit_code()))
        }
    }
}

/// What the user asks.
fn prompt(argument: Option<&str>) -> Result<String, Failure> {
    let prompt = match argument {
        Some(text) if text != "-" => text.to_owned(),
        None if io::stdin().is_terminal() => {
            return Err(Failure::refused(
                "no prompt\n  help: remit run \"Which test framework is used here?\"",
            ));
        }
        _ => {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().take(MAX_PROMPT_BYTES + 1).read_to_end(&mut bytes);
            read.map_err(|error| Failure::Refused(format!("cannot read the prompt: {error}")))?;
            if bytes.len() as u64 > MAX_PROMPT_BYTES {
                return Err(Failure::Refused(format!("the prompt is larger than {MAX_PROMPT_BYTES} bytes")));
            }
            String::from_utf8(bytes).map_err(|_| Failure::refused("the prompt is not UTF-8 text"))?
        }
    };
    if prompt.trim().is_empty() {
        return Err(Failure::refused(
            "the prompt is empty\n  help: remit run \"Which test framework is used here?\"",
        ));
    }
    Ok(prompt)
}

/// Loads the components that the run may need, and checks every tool that a role names against them.
async fn check_tools(project: &Project, toolboxes: &SandboxToolboxes, role: &str) -> Result<(), Failure> {
    let _busy = Busy::with("loading components; new ones are compiled once");
    let plugins = plugins::reachable(&project.roles, project.role(role)?);
    let known = plugins.into_iter().filter(|name| toolboxes.names().any(|known| known == *name));
    let known = toolboxes.known_tools(known).await.map_err(Failure::refused)?;
    Ok(project.roles.check_tools(&known)?)
}

/// Says what to know before it begins: warnings, and who answers.
fn announce(warnings: &[String], choice: &ModelChoice, is_json: bool, screen: Screen) {
    let mut text = String::new();
    for warning in warnings {
        text += &screen.careful(&screen.entry("", &inert(&format!("! {warning}")), 0));
    }
    if !is_json {
        text += &screen.faint(&screen.entry("", &inert(&format!("model: {}", choice.explain())), 0));
    }
    // Whoever closed standard error does not want to watch.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// What to type to see what the run did.
fn trace_command(place: &Place, session: &str) -> String {
    if place.workspace == Path::new(".") {
        return format!("remit trace {session}");
    }
    format!("remit trace {session} --workspace {}", place.workspace.display())
}

/// The answer alone to standard output, and the figures to standard error.
fn conclude(outcome: &Outcome, rest: &str, screen: Screen) -> Result<(), Failure> {
    let tell = |text: &str| {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    };
    let answered = if outcome.answer.is_empty() {
        Ok(())
    } else {
        tell("\n");
        let mut output = Output::new();
        output.text(&inert(&outcome.answer)).and_then(|()| output.flush())
    };
    tell(&format!("\n{}", closing(outcome, Some(rest), screen)));
    match answered.map_err(Failure::from) {
        Ok(()) | Err(Failure::Closed) => Ok(()),
        Err(other) => Err(other),
    }
}
