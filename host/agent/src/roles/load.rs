use std::collections::BTreeSet;
use std::path::Path;

use remit_sandbox::{GrantSpec, SecretGrant};
use toml::de::DeTable;

use super::ceiling::Ceiling;
use super::delegation;
use super::error::{ConfigError, ConfigErrors, RolesError};
use super::keys::{BUDGET, CEILING, ROLE, TOP};
use super::limits::{LimitOverrides, Limits};
use super::path::WorkspacePath;
use super::plugin::{PluginEntry, PluginFiles};
use super::problem::Problem;
use super::protected;
use super::reader::Reader;
use super::role::Role;
use super::secret::Secret;
use super::section::{Marks, Position};
use super::shown::{shown, shown_words};
use super::source::{RolesSource, RolesText};
use super::suggest::nearest;
use super::tools::KnownTools;

/// What comes with remit.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn<'a> {
    /// The text of the built-in roles file.
    pub roles: &'a str,
    /// The names of the built-in plugins.
    pub plugins: &'a [&'a str],
}

/// A `roles.toml` that was understood and found sound.
#[derive(Clone, Debug)]
pub struct Roles {
    text: RolesText,
    ceiling: Ceiling,
    budget: Limits,
    budget_marks: Option<Marks>,
    plugins: Vec<PluginEntry>,
    secrets: Vec<Secret>,
    roles: Vec<Role>,
    protected: Vec<WorkspacePath>,
    warnings: Vec<ConfigError>,
}

/// A role that the file does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file} has no role `{name}`\n  help: {help}")]
pub struct UnknownRole {
    /// The file, as messages name it.
    pub file: String,
    /// The role that was asked for.
    pub name: String,
    /// The nearest role, or all there are.
    pub help: String,
}

impl Roles {
    /// Reads and parses what `source` names.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or says anything wrong.
    pub fn load(source: RolesSource, built_in: &BuiltIn<'_>, workspace: &Path) -> Result<Self, RolesError> {
        let text = RolesText::read(source, built_in.roles)?;
        Ok(Self::parse(text, built_in, workspace)?)
    }

    /// Understands a text. Grants, prompt files and components are looked up in `workspace`; no component is read, and
    /// nothing is started.
    ///
    /// # Errors
    ///
    /// Everything that is wrong. A text that is no TOML is not looked into further.
    pub fn parse(text: RolesText, built_in: &BuiltIn<'_>, workspace: &Path) -> Result<Self, ConfigErrors> {
        let (document, syntax) = DeTable::parse_recoverable(text.text());
        let mut reader = Reader::new(&text, workspace);
        let sound = report_syntax(&mut reader, &syntax);
        if !sound {
            return Err(ConfigErrors::check(reader.into_problems()).err().unwrap_or_else(|| {
                text.error(Position::START, "", Problem::Syntax("not TOML".to_owned())).into()
            }));
        }

        let top = reader.document(document.get_ref(), &TOP);
        let sound_top = reader.count() == 0;
        let before = reader.count();
        let section = reader.table(&top, "ceiling", &CEILING);
        let ceiling = Ceiling::read_from(&mut reader, section.as_ref());
        let sound_ceiling = (reader.count() == before).then_some(&ceiling);

        let section = reader.table(&top, "budget", &BUDGET);
        let budget =
            section.as_ref().map(|section| LimitOverrides::read(&mut reader, section)).unwrap_or_default();
        let budget = budget.or(&Limits::BUDGET);
        let budget_marks = section.map(|section| section.marks);

        let plugins = PluginEntry::read_all(&mut reader, &top, built_in.plugins);
        let plugin_names = top.names("plugins");
        let secrets = Secret::read_all(&mut reader, &top);
        let sections = reader.tables(&top, "roles", &ROLE, "[roles.NAME]");
        let no_roles = !top.has("roles") && sound_top;
        if no_roles || top.names("roles").is_some_and(|names| names.is_empty()) {
            reader.report(top.marks.at("roles"), "", Problem::NoRoles);
        }
        let mut roles = Vec::with_capacity(sections.len());
        for (name, section) in &sections {
            roles.push(Role::read_from(&mut reader, name, section, sound_ceiling, &secrets));
        }
        let plugin_names: Vec<&str> = built_in
            .plugins
            .iter()
            .copied()
            .chain(plugin_names.iter().flatten().map(String::as_str))
            .collect();
        check_plugin_names(&mut reader, &roles, &plugin_names);
        let warnings = delegation::check(&mut reader, &roles, budget.max_depth);
        let mut warnings: Vec<ConfigError> =
            warnings.into_iter().map(|(key, at, problem)| text.error(at, key, problem)).collect();
        if let (Some(rules), Some(at)) = (ceiling.revealed_in_words(), ceiling.at("reveal")) {
            warnings.push(text.error(at, "ceiling.reveal".to_owned(), Problem::Reveals(rules)));
        }

        let protected = protected::files(&text, workspace, &roles, &plugins);
        for role in &roles {
            let spec = GrantSpec {
                protected: protected.iter().map(ToString::to_string).collect(),
                hidden: ceiling.hidden().to_vec(),
                reveal: ceiling.reveal().to_vec(),
                role_hidden: role.hidden().to_vec(),
                ..GrantSpec::default()
            };
            role.reach.check(&mut reader, workspace, &spec, |key| role.key(key));
        }
        ConfigErrors::check(reader.into_problems())?;
        drop(document);
        Ok(Self { text, ceiling, budget, budget_marks, plugins, secrets, roles, protected, warnings })
    }

