//! What is shown on a command: nothing of it changes anything.

use remit_agent::roles::{Limits, Role};
use remit_agent::{Outcome, Unfinished, trace};
use remit_pack::inert;

use super::Talk;
use super::slash::{COMMANDS, Said};
use crate::command;
use crate::failure::Failure;
use crate::screen::{Screen, line};
use crate::view::closing;

/// Where the words behind a name begin.
const COLUMN: usize = 18;

/// What is asked for with a command, in lines.
pub(super) fn report(talk: &Talk<'_>, asked: &Said<'_>) -> String {
    let screen = talk.screen;
    let told = match asked {
        Said::Roles => Ok(command::roles::in_words(&talk.prepared.project, true, screen)),
        Said::Tools => tools(talk),
        Said::Budget => budget(talk),
        Said::Pin(_) => Ok(pins(talk)),
        Said::Model(_) => Ok(screen.entry("", &inert(&talk.prepared.choice.explain()), 0)),
        Said::Trace(agent) => traced(talk, *agent),
        _ => Ok(help(screen)),
    };
    told.unwrap_or_else(|failure| screen.careful(&screen.entry("", &inert(&format!("! {failure}")), 0)))
}

/// How a prompt ended, below the root's last words.
pub(super) fn end(outcome: &Outcome, screen: Screen) -> String {
    let child = |child: &Unfinished| screen.careful(&screen.entry("", &inert(&format!("! {child}")), 0));
    let unfinished: String = outcome.unfinished.iter().map(child).collect();
    format!("{unfinished}\n{}", closing(outcome, None, screen))
}

fn help(screen: Screen) -> String {
    let entry =
        |(name, takes, does): &(&str, &str, &str)| screen.entry(&format!("{name} {takes}"), does, COLUMN);
    let mut text: String = COMMANDS.iter().map(entry).collect();
    for (key, does) in [
        ("//TEXT", "a prompt that begins with a slash"),
        ("Ctrl-C", "stops what is worked on"),
        ("Alt-Enter", "another line of the same prompt; what is pasted may have several"),
        ("typing meanwhile", "is queued, and taken in behind the calls that are under way"),
    ] {
        text += &screen.entry(key, does, COLUMN);
    }
    text
}

fn role<'a>(talk: &'a Talk<'_>) -> Result<&'a Role, Failure> {
    talk.prepared.project.role(&talk.prepared.role)
}

fn tools(talk: &Talk<'_>) -> Result<String, Failure> {
    let role = role(talk)?;
    let mut plugins = Vec::new();
    for name in role.plugins() {
        // They were loaded before the conversation began.
        let plugin = futures::FutureExt::now_or_never(talk.prepared.toolboxes.plugin(name));
        plugins.extend(plugin.transpose().map_err(Failure::refused)?);
    }
    Ok(command::tools::in_words(&plugins, Some(role), talk.screen))
}

fn budget(talk: &Talk<'_>) -> Result<String, Failure> {
    let screen = talk.screen;
    let roles = &talk.prepared.project.roles;
    let rows = |limits: &Limits| {
        let rows = limits.rows();
        rows.iter().map(|(key, value)| format!("{key} {value}")).collect::<Vec<_>>().join(", ")
    };
    let mut text = screen.entry("each prompt", &rows(roles.budget()), COLUMN);
    text += &screen.entry(
        &format!("of which {}", line(&talk.prepared.role)),
        &rows(&roles.limits_of(role(talk)?)),
        COLUMN,
    );
    if let Some((last, all)) = talk.meter.in_words() {
        let name = if talk.turn.is_some() { "used so far" } else { "used last" };
        text += &screen.entry(name, &last, COLUMN);
        text += &screen.entry("altogether", &all, COLUMN);
    }
    Ok(text)
}

fn pins(talk: &Talk<'_>) -> String {
    let pins = talk.begun.as_ref().map_or_else(|| talk.pins.clone(), |begun| begun.inbox.pins());
    if pins.is_empty() {
        return "nothing is pinned\n".to_owned();
    }
    pins.iter().map(|pin| talk.screen.entry("", &inert(&format!("- {pin}")), 0)).collect()
}

fn traced(talk: &Talk<'_>, agent: Option<&str>) -> Result<String, Failure> {
    let Some(begun) = &talk.begun else { return Ok("nothing has been said yet\n".to_owned()) };
    let workspace = &talk.prepared.project.workspace;
    let session = trace::session(workspace, &begun.session).map_err(Failure::refused)?;
    command::trace::in_words(&session, agent, talk.screen)
}
