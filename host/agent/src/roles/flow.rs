//! Where what is private can leave: roles that read the workspace, and roles that send requests, joined by delegation.
//!
//! A page that an agent gets can tell it what to do. If the agent, or one that it can steer by a report or an assignment,
//! reads what is private, a request can carry that out, in a URL as well as in a body.

use super::authority::in_words;
use super::effect::EffectKind;
use super::error::ConfigError;
use super::lint::{Powers, powers_of, reaches, runs};
use super::load::Roles;
use super::problem::Problem;
use super::role::Role;
use super::shown::shown;

/// Every such flow, told once for each role that sends and role at which what is read meets the way to it.
pub(super) fn open_flows(roles: &Roles, powers: &impl Fn(&str) -> Powers) -> Vec<ConfigError> {
    let reads = |role: &Role| {
        let has = powers_of(role, powers);
        (has.files || runs(role, has)) && !(role.read().is_empty() && role.write().is_empty())
    };
    let sends = |role: &Role| reaches(role, powers_of(role, powers)) && is_open(role);
    let mut found = Vec::new();
    for role in roles.all() {
        let (sending, reading) = (ways(roles, role, &sends), ways(roles, role, &reads));
        for to_sender in &sending {
            let Some(sender) = to_sender.last() else { continue };
            // What is read below the next role on the way is told there. Of the others the nearest is the one to change.
            let is_beside = |way: &&Vec<&Role>| {
                let next = to_sender.get(1);
                next.is_none_or(|next| way.get(1).is_none_or(|other| other.name() != next.name()))
            };
            if let Some(to_reader) = reading.iter().find(is_beside) {
                found.push(told(roles, role, to_reader, to_sender, sender));
            }
        }
    }
    found
}

/// Whether requests are sent that nobody is asked about.
fn is_open(role: &Role) -> bool {
    let network = EffectKind::Network;
    let is_denied = role.deny().iter().any(|rule| rule.kind() == network && rule.pattern() == "*");
    let is_asked = role.asks_before(network) && !role.allow().iter().any(|rule| rule.kind() == network);
    !is_denied && !is_asked
}

/// The ways from `role` down to the roles for which `is_one` holds, itself included, the shortest first.
fn ways<'r>(roles: &'r Roles, role: &'r Role, is_one: &impl Fn(&Role) -> bool) -> Vec<Vec<&'r Role>> {
    let mut ways = vec![vec![role]];
    let mut seen = vec![role.name()];
    let mut next = 0;
    while let Some(way) = ways.get(next).cloned() {
        let last = way.last().into_iter().flat_map(|last| last.delegates());
        for delegate in last.filter_map(|name| roles.get(name)) {
            if !seen.contains(&delegate.name()) {
                seen.push(delegate.name());
                ways.push([&way[..], &[delegate]].concat());
            }
        }
        next += 1;
    }
    ways.retain(|way| way.last().is_some_and(|last| is_one(last)));
    ways
}

fn told(roles: &Roles, role: &Role, to_reader: &[&Role], to_sender: &[&Role], sender: &Role) -> ConfigError {
    let name = |role: &Role| format!("`{}`", shown(role.name()));
    let reader = to_reader.last().copied().unwrap_or(role);
    let directories = in_words(&[reader.read(), reader.write()].concat());
    let urls: Vec<String> = sender.hosts().iter().map(|host| host.url()).collect();
    let hosts = in_words(&urls);
    let mut way = vec![format!("{} reads {directories}", name(reader))];
    way.extend(to_reader.iter().rev().skip(1).map(|role| format!("reports to {}", name(role))));
    way.extend(to_sender.iter().skip(1).map(|role| format!("delegates to {}", name(role))));
    way.push(hosts.clone());
    let key = if to_sender.len() > 1 { "delegates" } else { "hosts" };
    let problem = Problem::OpenFlow { reader: name(reader), hosts, way };
    roles.text().error(role.marks.at(key), role.key(key), problem)
}
