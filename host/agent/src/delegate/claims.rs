use crate::ledger::{NetChange, one_spelling};
use crate::report::{Findings, Observed};

/// How many places or files one warning names; the others are counted.
const MAX_NAMED: usize = 8;

/// What a child says and the runtime knows to be otherwise, in sentences for its parent.
pub(super) fn untrue(findings: &Findings, changes: &[NetChange]) -> Vec<String> {
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
    let verified = "it claims to have run something, and ran no command";
    named("named as evidence, though no tool of this agent opened it", unseen.collect())
        .into_iter()
        .chain(named("claimed as changed, though nothing of it was changed", unchanged.collect()))
        .chain(findings.claims_verification.then(|| verified.to_owned()))
        .collect()
}

fn named(what: &str, mut names: Vec<String>) -> Option<String> {
    let more = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let more = if more == 0 { String::new() } else { format!(", and {more} more") };
    (!names.is_empty()).then(|| format!("{what}: {}{more}", names.join(", ")))
}
