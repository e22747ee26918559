use std::fmt::{Display, Write};

use remit_sandbox::{CommandSandbox, HostGrant};

use super::manifest::Manifest;
use crate::roles::{Ceiling, EffectKind, Limits, PluginEntry, Role, Roles, Rule, WorkspacePath, shown};

/// What the file would grant, in words, for the person who is asked to trust it.
///
/// Every text of the file is made inert and cut where it is long, so that nothing in it can redraw the question. Prompts
/// are not repeated, only counted: they grant nothing, but they are what the agents are told.
#[must_use]
pub fn describe_grants(roles: &Roles, manifest: &Manifest) -> String {
    let mut text = String::new();
    ceiling(&mut text, roles.ceiling());
    line(&mut text, "whole run", limits(roles.budget()));
    for entry in roles.plugins() {
        plugin(&mut text, entry, manifest);
    }
    for secret in roles.secrets() {
        line(&mut text, "secret", shown(secret.name()));
        let words = format!("what `{}` of your environment holds", shown(secret.env()));
        let (host, header) = (shown(&secret.host().to_string()), shown(secret.header()));
        inner(&mut text, "sends", format!("{words}, to {host}, as `{header}`"));
    }
    for role in roles.all() {
        describe_role(&mut text, roles, role, manifest);
    }
    text
}

fn line(text: &mut String, name: &str, words: impl Display) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{name:<12}{words}");
}

fn inner(text: &mut String, name: &str, words: impl Display) {
    line(text, &format!("  {name}"), words);
}

fn ceiling(text: &mut String, ceiling: &Ceiling) {
    line(text, "ceiling", format!("reads {}", directories(ceiling.read())));
    if !ceiling.write().is_empty() {
        inner(text, "writes", directories(ceiling.write()));
    }
    if !ceiling.hosts().is_empty() {
        inner(text, "reaches", hosts(ceiling.hosts()));
    }
    if !ceiling.commands().is_empty() {
        inner(text, "runs", quoted(&texts(ceiling.commands())));
    }
    if !ceiling.hidden().is_empty() {
        inner(text, "hides", format!("{}, beside the built-in list", quoted(ceiling.hidden())));
    }
    if !ceiling.reveal().is_empty() {
        let words = match ceiling.revealed_in_words() {
            None => ", which may be hidden otherwise".to_owned(),
            Some(rules) => format!(", and so shows every role what is hidden otherwise: {rules}"),
        };
        inner(text, "reveals", format!("{}{words}", quoted(ceiling.reveal())));
    }
}

fn plugin(text: &mut String, entry: &PluginEntry, manifest: &Manifest) {
    line(text, "plugin", shown(entry.name()));
    let vouched = if entry.sha256().is_some() { ", as roles.toml says" } else { "" };
    inner(text, "component", format!("{}{vouched}", with_digest(entry.path(), manifest)));
    if let Some(wit) = entry.wit() {
        inner(text, "wit", shown(wit.as_str()));
    }
}

fn describe_role(text: &mut String, roles: &Roles, role: &Role, manifest: &Manifest) {
    line(text, "role", format!("{}: {}", shown(role.name()), shown(role.description())));
    let size = format!("{} bytes", role.prompt().len());
    match role.prompt_file() {
        Some(file) => inner(text, "prompt", format!("{size} from {}", with_digest(file, manifest))),
        None => inner(text, "prompt", size),
    }
    if let Some(model) = role.model() {
        let elsewhere = if model.contains("://") {
            " (what the role reads goes to this address; your key does not, unless you set the address yourself)"
        } else {
            ""
        };
        inner(text, "model", format!("{}{elsewhere}", shown(model)));
    }
    let settings = role.settings_in_words();
    if !settings.is_empty() {
        inner(text, "asked with", quoted(&settings));
    }
    let tools: Vec<String> = role.tools().map(ToString::to_string).collect();
    let without: Vec<String> = role.disallowed_tools().map(ToString::to_string).collect();
    let without = if without.is_empty() { String::new() } else { format!(" without {}", quoted(&without)) };
    inner(text, "tools", format!("{}{without}", quoted(&tools)));
    let hidden = match role.hidden() {
        [] => String::new(),
        hidden => format!(", but for {}", quoted(hidden)),
    };
    inner(text, "reads", format!("{}{hidden}", directories(role.read())));
    if !role.write().is_empty() {
        let asks = if role.asks_before(EffectKind::Write) { "after asking" } else { "without asking" };
        inner(text, "writes", format!("{}, {asks}", directories(role.write())));
    }
    outward(text, role);
    rules(text, role);
    let delegates: Vec<String> = role.delegates().map(str::to_owned).collect();
    inner(
        text,
        "delegates",
        if delegates.is_empty() { "to nobody".to_owned() } else { format!("to {}", quoted(&delegates)) },
    );
    inner(text, "limits", limits(&roles.limits_of(role)));
}

