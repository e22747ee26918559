use std::collections::BTreeSet;

use super::net::{Deed, NetChange, net};
use super::outward::{HostUse, Verification, hosts, verification};
use super::sight::{Seen, Sight};
use crate::agent_path::AgentPath;
use crate::report::Report;
use crate::roles::EffectKind;
use remit_pack::inert_line;
use remit_sandbox::Entry;

/// How many refusals are told by name; the others are counted.
const MAX_REFUSALS: usize = 8;

/// What one agent did, those below it included, and what it has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Account {
    deeds: Vec<Deed>,
    pub(crate) sight: Sight,
    refused: Vec<String>,
    /// The paths that were to be written, and were refused to whomever.
    unwritten: BTreeSet<String>,
}

impl Account {
    /// Takes in a call of the agent `agent`: its result as it entered the messages, and its ledger.
    pub(crate) fn take_call(&mut self, agent: &AgentPath, seen: Seen<'_>, entries: Vec<Entry>) {
        self.sight.take_result(seen, &entries);
        for entry in entries {
            match entry {
                Entry::Changed { .. } | Entry::Contacted { .. } | Entry::Ran { .. } => {
                    self.deeds.push(Deed { agent: agent.clone(), entry })
                }
                Entry::Refused { ref action, ref path, .. } => {
                    if *action == EffectKind::Write.to_string() {
                        self.unwritten.insert(path.clone());
                    }
                    let words = entry.refusal().unwrap_or_default();
                    if !self.refused.contains(&words) {
                        self.refused.push(words);
                    }
                }
                Entry::Read { .. } | Entry::Listed { .. } => {}
            }
        }
    }

    /// Takes in what a child did, and reported.
    pub(crate) fn take_child(&mut self, child: Account, report: &Report) {
        self.sight.take_report(&report.evidence, &child.sight);
        self.deeds.extend(child.deeds);
        self.unwritten.extend(child.unwritten);
    }

    /// What became of each file, as `agent` has to answer for it.
    pub(crate) fn changes(&self, agent: &AgentPath) -> Vec<NetChange> {
        net(&self.deeds, agent)
    }

    /// What was run, as `agent` has to answer for it.
    pub(crate) fn verification(&self, agent: &AgentPath) -> Vec<Verification> {
        verification(&self.deeds, agent)
    }

    /// The hosts that were reached.
    pub(crate) fn hosts(&self) -> Vec<HostUse> {
        hosts(&self.deeds)
    }

    /// What the agent's own calls tried and were refused, in a sentence.
    pub(crate) fn refusals(&self) -> Option<String> {
        let mut words: Vec<&str> = self.refused.iter().take(MAX_REFUSALS).map(String::as_str).collect();
        let more = format!("{} more", self.refused.len().saturating_sub(MAX_REFUSALS));
        if self.refused.len() > MAX_REFUSALS {
            words.push(&more);
        }
        (!words.is_empty()).then(|| format!("tried, and was refused: {}", words.join("; ")))
    }

    /// That every change was refused, if there was to be one, and no other is to be seen.
    pub(crate) fn nothing_changed(&self) -> Option<String> {
        if self.unwritten.is_empty() || !self.deeds.is_empty() {
            return None;
        }
        let named = self.unwritten.iter().take(MAX_REFUSALS).map(|path| format!("`{}`", inert_line(path)));
        let named = named.collect::<Vec<_>>().join(", ");
        let more = self.unwritten.len().saturating_sub(MAX_REFUSALS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(format!("nothing was changed: writing was refused for {named}{more}"))
    }
}
