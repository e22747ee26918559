use crate::ledger::{NetChange, Verification, one_spelling};
use crate::report::{ClaimedRun, Findings, Observed};

/// How many places, files or commands one warning names; the others are counted.
const MAX_NAMED: usize = 8;

/// What a child says and the runtime knows to be otherwise, in sentences for its parent.
pub(super) fn untrue(findings: &Findings, changes: &[NetChange], runs: &[Verification]) -> Vec<String> {
    let unseen = findings.evidence.iter().filter(|place| place.observed == Some(Observed::No)).map(|place| {
        let named = place.path.as_deref().or(place.url.as_deref()).unwrap_or_default();
        place.line.map_or(named.to_owned(), |line| format!("{named}:{line}"))
    });
    let is_change = |path: &str| {
        let path = one_spelling(path);
        changes
            .iter()
            .any(|change| path.as_ref() == Some(&change.path) || path.is_some() && path == change.from)
    };
    let unchanged = findings.claimed_changes.iter().filter(|path| !is_change(path)).cloned();
    named("named as evidence, though no tool of this agent opened it", unseen.collect())
        .into_iter()
        .chain(named("claimed as changed, though nothing of it was changed", unchanged.collect()))
        .chain(not_run(&findings.claimed_runs, runs))
        .collect()
}

/// Claims about commands. Where none was run one sentence says all.
fn not_run(claims: &[ClaimedRun], runs: &[Verification]) -> Vec<String> {
    if runs.is_empty() {
        let nothing = "it claims to have run something, and ran no command";
        return if claims.is_empty() { Vec::new() } else { vec![nothing.to_owned()] };
    }
    let (mut unknown, mut otherwise) = (Vec::new(), Vec::new());
    for claim in claims {
        let Some(command) = &claim.command else { continue };
        let mut same = runs.iter().filter(|run| words(&run.command) == words(command)).peekable();
        if same.peek().is_none() {
            unknown.push(command.clone());
        } else if let Some(code) = claim.exit_code
            && same.all(|run| run.exit_code.map(i64::from) != Some(code))
        {
            otherwise.push(command.clone());
        }
    }
    named("claimed as run, though it was not", unknown)
        .into_iter()
        .chain(named("claimed to have ended with another exit code than it did", otherwise))
        .collect()
}

/// A command as two can be compared, whatever their spaces and quotes.
fn words(command: &str) -> Vec<String> {
    let plain = command.replace(['\'', '"'], "");
    plain.split_whitespace().map(str::to_owned).collect()
}

fn named(what: &str, mut names: Vec<String>) -> Option<String> {
    let more = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let more = if more == 0 { String::new() } else { format!(", and {more} more") };
    (!names.is_empty()).then(|| format!("{what}: {}{more}", names.join(", ")))
}