    /// Reads every plugin's files, a component of at most `max_bytes`, and checks each against its `sha256`.
    ///
    /// # Errors
    ///
    /// What is wrong with any of them, with the line of its entry.
    pub fn read_plugins(&self, workspace: &Path, max_bytes: u64) -> Result<PluginFiles, ConfigErrors> {
        let mut files = PluginFiles::new();
        let mut errors = Vec::new();
        for entry in &self.plugins {
            match entry.read(&self.text, workspace, max_bytes) {
                Ok(file) => {
                    files.insert(entry.name().to_owned(), file);
                }
                Err(found) => errors.extend_from_slice(found.all()),
            }
        }
        ConfigErrors::check(errors)?;
        Ok(files)
    }

    /// Checks the tools that roles name against what plugins have. Plugins that `known` lacks are not judged, so a
    /// command that needs one role may load that role's alone.
    ///
    /// # Errors
    ///
    /// Every name that is no tool, with the nearest one or with the reason why that function cannot be a tool.
    pub fn check_tools(&self, known: &KnownTools) -> Result<(), ConfigErrors> {
        let mut errors = Vec::new();
        for role in &self.roles {
            for (key, patterns) in
                [("tools", &role.tools.allowed), ("disallowed_tools", &role.tools.disallowed)]
            {
                for pattern in patterns {
                    if let Err(problem) = known.check(&pattern.value) {
                        errors.push(self.text.error(pattern.at, role.key(key), problem));
                    }
                }
            }
        }
        ConfigErrors::check(errors)
    }

    /// The text that all this was read from.
    #[must_use]
    pub fn text(&self) -> &RolesText {
        &self.text
    }

    /// What any role may hold at most.
    #[must_use]
    pub fn ceiling(&self) -> &Ceiling {
        &self.ceiling
    }

    /// The limits of the whole tree of agents.
    #[must_use]
    pub fn budget(&self) -> &Limits {
        &self.budget
    }

    /// The line of `key` in `[budget]`, else of its header; nothing where the file has none.
    #[must_use]
    pub fn budget_line_of(&self, key: &str) -> Option<u32> {
        let marks = self.budget_marks.as_ref()?;
        Some(marks.line_of(key).unwrap_or(marks.line()))
    }

    /// The limits of one agent of `role`: its own, or the defaults, and never more than the budget's.
    #[must_use]
    pub fn limits_of(&self, role: &Role) -> Limits {
        role.limits.or(&Limits::ROLE).min(&self.budget)
    }

    /// The plugins that the file adds to the built-in ones, in its order.
    #[must_use]
    pub fn plugins(&self) -> &[PluginEntry] {
        &self.plugins
    }

    /// The secrets that roles may name, in the order of the file.
    #[must_use]
    pub fn secrets(&self) -> &[Secret] {
        &self.secrets
    }

