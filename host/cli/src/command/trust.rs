//! `remit trust`

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use remit_agent::trust::Standing;

use super::Output;
use crate::command_line::{Place, Trust as Arguments};
use crate::failure::Failure;
use crate::project::{Breadth, Project, Trust, trust_store, workspace};
use crate::screen::Screen;

/// Says what the workspace's roles grant, and trusts them if the user wants it.
pub(super) fn trust(place: &Place, arguments: &Arguments) -> Result<ExitCode, Failure> {
    if place.roles.is_some() {
        return Err(Failure::refused(
            "a file that is named with --roles is trusted by that; `remit trust` is for the workspace's own roles.toml",
        ));
    }
    if arguments.revoke {
        return revoke(place);
    }
    let project = Project::open(place, Breadth::Any)?;
    let standing = match project.trust()? {
        Trust::NotNeeded => return say("these are the built-in roles, which need no trust"),
        Trust::Given => return say(&format!("{} is trusted as it is", file(&project))),
        Trust::Missing(standing) => standing,
    };
    // Without a place to keep trust in there is nothing to ask.
    let store = trust_store()?;
    let mut output = Output::new();
    output.text(&format!("{} grants:\n\n{}", file(&project), project.grants_in_words(Screen::stdout())))?;
    if let Standing::Changed(changes) = standing {
        output.text("\nSince you trusted it:")?;
        for change in changes {
            output.text(&format!("  {change}"))?;
        }
    }
    output.flush()?;
    if !arguments.yes && !confirmed()? {
        return Err(Failure::refused("nothing is trusted"));
    }
    store.trust(&project.workspace, &project.manifest()).map_err(Failure::refused)?;
    say(&format!("\n{} is trusted as it is, with everything that it names", file(&project)))
}

fn revoke(place: &Place) -> Result<ExitCode, Failure> {
    let workspace = workspace(place, Breadth::Any)?.path;
    let was_trusted = trust_store()?.revoke(&workspace).map_err(Failure::refused)?;
    say(if was_trusted {
        "nothing of this workspace is trusted any more"
    } else {
        "nothing of it was trusted"
    })
}

fn file(project: &Project) -> String {
    project.workspace.join(project.roles.text().name()).display().to_string()
}

/// Asks on the terminal. Where there is none, nobody has said yes.
fn confirmed() -> Result<bool, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::refused("there is no terminal to ask on\n  help: remit trust --yes"));
    }
    let failed = |error: io::Error| Failure::Refused(format!("cannot ask: {error}"));
    let mut stderr = io::stderr().lock();
    stderr.write_all(b"\nTrust it? [y/N] ").and_then(|()| stderr.flush()).map_err(failed)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(failed)?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

fn say(words: &str) -> Result<ExitCode, Failure> {
    let mut output = Output::new();
    output.text(words)?;
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
