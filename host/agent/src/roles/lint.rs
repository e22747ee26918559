//! What a sound roles file says that is likely not meant so. It stops nothing; `remit check` tells it.

use super::approve::Rule;
use super::effect::EffectKind;
use super::error::ConfigError;
use super::load::Roles;
use super::problem::Problem;
use super::role::Role;
use super::section::Position;
use super::shown::shown;

/// The role that answers where none is named.
const ROOT: &str = "root";

impl Roles {
    /// What deserves a second look, in the order of the file, with what [`warnings`](Roles::warnings) has.
    /// `can_use_files` says of a plugin whether it imports the file system.
    #[must_use]
    pub fn lint(&self, can_use_files: impl Fn(&str) -> bool) -> Vec<ConfigError> {
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
            if role.name() != ROOT && !is_delegate {
                tell("", Problem::Unreached(shown(role.name())));
            }
            let has_file_tools = role.plugins().into_iter().any(&can_use_files);
            for (key, granted) in [("read", role.read()), ("write", role.write())] {
                if !granted.is_empty() && !has_file_tools {
                    tell(key, Problem::UnusedGrant);
                }
            }
            for directory in role.write() {
                let covered = self.protected().iter().filter(|file| file.is_within(directory));
                let covered: Vec<String> = covered.map(|file| shown(file.as_str())).collect();
                if !covered.is_empty() {
                    let path = shown(directory.as_str());
                    tell("write", Problem::CoversProtected { path, covered });
                }
            }
            rules(role, &mut tell);
        }
        found.sort_by_key(|error: &ConfigError| -> Position { error.at });
        found
    }
}

/// Rules and questions about what the role can't do, or does not ask about.
fn rules(role: &Role, tell: &mut impl FnMut(&str, Problem)) {
    let can = |kind| match kind {
        EffectKind::Write => !role.write().is_empty(),
        EffectKind::Delegate => role.delegates().next().is_some(),
    };
    // `"all"` is also about what a later version of the file may grant.
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
        let built_in = BuiltIn { roles: text, plugins: &["files", "words"] };
        let roles = Roles::load(RolesSource::BuiltIn, &built_in, dir.path()).unwrap();
        roles.lint(|plugin| plugin == "files").iter().map(|found| found.as_warning().to_string()).collect()
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
                "built-in roles.toml:8:1: warning: roles.alone.write: `.` holds `roles.toml`, `prompts/a.md`, which no role may write\n  help: whatever is granted, it stays as it is: it decides what agents do",
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
}