    /// The secrets that any of `roles` names, with their values, as `variable` gives them.
    ///
    /// # Errors
    ///
    /// When a variable is not set, or holds what can't be kept back or sent. No value is in an error.
    pub fn resolve_secrets<'r>(
        &self,
        roles: impl IntoIterator<Item = &'r Role>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Vec<SecretGrant>, ConfigErrors> {
        let names: BTreeSet<&str> = roles.into_iter().flat_map(Role::secrets).map(String::as_str).collect();
        let (mut secrets, mut errors) = (Vec::new(), Vec::new());
        for secret in self.secrets.iter().filter(|secret| names.contains(secret.name())) {
            match secret.resolve(&self.text, &variable) {
                Ok(secret) => secrets.push(secret),
                Err(found) => errors.extend_from_slice(found.all()),
            }
        }
        ConfigErrors::check(errors)?;
        Ok(secrets)
    }

    /// `role`, and every role that a run of it could start.
    #[must_use]
    pub fn reachable<'r>(&'r self, role: &'r Role) -> Vec<&'r Role> {
        let mut found = vec![role];
        let mut next = 0;
        while let Some(role) = found.get(next) {
            for delegate in role.delegates().filter_map(|name| self.get(name)) {
                if !found.iter().any(|role| role.name() == delegate.name()) {
                    found.push(delegate);
                }
            }
            next += 1;
        }
        found
    }

    /// The roles, in the order of the file.
    #[must_use]
    pub fn all(&self) -> &[Role] {
        &self.roles
    }

    /// The role `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Role> {
        self.roles.iter().find(|role| role.name == name)
    }

    /// The role `name`, as a user or a model asks for it.
    ///
    /// # Errors
    ///
    /// When there is none, with the nearest one.
    pub fn require(&self, name: &str) -> Result<&Role, UnknownRole> {
        self.get(name).ok_or_else(|| {
            let names = || self.roles.iter().map(Role::name);
            let help = match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its roles are {}", names().collect::<Vec<_>>().join(", ")),
            };
            UnknownRole { file: self.text.name().to_owned(), name: shown(name), help }
        })
    }

    /// Where a refusal can be undone: the file and the line of the role's `key`, `roles.toml:12`.
    #[must_use]
    pub fn place_of(&self, role: &Role, key: &str) -> String {
        format!("{}:{}", self.text.name(), role.line_of(key))
    }

    /// What no role writes, whatever is granted: this file, a `roles.toml` of the workspace even if there is none yet, the
    /// prompts' files, and the plugins' components and `wit` folders.
    #[must_use]
    pub fn protected(&self) -> &[WorkspacePath] {
        &self.protected
    }

    /// What is likely not meant so, and stops nothing; see [`ConfigError::as_warning`].
    #[must_use]
    pub fn warnings(&self) -> &[ConfigError] {
        &self.warnings
    }
}

/// Reports what the TOML parser found; false where the text cannot be trusted to mean what it says.
fn report_syntax(reader: &mut Reader<'_>, errors: &[toml::de::Error]) -> bool {
    let text = reader.text.text();
    let mut sound = true;
    for error in errors {
        let span = error.span().unwrap_or_default();
        let at = reader.position(span.start);
        // A second key leaves the first one standing, so that the rest can still be judged.
        let problem = if error.message() == "duplicate key" {
            Problem::Duplicate(shown(text.get(span).unwrap_or_default()))
        } else {
            sound = false;
            Problem::Syntax(shown_words(error.message()))
        };
        reader.report(at, "", problem);
    }
    sound
}

/// Every tool that a role names is of a plugin that there is.
fn check_plugin_names(reader: &mut Reader<'_>, roles: &[Role], plugins: &[&str]) {
    for role in roles {
        for (key, patterns) in [("tools", &role.tools.allowed), ("disallowed_tools", &role.tools.disallowed)]
        {
            for pattern in patterns {
                if let Some(plugin) = pattern.value.plugin()
                    && !plugins.contains(&plugin)
                {
                    let nearest = nearest(plugin, plugins.iter().copied()).map(|name| shown(&name));
                    let problem = Problem::UnknownPlugin { name: shown(plugin), nearest };
                    reader.report(pattern.at, role.key(key), problem);
                }
            }
        }
    }
}
