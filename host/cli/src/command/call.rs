//! `remit call`

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::time::Instant;

use remit_agent::roles::{
    Authority, EffectKind, Extra, Limits, Narrowing, PathProblem, Role, Target, Verdict, WorkspacePath,
};
use remit_agent::{
    CallLedger, CallLimits, CallTerms, ChangeKind, Consent, Entry, RoleRef, Staged, ToolOutcome, Toolbox,
    ToolboxFactory,
};
use remit_pack::{inert, inert_line};
use remit_sandbox::{CommandPattern, HostGrant, command_line};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Output, warnings};
use crate::command_line::{Call as Arguments, Place};
use crate::failure::Failure;
use crate::interrupt::{self, CANCELLED};
use crate::plugins;
use crate::project::{Breadth, Project};
use crate::screen::{Busy, Screen, bytes, time};
use crate::view::ended;

/// The longest arguments that are read from standard input, in bytes.
const MAX_ARGUMENT_BYTES: u64 = 16 << 20;

/// The longest diff of a dry run, in bytes.
const MAX_DIFF_BYTES: usize = 1 << 20;

/// The exit code of a call whose result is an error.
const ERROR: u8 = 1;

/// Calls one tool as an agent of the role would.
pub(super) fn call(place: &Place, arguments: Arguments) -> Result<ExitCode, Failure> {
    let mut project = Project::trusted(place, Breadth::Guarded { forced: arguments.force })?;
    let roles = project.roles.clone();
    let role = roles.require(&arguments.role).map_err(Failure::refused)?;
    let sandbox = plugins::sandbox()?;
    if !arguments.dry_run {
        plugins::recover(&mut project)?;
    }
    let secrets = roles.resolve_secrets([role], plugins::variable)?;
    let toolboxes = plugins::toolboxes(&mut project, &sandbox)?.with_secrets(secrets);
    let runtime = plugins::runtime()?;
    let (plugin, _) = arguments.tool.split_once('.').ok_or_else(|| {
        Failure::Refused(format!(
            "`{}` is no tool\n  help: a tool is PLUGIN.FUNCTION, as in `remit tools`",
            arguments.tool
        ))
    })?;
    let busy = Busy::with("loading components; new ones are compiled once");
    let plugin = runtime.block_on(toolboxes.plugin(plugin)).map_err(Failure::refused)?;
    if plugin.tool(&arguments.tool).is_none() {
        let tools: Vec<&str> = plugin.tools().iter().map(|tool| tool.name.as_str()).collect();
        let known = tools.join(", ");
        return Err(Failure::Refused(format!("there is no tool `{}`; there are {known}", arguments.tool)));
    }
    if !role.permits(&arguments.tool) {
        return Err(not_permitted(&project, role, &arguments.tool));
    }
    let text = match arguments.arguments.as_str() {
        "-" => from_stdin()?,
        text => text.to_owned(),
    };
    let authority = Authority::of(&roles, role, &Narrowing::default()).with(&extra(&arguments)?);
    let limits = limits(&roles.limits_of(role));
    let reference = RoleRef::new(roles.clone(), role);
    let ledger = CallLedger::default();
    tell(&warnings(&project.warnings, Screen::stderr()));
    let called = async {
        let toolbox = toolboxes.make(&reference, &authority).await.map_err(Failure::refused)?;
        drop(busy);
        let _busy = Busy::with(&arguments.tool);
        let begin = Instant::now();
        let outcome = supervised(&*toolbox, &reference, (&arguments.tool, &text), limits, &ledger).await;
        Ok::<_, Failure>((outcome, begin.elapsed()))
    };
    let called = runtime.block_on(async {
        let cancel = CancellationToken::new();
        interrupt::watch(cancel.clone())?;
        // What is left is stopped, and none of what it would change is anywhere yet.
        tokio::select! {
            biased;
            () = cancel.cancelled() => Ok(None),
            called = called => called.map(Some),
        }
    })?;
    let Some((mut outcome, elapsed)) = called else {
        // A component that is being compiled is not waited for.
        runtime.shutdown_background();
        tell("cancelled; nothing was changed\n");
        return Ok(ExitCode::from(CANCELLED));
    };
    let diff = match outcome.changes.take().filter(|_| !outcome.is_error) {
        Some(changes) if arguments.dry_run => Some(changes.unified_diff(MAX_DIFF_BYTES)),
        Some(changes) => {
            if let Err(why) = settle(&reference, changes) {
                outcome = ToolOutcome { printed: outcome.printed, ..ToolOutcome::error(why) };
            }
            None
        }
        None => None,
    };
    let refusals: Vec<String> = ledger.entries().iter().filter_map(Entry::refusal).collect();
    let told = Told { refusals, changes: changes(&ledger), diff };
    show(&outcome, &told, arguments.json.then_some(elapsed.as_millis()))?;
    Ok(if outcome.is_error { ExitCode::from(ERROR) } else { ExitCode::SUCCESS })
}

/// What the command line adds to the role's grants.
fn extra(arguments: &Arguments) -> Result<Extra, Failure> {
    let hosts = arguments.hosts.iter().map(|url| HostGrant::new(url, &[]).map_err(Failure::refused));
    let commands =
        arguments.commands.iter().map(|text| CommandPattern::parse(text).map_err(Failure::refused));
    let scratch = arguments.scratch.iter().map(|text| {
        let refused = |problem: PathProblem| {
            Failure::Refused(format!(
                "--scratch `{}`: {problem}\n  help: {}",
                inert_line(text),
                problem.help()
            ))
        };
        WorkspacePath::parse(text).map_err(refused)
    });
    Ok(Extra {
        hosts: hosts.collect::<Result<_, _>>()?,
        commands: commands.collect::<Result<_, _>>()?,
        scratch: scratch.collect::<Result<_, _>>()?,
    })
}

