//! `remit run`

use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use remit_agent::{Events, Outcome, Recorder, RunRequest, Setup, Status};
use remit_pack::inert;
use tokio_util::sync::CancellationToken;

use super::{Output, Prepared};
use crate::ask;
use crate::command_line::{Place, Run};
use crate::failure::Failure;
use crate::interrupt::{self, CANCELLED};
use crate::plugins;
use crate::screen::{Floor, Screen};
use crate::view::{View, closing};

/// The longest prompt that is read from standard input, in bytes: more is no question, and fits no model.
pub(crate) const MAX_PROMPT_BYTES: u64 = 1 << 20;

/// Runs a prompt to its end.
pub(super) fn run(place: &Place, arguments: Run) -> Result<ExitCode, Failure> {
    let prepared = Prepared::new(place, &arguments.work)?;
    let prompt = prompt(arguments.prompt.as_deref())?;
    let cancel = CancellationToken::new();
    let runtime = plugins::runtime()?;
    let screen = Screen::stderr();
    prepared.announce(!arguments.json);

    let ended = runtime.block_on(async {
        interrupt::watch(cancel.clone())?;
        let loaded = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(None),
            loaded = prepared.check_tools() => loaded,
        };
        loaded?;
        let Prepared { project, role, models, toolboxes, notes, .. } = prepared;
        let recorder = Recorder::create(&project.workspace).map_err(Failure::refused)?;
        let session = recorder.id().to_owned();
        let floor = Floor::default();
        let (sink, view) =
            if arguments.json { View::json(cancel.clone()) } else { View::lines(screen, floor.clone()) };
        let setup = Setup {
            role,
            pins: arguments.work.pins,
            notes,
            roles: project.roles,
            workspace: project.workspace,
            toolboxes,
            models,
            broker: ask::broker(arguments.work.approve, || ask::at_terminal(screen, &floor)),
            events: Arc::new(Events::new(vec![Box::new(recorder), Box::new(sink)])),
        };
        let outcome = remit_agent::run(RunRequest { prompt, setup, cancel }).await.map_err(Failure::refused);
        // Everything that hands events to the view is gone by now, so it comes to its end.
        let shown = view.end();
        Ok::<_, Failure>(Some((outcome?, session, shown)))
    });
    // A component that is being compiled is not waited for.
    runtime.shutdown_background();
    match ended? {
        None => Ok(ExitCode::from(CANCELLED)),
        Some((outcome, session, shown)) => {
            match shown.map_err(Failure::from) {
                Err(failure @ Failure::Refused(_)) => {
                    // The run was ended for it, as far as it had come; nobody cancelled it.
                    failure.tell();
                    return Ok(ExitCode::from(Status::Failed.exit_code()));
                }
                _ if arguments.json => {}
                _ => conclude(&outcome, &trace_command(place, &session), screen)?,
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

/// What to type to see what the run did.
pub(crate) fn trace_command(place: &Place, session: &str) -> String {
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
