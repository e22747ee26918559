//! `remit trace`

mod conversation;
mod tree;

use std::process::ExitCode;

use remit_agent::trace::{Session, Summary, session, sessions};
use serde_json::json;

use super::Output;
use crate::command_line::{Place, Trace as Arguments};
use crate::failure::Failure;
use crate::project::{Breadth, workspace};
use crate::screen::{Screen, cut, line, width};

/// The name of the newest run.
const LAST: &str = "last";

/// Shows the runs of a workspace, the agents of one, or the conversation of one of these.
pub(super) fn trace(place: &Place, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let workspace = workspace(place, Breadth::Any)?.path;
    let screen = Screen::stdout();
    let mut output = Output::new();
    let Some(run) = arguments.run.as_deref() else {
        list(&sessions(&workspace).map_err(Failure::refused)?, arguments.json, screen, &mut output)?;
        output.flush()?;
        return Ok(ExitCode::SUCCESS);
    };
    let newest =
        if run == LAST { sessions(&workspace).map_err(Failure::refused)?.into_iter().next() } else { None };
    let session = match newest {
        Some(newest) => newest,
        None => session(&workspace, run).map_err(Failure::refused)?,
    };
    match (arguments.agent.as_deref(), arguments.json) {
        (None, true) => tree::write_json(&session, &mut output)?,
        (agent, false) => output.text(&in_words(&session, agent, screen)?)?,
        (Some(agent), true) => {
            for event in session.trace(agent).map_err(Failure::refused)?.events {
                output.json_line(&event.to_line().map_err(std::io::Error::from)?)?;
            }
        }
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The agents of a run, or what one of them did.
pub(crate) fn in_words(session: &Session, agent: Option<&str>, screen: Screen) -> Result<String, Failure> {
    let Some(agent) = agent else { return tree::in_words(session, screen) };
    let trace = session.trace(agent).map_err(Failure::refused)?;
    Ok(conversation::in_words(&trace, screen))
}

fn list(sessions: &[Session], is_json: bool, screen: Screen, output: &mut Output) -> Result<(), Failure> {
    for session in sessions {
        // One record that can't be read is no reason to hide the others.
        let (summary, problem) = match session.summary() {
            Ok(summary) => (summary, None),
            Err(error) => (Summary::default(), Some(error.to_string())),
        };
        let status = match (summary.status, summary.is_running) {
            _ if problem.is_some() => "unreadable",
            _ if summary.is_damaged => "damaged",
            (Some(status), _) => status.as_str(),
            (None, true) => "running",
            // Its process is gone, and never said how it ended.
            (None, false) => "broken_off",
        };
        let prompt = problem.unwrap_or(summary.prompt);
        if is_json {
            let run = json!({
                "run": session.id(), "time": summary.time, "status": status, "prompt": prompt,
            });
            output.json(&run)?;
        } else {
            let head = format!("{:<17}  {status:<16}  ", session.id());
            let room = screen.width.saturating_sub(width(&head));
            output.text(&format!("{head}{}", cut(&line(&prompt), room)))?;
        }
    }
    if sessions.is_empty() && !is_json {
        output.text("no runs in this workspace")?;
    }
    Ok(())
}