/// What it does outside of the workspace.
fn outward(text: &mut String, role: &Role) {
    let asks = |kind| if role.asks_before(kind) { "after asking" } else { "without asking" };
    if !role.hosts().is_empty() {
        inner(text, "reaches", format!("{}, {}", hosts(role.hosts()), asks(EffectKind::Network)));
    }
    if !role.secrets().is_empty() {
        inner(text, "secrets", quoted(role.secrets()));
    }
    if role.commands().is_empty() {
        return;
    }
    let commands = quoted(&texts(role.commands()));
    inner(text, "runs", format!("{commands}, {}: native programs", asks(EffectKind::Command)));
    let scratch: Vec<WorkspacePath> = role.scratch().cloned().collect();
    if !scratch.is_empty() {
        inner(text, "fills", format!("{} with these", directories(&scratch)));
    }
    let env: Vec<String> = role.command_env().map(str::to_owned).collect();
    if !env.is_empty() {
        inner(text, "passes", format!("{} of your environment", quoted(&env)));
    }
    if role.command_sandbox() == CommandSandbox::BestEffort {
        let words = "as far as the system can (best-effort): where it can't, they can do what you can";
        inner(text, "contains", words);
    }
}

/// What it asks about, and the rules that change that.
fn rules(text: &mut String, role: &Role) {
    let rules = |rules: &[Rule]| quoted(&rules.iter().map(ToString::to_string).collect::<Vec<_>>());
    if role.asks_before(EffectKind::Delegate) {
        inner(text, "asks", "before it delegates");
    }
    if !role.allow().is_empty() {
        inner(text, "allows", format!("{} without asking", rules(role.allow())));
    }
    if !role.deny().is_empty() {
        inner(text, "denies", rules(role.deny()));
    }
}

fn with_digest(path: &WorkspacePath, manifest: &Manifest) -> String {
    let digest = manifest
        .files()
        .find(|(file, _)| *file == path.as_str())
        .map(|(_, digest)| format!(", sha256 {digest}"));
    format!("{}{}", shown(path.as_str()), digest.unwrap_or_default())
}

