use std::fmt::Write;

use remit_agent::{Figures, Outcome, Status};

use crate::screen::{Screen, bytes, count, line, number, time, wrap};

/// What is said at the end of a run: what to be careful about, how it ended, what it took, and what stayed out of the
/// main conversation. `rest` is the command that shows the rest.
pub(crate) fn closing(outcome: &Outcome, rest: Option<&str>, screen: Screen) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for warning in &outcome.warnings {
        let _ = writeln!(text, "{}", screen.careful(&hanging(&format!("! {}", line(warning)), screen)));
    }
    let status = match outcome.status {
        Status::Completed => screen.good(outcome.status.as_str()),
        other => screen.bad(other.as_str()),
    };
    let limit = outcome.limit.as_ref().map(|limit| format!(" ({})", line(limit))).unwrap_or_default();
    let _ = writeln!(text, "{status}{limit} · {}", spent(&outcome.figures));
    if let Some(reason) = &outcome.reason {
        let _ = writeln!(text, "{}", hanging(&line(reason), screen));
    }
    if let Some(kept_out) = kept_out(&outcome.figures) {
        let _ = writeln!(text, "{}", hanging(&kept_out, screen));
    }
    if let Some(rest) = rest {
        let _ = writeln!(text, "{}", screen.faint(&format!("all of it: {}", line(rest))));
    }
    text
}

fn hanging(words: &str, screen: Screen) -> String {
    let wrapped = wrap(words, screen.width, 2);
    wrapped.trim_start().to_owned()
}

fn spent(figures: &Figures) -> String {
    let about = if figures.tokens_estimated { "about " } else { "" };
    let at_least = if figures.cost_partial { "at least " } else { "" };
    let cost = figures.cost.map(|cost| format!(" · {at_least}${cost}")).unwrap_or_default();
    format!(
        "{} · {} · {about}{}{cost} · {} · {}",
        count(figures.turns, "turn"),
        count(figures.model_calls, "model call"),
        count(figures.usage.total(), "token"),
        count(figures.tool_calls, "tool call"),
        time(figures.duration_ms)
    )
}

/// What delegation was good for: what the main conversation would have had to hold otherwise.
fn kept_out(figures: &Figures) -> Option<String> {
    if figures.delegations == 0 {
        return None;
    }
    let children = figures.usage.total().saturating_sub(figures.root_usage.total());
    Some(format!(
        "main context {}; {} of tool results and {} of {} tokens stayed with {}",
        bytes(figures.main_context_bytes),
        bytes(figures.kept_out_bytes),
        number(children),
        number(figures.usage.total()),
        count(figures.delegations, "subagent")
    ))
}
