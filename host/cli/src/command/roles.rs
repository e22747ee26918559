//! `remit roles`

use std::process::ExitCode;

use remit_agent::roles::{Authority, EffectKind, Limits, Narrowing, PluginEntry, Role, Roles, Rule, Secret};
use remit_pack::inert;
use remit_sandbox::ALWAYS_HIDDEN;
use remit_sandbox::{CommandSandbox, HostGrant};
use serde_json::{Map, Value, json};

use super::Output;
use crate::command_line::{Place, Roles as Arguments};
use crate::failure::Failure;
use crate::project::{Breadth, Project, Trust};
use crate::screen::{Screen, line};

/// Where the words behind a key begin.
const COLUMN: usize = 13;

/// Shows every role, defaults included.
pub(super) fn roles(place: &Place, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let project = Project::open(place, Breadth::Any)?;
    let is_trusted = !matches!(project.trust()?, Trust::Missing(_));
    let mut output = Output::new();
    if arguments.json {
        output.pretty(&as_json(&project.roles, is_trusted))?;
    } else {
        output.text(&in_words(&project, is_trusted, Screen::stdout()))?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn in_words(project: &Project, is_trusted: bool, screen: Screen) -> String {
    let roles = &project.roles;
    let mut text = format!("{}\n", line(roles.text().name()));
    if !is_trusted {
        let words = "not trusted: nothing of it is used before `remit trust`";
        text += &screen.careful(&screen.entry("", words, 2));
    }
    for warning in &project.warnings {
        text += &screen.careful(&screen.entry("", &inert(warning), 2));
    }
    text += &format!("\n{}\n", screen.strong("ceiling"));
    text += &screen.entry("  reads", &listed(roles.ceiling().read()), COLUMN);
    if !roles.ceiling().write().is_empty() {
        text += &screen.entry("  writes", &listed(roles.ceiling().write()), COLUMN);
    }
    text += &optional(screen, "  reaches", roles.ceiling().hosts(), "");
    text += &optional(screen, "  runs", roles.ceiling().commands(), "");
    text += &optional(screen, "  hides", roles.ceiling().hidden(), ", beside the built-in list:");
    text += &screen.entry("  hidden", &ALWAYS_HIDDEN.join(" "), COLUMN);
    text += &optional(screen, "  reveals", roles.ceiling().reveal(), "");
    text += &format!("\n{}\n", screen.strong("whole run"));
    text += &screen.entry("  limits", &limits(roles.budget(), &Limits::BUDGET), COLUMN);
    for plugin in roles.plugins() {
        text += &format!("\n{} {}\n", screen.strong("plugin"), screen.strong(&line(plugin.name())));
        text += &screen.entry("  path", &line(plugin.path().as_str()), COLUMN);
    }
    for secret in roles.secrets() {
        text += &format!("\n{} {}\n", screen.strong("secret"), screen.strong(&line(secret.name())));
        let words = format!("what {} holds goes to {}, as {}", secret.env(), secret.host(), secret.header());
        text += &screen.entry("  sent", &line(&words), COLUMN);
    }
    for role in roles.all() {
        text.push('\n');
        text += &role_in_words(roles, role, screen);
    }
    text
}

fn role_in_words(roles: &Roles, role: &Role, screen: Screen) -> String {
    let mut text = format!("{}\n", screen.strong(&line(role.name())));
    text += &screen.entry("", &line(role.description()), 2);
    let tools: Vec<String> = role.tools().map(ToString::to_string).collect();
    let without: Vec<String> = role.disallowed_tools().map(ToString::to_string).collect();
    let delegates: Vec<&str> = role.delegates().collect();
    let authority = Authority::of(roles, role, &Narrowing::default());
    text += &screen.entry("  tools", &listed(&tools), COLUMN);
    text += &optional(screen, "  without", &without, "");
    text += &screen.entry("  delegates", &listed(&delegates), COLUMN);
    text += &screen.entry("  reads", &listed(authority.read()), COLUMN);
    if !authority.write().is_empty() {
        text += &screen.entry("  writes", &listed(authority.write()), COLUMN);
    }
    text += &optional(screen, "  reaches", authority.hosts(), "");
    text += &optional(screen, "  secrets", role.secrets(), "");
    text += &optional(screen, "  runs", authority.commands(), "");
    text += &optional(screen, "  may fill", authority.scratch(), "");
    text += &optional(screen, "  gives", authority.command_env(), " to its commands");
    if authority.command_sandbox() == CommandSandbox::BestEffort {
        text += &screen.entry("  contains", "as far as the system can: best-effort", COLUMN);
    }
    let asks: Vec<&str> = asked_before(role).collect();
    if !asks.is_empty() {
        text += &screen.entry("  asks before", &listed(&asks), COLUMN);
    }
    text += &optional(screen, "  allows", &rules(role.allow()), "");
    text += &optional(screen, "  denies", &rules(role.deny()), "");
    text += &optional(screen, "  hides", role.hidden(), "");
    text += &screen.entry("  model", &role.model().map_or("the run's".to_owned(), line), COLUMN);
    text += &optional(screen, "  asked with", &role.settings_in_words(), "");
    text += &screen.entry("  limits", &limits(&roles.limits_of(role), &Limits::ROLE), COLUMN);
    text
}

/// The kinds of effect that it asks about.
fn asked_before(role: &Role) -> impl Iterator<Item = &'static str> {
    EffectKind::ALL.into_iter().filter(|kind| role.asks_before(*kind)).map(EffectKind::as_str)
}

fn rules(rules: &[Rule]) -> Vec<String> {
    rules.iter().map(ToString::to_string).collect()
}

fn listed(items: &[impl ToString]) -> String {
    match items {
        [] => "none".to_owned(),
        some => some.iter().map(|item| line(&item.to_string())).collect::<Vec<_>>().join(", "),
    }
}

fn optional(screen: Screen, name: &str, items: &[impl ToString], behind: &str) -> String {
    if items.is_empty() { String::new() } else { screen.entry(name, &(listed(items) + behind), COLUMN) }
}

/// Every limit; those that have their defaults come last and are named so.
fn limits(limits: &Limits, defaults: &Limits) -> String {
    let rows = limits.rows().into_iter().zip(defaults.rows());
    let (left, set): (Vec<_>, Vec<_>) = rows.partition(|(row, default)| row == default);
    let words = |rows: Vec<((&str, String), _)>| -> Vec<String> {
        rows.into_iter().map(|((key, value), _)| format!("{key} {value}")).collect()
    };
    let (set, left) = (words(set).join(", "), words(left).join(", "));
    match (set.is_empty(), left.is_empty()) {
        (false, false) => format!("{set}; by default {left}"),
        (true, false) => format!("by default {left}"),
        _ => set,
    }
}

fn as_json(roles: &Roles, is_trusted: bool) -> Value {
    let strings = |items: &[String]| items.to_vec();
    let ceiling = roles.ceiling();
    let role = |role: &Role| {
        let authority = Authority::of(roles, role, &Narrowing::default());
        json!({
            "name": role.name(),
            "description": role.description(),
            "tools": role.tools().map(ToString::to_string).collect::<Vec<_>>(),
            "disallowed_tools": role.disallowed_tools().map(ToString::to_string).collect::<Vec<_>>(),
            "delegates": role.delegates().collect::<Vec<_>>(),
            "read": authority.read().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "write": authority.write().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "hosts": hosts(authority.hosts()),
            "secrets": role.secrets(),
            "commands": texts(authority.commands()),
            "scratch": texts(authority.scratch()),
            "command_sandbox": authority.command_sandbox(),
            "command_env": authority.command_env(),
            "approve": asked_before(role).collect::<Vec<_>>(),
            "allow": rules(role.allow()),
            "deny": rules(role.deny()),
            "hidden": strings(role.hidden()),
            "model": role.model(),
            "model_settings": role.settings_in_words(),
            "limits": limits_as_json(&roles.limits_of(role)),
        })
    };
    let plugin = |plugin: &PluginEntry| json!({ "name": plugin.name(), "path": plugin.path().as_str() });
    let secret = |secret: &Secret| {
        json!({
            "name": secret.name(),
            "env": secret.env(),
            "host": secret.host().url(),
            "header": secret.header(),
        })
    };
    json!({
        "file": roles.text().name(),
        "trusted": is_trusted,
        "ceiling": {
            "read": ceiling.read().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "write": ceiling.write().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "hosts": hosts(ceiling.hosts()),
            "commands": texts(ceiling.commands()),
            "hidden": strings(ceiling.hidden()),
            "always_hidden": ALWAYS_HIDDEN,
            "reveal": strings(ceiling.reveal()),
        },
        "budget": limits_as_json(roles.budget()),
        "secrets": roles.secrets().iter().map(secret).collect::<Vec<_>>(),
        "plugins": roles.plugins().iter().map(plugin).collect::<Vec<_>>(),
        "roles": roles.all().iter().map(role).collect::<Vec<_>>(),
    })
}

fn texts(items: &[impl ToString]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

fn hosts(hosts: &[HostGrant]) -> Vec<Value> {
    let host = |host: &HostGrant| json!({ "url": host.url(), "methods": host.methods().collect::<Vec<_>>() });
    hosts.iter().map(host).collect()
}

/// Each limit as roles.toml would say it: a number, or a text such as `15m`.
fn limits_as_json(limits: &Limits) -> Value {
    let value = |text: String| text.parse::<u64>().map_or(Value::String(text), Value::from);
    Value::Object(
        limits.rows().into_iter().map(|(key, text)| (key.to_owned(), value(text))).collect::<Map<_, _>>(),
    )
}