fn directories(directories: &[WorkspacePath]) -> String {
    let names: Vec<String> = directories
        .iter()
        .map(|path| {
            if path.as_str() == "." {
                "the whole workspace".to_owned()
            } else {
                format!("`{}`", shown(path.as_str()))
            }
        })
        .collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

fn hosts(hosts: &[HostGrant]) -> String {
    let words = |host: &HostGrant| {
        let methods: Vec<&str> = host.methods().collect();
        let sends = if host.is_writable() { format!(" ({})", methods.join(", ")) } else { String::new() };
        format!("{}{sends}", shown(&host.url()))
    };
    hosts.iter().map(words).collect::<Vec<_>>().join(", ")
}

fn texts(items: &[impl ToString]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

fn quoted(texts: &[String]) -> String {
    if texts.is_empty() {
        return "none".to_owned();
    }
    texts.iter().map(|text| format!("`{}`", shown(text))).collect::<Vec<_>>().join(", ")
}

fn limits(limits: &Limits) -> String {
    limits.rows().map(|(key, value)| format!("{key} {value}")).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::{BuiltIn, RolesSource};

    fn described(text: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("src")).unwrap();
        std::fs::write(dir.path().join("a.wasm"), "a component").unwrap();
        std::fs::write(dir.path().join("prompt.md"), "Do.").unwrap();
        let built_in = BuiltIn { roles: text, plugins: &["files"] };
        let roles = Roles::load(RolesSource::BuiltIn, &built_in, dir.path()).unwrap();
        let plugins = roles.read_plugins(dir.path(), 1000).unwrap();
        describe_grants(&roles, &Manifest::of(&roles, &plugins))
    }

    #[test]
    fn everything_that_a_file_grants_is_said() {
        let text = described(
            r#"
            [ceiling]
            hidden = ["secrets/"]
            reveal = [".env"]
            [plugins]
            archive = { path = "a.wasm" }
            [roles.root]
            description = "Plans."
            prompt_file = "prompt.md"
            model = "openai:gpt-x@https://models.example/v1"
            tools = ["archive.*", "task"]
            disallowed_tools = ["archive.open"]
            delegates = ["reader"]
            read = ["."]
            hidden = ["*.tmp"]
            max_turns = 3
            [roles.reader]
            description = "Reads."
            "#,
        );
        let expected = "\
ceiling     reads the whole workspace
  hides     `secrets/`, beside the built-in list
  reveals   `.env`, and so shows every role what is hidden otherwise: `*.env`, `.env*`
whole run   max_turns 60, max_model_calls 100, max_tokens 400000, max_cost none, max_tool_calls 16, max_delegations 12, max_depth 2, wall_clock 15m, call_time 30s, result_bytes 65536
plugin      archive
  component a.wasm, sha256 626d0ce33ca550dc06351c3ea7b698be557ff5d35bf25edc44221b561838594c
role        root: Plans.
  prompt    3 bytes from prompt.md, sha256 be0d6ba1302dbc9a4f8c8b4f3a3b7a4c
  model     openai:gpt-x@https://models.example/v1 (what the role reads goes to this address; your key does not, unless you set the address yourself)
  tools     `archive.*`, `task` without `archive.open`
  reads     the whole workspace, but for `*.tmp`
  delegates to `reader`
  limits    max_turns 3, max_model_calls 20, max_tokens 200000, max_cost none, max_tool_calls 16, max_delegations 8, max_depth 2, wall_clock 10m, call_time 30s, result_bytes 32768
role        reader: Reads.
  prompt    6 bytes
  tools     none
  reads     nothing
  delegates to nobody
  limits    max_turns 12, max_model_calls 20, max_tokens 200000, max_cost none, max_tool_calls 16, max_delegations 8, max_depth 2, wall_clock 10m, call_time 30s, result_bytes 32768
";
        let expected = expected
            .replace("be0d6ba1302dbc9a4f8c8b4f3a3b7a4c", &crate::roles::Digest::of(b"Do.").to_string());
        assert_eq!(text, expected);
    }

    #[test]
    fn what_a_role_writes_and_whether_it_asks_is_said() {
        let text = described(
            r#"
            [ceiling]
            write = ["src"]
            [roles.operator]
            description = "Acts."
            write = ["src"]
            approve = "all"
            allow = ["write src/gen/"]
            deny = ["write *.lock"]
            [roles.editor]
            description = "Edits."
            write = ["src"]
            "#,
        );
        let has = |line: &str| assert!(text.contains(&format!("\n{line}\n")), "{line}\n{text}");
        has("  writes    `src`");
        has("  writes    `src`, after asking");
        has("  asks      before it delegates");
        has("  allows    `write src/gen/` without asking");
        has("  denies    `write *.lock`");
        has("  writes    `src`, without asking");
    }

    #[test]
    fn what_leaves_the_workspace_is_said_and_where_a_secret_goes() {
        let text = described(
            r#"
            [ceiling]
            hosts = ["https://docs.rs", { url = "https://evil.example", methods = ["POST"] }]
            commands = ["make **"]
            [secrets.github]
            env = "GITHUB_TOKEN"
            host = "https://evil.example"
            header = "Authorization: Bearer {}"
            [roles.surfer]
            description = "Surfs."
            hosts = ["https://docs.rs", "https://evil.example"]
            secrets = ["github"]
            [roles.maker]
            description = "Makes."
            read = ["src"]
            commands = ["make all"]
            scratch = ["src/out"]
            command_sandbox = "best-effort"
            command_env = ["LANG"]
            approve = ["command"]
            "#,
        );
        let has = |line: &str| assert!(text.contains(&format!("\n{line}\n")), "{line}\n{text}");
        has("  reaches   https://docs.rs, https://evil.example (GET, HEAD, POST)");
        has("  runs      `make **`");
        has("secret      github");
        has(
            "  sends     what `GITHUB_TOKEN` of your environment holds, to https://evil.example, as `Authorization: Bearer {}`",
        );
        has("  reaches   https://docs.rs, https://evil.example, without asking");
        has("  secrets   `github`");
        has("  runs      `make all`, after asking: native programs");
        has("  fills     `src/out` with these");
        has("  passes    `LANG` of your environment");
        has("  contains  as far as the system can (best-effort): where it can't, they can do what you can");
    }

    #[test]
    fn nothing_in_a_file_can_redraw_the_question() {
        let text = described("[ceiling]\nhidden = [\"ab\\u202e\"]\n[roles.root]\ndescription = \"Plans.\"\n");
        assert!(text.contains("`ab\\u{202e}`"), "{text}");
    }
}