/// Makes the call. What it asks about while it runs it may, unless the role is denied it: whoever types a call wants it.
async fn supervised(
    toolbox: &dyn Toolbox,
    role: &RoleRef,
    (tool, arguments): (&str, &str),
    limits: CallLimits,
    ledger: &CallLedger,
) -> ToolOutcome {
    let (consent, mut petitions) = Consent::asked();
    let answering = async {
        while let Some(petition) = petitions.recv().await {
            let (kind, target) = Target::of(petition.effect());
            match role.get().judge(kind, &[target]) {
                Verdict::Denied { rule, .. } => petition.refuse(role.denied_by(rule)),
                Verdict::Ask | Verdict::Granted => petition.grant(),
            }
        }
        std::future::pending().await
    };
    tokio::select! {
        outcome = toolbox.call(tool, arguments, CallTerms { limits, ledger, consent }) => outcome,
        never = answering => never,
    }
}

/// Makes the changes that a call wants, unless the role is denied them.
fn settle(role: &RoleRef, changes: Box<dyn Staged>) -> Result<(), String> {
    if let Verdict::Denied { rule, .. } = role.get().judge(EffectKind::Write, &changes.targets()) {
        return Err(format!("not written: {}", role.denied_by(rule)));
    }
    changes.commit()
}

/// What is on disk now, and what was sent and run, a line each.
fn changes(ledger: &CallLedger) -> Vec<String> {
    let changed = ledger.entries().into_iter().filter_map(|entry| match entry {
        Entry::Changed { path, kind, from, added, removed, .. } => {
            let kind = match (kind, from) {
                (ChangeKind::Created, _) => "created".to_owned(),
                (ChangeKind::Modified, _) => "changed".to_owned(),
                (ChangeKind::Deleted, _) => "deleted".to_owned(),
                (ChangeKind::Moved, from) => format!("moved from {}", from.unwrap_or_default()),
            };
            Some(inert_line(&format!("{path}: {kind}, +{added} −{removed}")))
        }
        Entry::Contacted { method, url, status, received, .. } => {
            let status = status.map_or("no answer".to_owned(), |status| status.to_string());
            Some(inert_line(&format!("{method} {url}: {status}, {}", bytes(received))))
        }
        Entry::Ran { argv, exit_code, ended_by, duration_ms, .. } => {
            let end = ended(exit_code, ended_by.as_deref());
            Some(inert_line(&format!("{}: {end}, {}", command_line(&argv), time(duration_ms))))
        }
        _ => None,
    });
    changed.collect()
}

/// What there is to say beside the result.
struct Told {
    refusals: Vec<String>,
    changes: Vec<String>,
    /// What would change, of a dry run.
    diff: Option<String>,
}

fn limits(limits: &Limits) -> CallLimits {
    let result_bytes = usize::try_from(limits.result_bytes).unwrap_or(usize::MAX);
    CallLimits { time: limits.call_time, result_bytes }
}

/// Says which line of the file would have to be another, and which roles have the tool.
fn not_permitted(project: &Project, role: &Role, tool: &str) -> Failure {
    let roles = &project.roles;
    let others: Vec<&str> = roles.all().iter().filter(|role| role.permits(tool)).map(Role::name).collect();
    let help = match others.as_slice() {
        [] => "no role has it".to_owned(),
        some => format!("use --role {}", some.join(" or ")),
    };
    Failure::Refused(format!(
        "role `{}` has no tool `{tool}` ({})\n  help: {help}",
        role.name(),
        roles.place_of(role, "tools")
    ))
}

fn from_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    let read = io::stdin().lock().take(MAX_ARGUMENT_BYTES).read_to_string(&mut text);
    read.map_err(|error| Failure::Refused(format!("cannot read the arguments: {error}")))?;
    Ok(text)
}

/// The result to standard output, and whatever happened beside it to standard error.
fn show(outcome: &ToolOutcome, told: &Told, millis: Option<u128>) -> Result<(), Failure> {
    let mut output = Output::new();
    if let Some(millis) = millis {
        output.pretty(&json!({
            "is_error": outcome.is_error,
            "text": outcome.text,
            "printed": outcome.printed,
            "refusals": told.refusals,
            "changes": told.changes,
            "diff": told.diff,
            "duration_ms": u64::try_from(millis).unwrap_or(u64::MAX),
        }))?;
        return Ok(output.flush()?);
    }
    let mut beside = String::new();
    if !outcome.printed.is_empty() {
        beside += &format!("{}\n", inert(&outcome.printed));
    }
    for refusal in &told.refusals {
        beside += &format!("refused: {}\n", inert(refusal));
    }
    for change in &told.changes {
        beside += &format!("{change}\n");
    }
    if let Some(diff) = &told.diff {
        beside += &format!("not written, as this is a dry run:\n{diff}");
    }
    if outcome.is_error {
        beside += &format!("{}\n", inert(&outcome.text));
    }
    tell(&beside);
    if !outcome.is_error {
        output.text(&inert(&outcome.text))?;
    }
    Ok(output.flush()?)
}

/// To standard error.
fn tell(text: &str) {
    // Whoever closed it does not want to know.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
