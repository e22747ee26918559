//! What a sound roles file says that is likely not meant so. It stops nothing; `remit check` tells it.

use super::approve::Rule;
use super::effect::EffectKind;
use super::error::ConfigError;
use super::load::Roles;
use super::path::WorkspacePath;
use super::problem::Problem;
use super::role::Role;
use super::section::Position;
use super::shown::shown;
use super::source::ROLES_FILE;

/// The role that answers where none is named.
const ROOT: &str = "root";

/// Parts of names of environment variables that hold secrets more often than not.
const SECRET_WORDS: [&str; 7] = ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "API_KEY", "PRIVATE"];

/// What a plugin's component could use of what roles grant, as its imports say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Powers {
    /// It reaches files.
    pub files: bool,
    /// It sends requests.
    pub network: bool,
    /// It runs commands.
    pub commands: bool,
}

impl Roles {
    /// What deserves a second look, in the order of the file, with what [`warnings`](Roles::warnings) has.
    /// `powers` says of a plugin what it could use.
    #[must_use]
    pub fn lint(&self, powers: impl Fn(&str) -> Powers) -> Vec<ConfigError> {
        let mut found = self.warnings().to_vec();
        for role in self.all() {
            let mut tell = |key: &str, problem| {
                let at = if key.is_empty() { role.marks.header } else { role.marks.at(key) };
                let key =
                    if key.is_empty() { format!("roles.{}", shown(role.name())) } else { role.key(key) };
                found.push(self.text().error(at, key, problem));
            };
            let is_delegate =
                self.all().iter().any(|other| other.delegates().any(|name| name == role.name()));
            // One that delegates is likely meant to be started by name.
            let starts = role.delegates().next().is_some();
            if role.name() != ROOT && !is_delegate && !starts {
                tell("", Problem::Unreached(shown(role.name())));
            }
            let has = powers_of(role, &powers);
            for (key, is_granted, is_used, does) in [
                ("read", !role.read().is_empty(), has.files || has.commands, "reaches files"),
                ("write", !role.write().is_empty(), has.files || has.commands, "reaches files"),
                ("hosts", !role.hosts().is_empty(), has.network, "sends requests"),
                ("commands", !role.commands().is_empty(), has.commands, "runs commands"),
            ] {
                if is_granted && !is_used {
                    tell(key, Problem::UnusedGrant(does));
                }
            }
            if runs(role, has) && reaches(role, has) {
                tell("hosts", Problem::RunsAndReaches);
            }
            for name in role.command_env() {
                if SECRET_WORDS.iter().any(|word| name.to_uppercase().contains(word)) {
                    tell("command_env", Problem::SecretVariable(shown(name)));
                }
            }
            for directory in role.write() {
                // That the workspace holds its own roles says nothing of the grant.
                let is_news =
                    |file: &&WorkspacePath| directory.as_str() != "." || file.as_str() != ROLES_FILE;
                let covered =
                    self.protected().iter().filter(|file| file.is_within(directory)).filter(is_news);
                let covered: Vec<String> = covered.map(|file| shown(file.as_str())).collect();
                if !covered.is_empty() {
                    let path = shown(directory.as_str());
                    tell("write", Problem::CoversProtected { path, covered });
                }
            }
            rules(role, &mut tell);
        }
        found.extend(super::flow::open_flows(self, &powers));
        found.sort_by_key(|error: &ConfigError| -> Position { error.at });
        found
    }
}

/// What the role's tools could use.
pub(super) fn powers_of(role: &Role, powers: &impl Fn(&str) -> Powers) -> Powers {
    role.plugins().into_iter().map(powers).fold(Powers::default(), |all, one| Powers {
        files: all.files || one.files,
        network: all.network || one.network,
        commands: all.commands || one.commands,
    })
}

/// Whether a role with such tools runs commands.
pub(super) fn runs(role: &Role, has: Powers) -> bool {
    has.commands && !role.commands().is_empty()
}

/// Whether a role with such tools sends requests.
pub(super) fn reaches(role: &Role, has: Powers) -> bool {
    has.network && !role.hosts().is_empty()
}

