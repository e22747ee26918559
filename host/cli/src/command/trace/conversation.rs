//! What an agent was told, said and did.

use remit_agent::trace::Trace;
use remit_agent::{EventKind, Outcome, Report};
use remit_pack::inert;

use crate::screen::{Screen, bytes, count, line, time};
use crate::view::{call, ended};

/// Where what somebody said begins.
const INDENT: usize = 2;

/// How many columns the arguments of a call may take; the rest is in `--json`.
const ARGUMENT_COLUMNS: usize = 400;

/// The conversation, as it went.
pub(super) fn in_words(trace: &Trace, screen: Screen) -> String {
    let said = trace.events.iter().map(|event| event_in_words(&event.kind, screen));
    let mut blocks: Vec<String> = said.filter(|text| !text.is_empty()).collect();
    for (number, problem) in &trace.problems {
        blocks.push(careful(screen, &format!("line {number}: {problem}")));
    }
    if trace.is_cut {
        blocks.push(careful(screen, "there is more, which is not read: the file is too large, or damaged"));
    }
    if trace.is_torn {
        blocks.push(careful(screen, "the last line is torn: its process was killed while it wrote it"));
    }
    blocks.join("\n")
}

fn event_in_words(kind: &EventKind, screen: Screen) -> String {
    match kind {
        // Who it is stands above already.
        EventKind::AgentStarted { earlier: 1.., model, first_message, .. } => {
            said(screen, &format!("user, to {model}"), first_message)
        }
        EventKind::AgentStarted { role, model, tools, grants, system, first_message, .. } => {
            let about = format!("role {role} · {model} · tools: {}\n{grants}", tools.join(", "));
            [
                said(screen, "agent", &about),
                said(screen, "system", system),
                said(screen, "user", first_message),
            ]
            .join("\n")
        }
        EventKind::InputTaken { text } => said(screen, "user", text),
        EventKind::ModelReply { text, calls, .. } => {
            let mut words = text.trim().to_owned();
            for asked in calls {
                let arguments = call(&asked.arguments, ARGUMENT_COLUMNS);
                words += &format!("\n→ {} {arguments}", asked.name);
            }
            said(screen, "model", words.trim_start())
        }
        EventKind::ToolFinished { tool, is_error, text, duration_ms, printed, refusals, .. } => {
            let mark = if *is_error { " error" } else { "" };
            let mut block = said(screen, &format!("{tool}{mark} · {}", time(*duration_ms)), text);
            if !printed.is_empty() {
                block += &said(screen, "printed", printed);
            }
            for refusal in refusals {
                block += &careful(screen, &format!("refused: {refusal}"));
            }
            block
        }
        EventKind::Report { report, .. } => said(screen, &report.agent, &report_in_words(report)),
        EventKind::Warning { text } => careful(screen, text),
        EventKind::Budget { limit, text } => careful(screen, &format!("{limit}: {text}")),
        EventKind::AgentFinished { status, limit, reason, .. } => {
            let limit = limit.as_ref().map(|limit| format!(" ({limit})")).unwrap_or_default();
            let reason = reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
            said(screen, "end", &format!("{status}{limit}{reason}"))
        }
        EventKind::Outcome(Outcome { answer, .. }) if !answer.is_empty() => said(screen, "answer", answer),
        _ => String::new(),
    }
}

fn report_in_words(report: &Report) -> String {
    let mut words = format!("{}: {}", report.status, report.summary);
    for evidence in &report.evidence {
        let place = evidence.path.as_deref().or(evidence.url.as_deref()).unwrap_or_default();
        let at = evidence.line.map(|line| format!(":{line}")).unwrap_or_default();
        words += &format!("\n- {place}{at}  {}", line(&evidence.reason));
    }
    for run in &report.verification {
        let end = ended(run.exit_code, run.ended_by.as_deref());
        words += &format!("\n$ {}  {end}, {}", line(&run.command), time(run.duration_ms));
    }
    for host in &report.hosts {
        let received = bytes(host.received);
        words += &format!("\n@ {}  {}, {received}", line(&host.host), count(host.requests, "request"));
    }
    for question in &report.open_questions {
        words += &format!("\n? {}", line(question));
    }
    for warning in &report.warnings {
        words += &format!("\n! {}", line(warning));
    }
    words
}

fn said(screen: Screen, who: &str, words: &str) -> String {
    format!("{}\n{}", screen.strong(&line(who)), screen.entry("", &inert(words), INDENT))
}

fn careful(screen: Screen, words: &str) -> String {
    screen.careful(&screen.entry("", &inert(&format!("! {words}")), 0))
}