/// Rules and questions about what the role can't do, or does not ask about.
fn rules(role: &Role, tell: &mut impl FnMut(&str, Problem)) {
    let can = |kind| match kind {
        EffectKind::Write => !role.write().is_empty(),
        EffectKind::Network => !role.hosts().is_empty(),
        EffectKind::Command => !role.commands().is_empty(),
        EffectKind::Delegate => role.delegates().next().is_some(),
    };
    // `"all"` is also about what is granted later.
    let asks_all = EffectKind::ALL.into_iter().all(|kind| role.asks_before(kind));
    for kind in EffectKind::ALL {
        if role.asks_before(kind) && !asks_all && !can(kind) {
            tell("approve", Problem::IdleRule { rule: kind.to_string(), why: "the role can't do it" });
        }
    }
    let idle = |rule: &Rule, why| Problem::IdleRule { rule: shown(&rule.to_string()), why };
    for (key, list) in [("allow", role.allow()), ("deny", role.deny())] {
        for rule in list {
            if !can(rule.kind()) {
                tell(key, idle(rule, "the role can't do it"));
            } else if key == "allow" && !role.asks_before(rule.kind()) {
                tell(key, idle(rule, "the role does not ask before it"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::load::BuiltIn;
    use super::super::source::RolesSource;
    use super::*;

    fn lint(text: &str) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["src", "prompts"] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
        }
        std::fs::write(dir.path().join("prompts/a.md"), "Do.").unwrap();
        let built_in = BuiltIn { roles: text, plugins: &["files", "fetch", "command", "words"] };
        let roles = Roles::load(RolesSource::BuiltIn, &built_in, dir.path()).unwrap();
        let powers = |plugin: &str| Powers {
            files: plugin == "files",
            network: plugin == "fetch",
            commands: plugin == "command",
        };
        roles.lint(powers).iter().map(|found| found.as_warning().to_string()).collect()
    }

    #[test]
    fn what_is_as_it_should_be_is_not_mentioned() {
        let text = "ceiling.write = [\"src\"]\n[roles.root]\ndescription = \"A.\"\ntools = [\"files.*\"]\nread = [\".\"]\n\
                    write = [\"src\"]\napprove = \"all\"\nallow = [\"write *.md\"]\ndeny = [\"write *.lock\"]\n";
        assert_eq!(lint(text), [] as [&str; 0]);
    }

    #[test]
    fn what_does_nothing_or_is_protected_anyway_is_named_with_its_place() {
        let text = r#"
ceiling.write = ["."]
[roles.alone]
description = "A."
prompt_file = "prompts/a.md"
tools = ["words.*"]
read = ["."]
write = ["prompts", "."]
allow = ["write *.md"]
[roles.root]
description = "R."
approve = ["write"]
deny = ["write *.lock", "delegate *"]
"#;
        assert_eq!(
            lint(text),
            [
                "built-in roles.toml:3:8: warning: roles.alone: nobody delegates to the role\n  help: it is reached only with `remit run --role alone`",
                "built-in roles.toml:7:1: warning: roles.alone.read: no tool of the role can use it\n  help: remove it, or give the role a tool that reaches files",
                "built-in roles.toml:8:1: warning: roles.alone.write: no tool of the role can use it\n  help: remove it, or give the role a tool that reaches files",
                "built-in roles.toml:8:1: warning: roles.alone.write: `prompts` holds `prompts/a.md`, which no role may write\n  help: whatever is granted, it stays as it is: it decides what agents do",
                "built-in roles.toml:8:1: warning: roles.alone.write: `.` holds `prompts/a.md`, which no role may write\n  help: whatever is granted, it stays as it is: it decides what agents do",
                "built-in roles.toml:9:1: warning: roles.alone.allow: `write *.md` changes nothing: the role does not ask before it",
                "built-in roles.toml:12:1: warning: roles.root.approve: `write` changes nothing: the role can't do it",
                "built-in roles.toml:13:1: warning: roles.root.deny: `write *.lock` changes nothing: the role can't do it",
                "built-in roles.toml:13:1: warning: roles.root.deny: `delegate *` changes nothing: the role can't do it",
            ]
        );
    }

    #[test]
    fn a_ceiling_that_reveals_credentials_is_named_and_one_that_reveals_a_file_is_not() {
        let with = |reveal: &str| {
            lint(&format!("[ceiling]\nreveal = [{reveal}]\n[roles.root]\ndescription = \"A.\"\n"))
        };
        assert_eq!(with(r#"".env.example""#), [] as [&str; 0]);
        let all = with(r#""*""#).join("\n");
        assert!(all.starts_with(
            "built-in roles.toml:2:1: warning: ceiling.reveal: it shows every role what is hidden"
        ));
        assert!(all.contains("`.env*`, `.git`") && all.contains(" more"), "{all}");
    }

    #[test]
    fn what_cannot_be_used_or_is_likely_a_secret_is_named() {
        let text = r#"
[ceiling]
hosts = ["https://docs.rs"]
commands = ["make **"]
[roles.root]
description = "R."
tools = ["words.*"]
read = ["."]
hosts = ["https://docs.rs"]
commands = ["make"]
command_env = ["LANG", "NPM_TOKEN"]
"#;
        assert_eq!(
            lint(text),
            [
                "built-in roles.toml:8:1: warning: roles.root.read: no tool of the role can use it\n  help: remove it, or give the role a tool that reaches files",
                "built-in roles.toml:9:1: warning: roles.root.hosts: no tool of the role can use it\n  help: remove it, or give the role a tool that sends requests",
                "built-in roles.toml:10:1: warning: roles.root.commands: no tool of the role can use it\n  help: remove it, or give the role a tool that runs commands",
                "built-in roles.toml:11:1: warning: roles.root.command_env: `NPM_TOKEN` looks like a secret, and every command of the role can read it\n  help: a [secrets.NAME] is sent to its host only, and no tool sees its value",
            ]
        );
    }

    /// A role that gets pages, with these other keys, and these other roles.
    fn reaching(keys: &str, others: &str) -> Vec<String> {
        let text = format!(
            "[ceiling]\nhosts = [\"https://docs.rs\"]\ncommands = [\"make\"]\n{others}\n[roles.surfer]\n\
             description = \"S.\"\ntools = [\"fetch.*\", \"files.*\", \"command.*\"]\nhosts = [\"https://docs.rs\"]\n{keys}\n"
        );
        let flows =
            lint(&text).into_iter().filter(|line| line.contains("can leave") || line.contains("can be sent"));
        flows.map(|line| line.lines().next().unwrap().split_once("warning: ").unwrap().1.to_owned()).collect()
    }

    #[test]
    fn a_role_that_reads_and_sends_is_named_unless_somebody_is_asked() {
        let flow = "roles.surfer.hosts: what `surfer` reads can leave with requests to `https://docs.rs`, whose pages can \
                    ask for it: `surfer` reads `.` → `https://docs.rs`";
        assert_eq!(reaching("read = [\".\"]", ""), [flow]);
        assert_eq!(reaching("", ""), [] as [&str; 0]);
        assert_eq!(reaching("read = [\".\"]\napprove = [\"network\"]", ""), [] as [&str; 0]);
        assert_eq!(reaching("read = [\".\"]\ndeny = [\"network *\"]", ""), [] as [&str; 0]);
        let allowed = "read = [\".\"]\napprove = \"all\"\nallow = [\"network https://docs.rs\"]";
        assert_eq!(reaching(allowed, ""), [flow], "nobody is asked about what is allowed");
        let both = reaching("read = [\".\"]\ncommands = [\"make\"]\napprove = [\"network\"]", "");
        assert_eq!(both.len(), 1, "{both:?}");
        assert!(both[0].contains("the role runs commands and reaches hosts"), "{both:?}");
    }

    #[test]
    fn roles_that_read_and_send_together_are_named_where_their_ways_meet() {
        let others = r#"
[roles.root]
description = "R."
tools = ["task"]
delegates = ["lead", "reader"]
[roles.lead]
description = "L."
tools = ["task"]
delegates = ["surfer"]
[roles.reader]
description = "R."
tools = ["files.*"]
read = ["src"]
"#;
        assert_eq!(
            reaching("", others),
            [
                "roles.root.delegates: what `reader` reads can leave with requests to `https://docs.rs`, whose pages can ask \
                 for it: `reader` reads `src` → reports to `root` → delegates to `lead` → delegates to `surfer` → \
                 `https://docs.rs`"
            ]
        );
        let reads = others.replace("description = \"L.\"", "description = \"L.\"\nread = [\"src\"]").replace(
            "[\"task\"]\ndelegates = [\"surfer\"]",
            "[\"task\", \"files.*\"]\ndelegates = [\"surfer\"]",
        );
        let told = reaching("", &reads);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[1].starts_with("roles.lead.delegates: what `lead` reads"), "{told:?}");
    }
}
