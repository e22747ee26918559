use std::collections::BTreeSet;

use remit_model::Settings;
use remit_pack::inert;
use remit_sandbox::{CommandPattern, CommandSandbox, HostGrant};

use super::approve::{ApproveRules, Rule, Verdict};
use super::ceiling::{Ceiling, check_contradiction};
use super::effect::{EffectKind, Target};
use super::limits::LimitOverrides;
use super::model::{self, RoleModel};
use super::name::is_name;
use super::path::WorkspacePath;
use super::problem::Problem;
use super::prompt::Prompt;
use super::reach::Reach;
use super::reader::{Reader, Section};
use super::secret::Secret;
use super::section::{Marks, Placed};
use super::shown::shown;
use super::tools::{TASK_TOOL, ToolPattern, ToolRules};

/// The longest description, in characters: every agent that may delegate to the role carries it in every request.
const MAX_DESCRIPTION: usize = 300;

/// `[roles.NAME]`: an agent's prompt, its tools, what it may touch, and where it stops.
///
/// A key that is left out grants nothing: no `tools`, no tool; no `read`, no directory; no `delegates`, no child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    pub(super) name: String,
    description: String,
    prompt: Option<Prompt>,
    model: RoleModel,
    pub(super) tools: ToolRules,
    pub(super) delegates: Vec<Placed<String>>,
    read: Vec<WorkspacePath>,
    write: Vec<WorkspacePath>,
    pub(super) reach: Reach,
    pub(super) approve: ApproveRules,
    hidden: Vec<String>,
    pub(super) limits: LimitOverrides,
    pub(super) marks: Marks,
}

impl Role {
    /// Reads a role. Without a sound `ceiling` its grants cannot be compared with it.
    pub(super) fn read_from(
        reader: &mut Reader<'_>,
        name: &str,
        section: &Section<'_>,
        ceiling: Option<&Ceiling>,
        secrets: &[Secret],
    ) -> Self {
        if !is_name(name) {
            reader.report(section.marks.header, &section.path, Problem::BadName(shown(name)));
        }
        let tools = ToolRules {
            allowed: tool_patterns(reader, section, "tools"),
            disallowed: tool_patterns(reader, section, "disallowed_tools"),
        };
        let delegates = reader.strings(section, "delegates");
        check_task(reader, section, &tools, !delegates.is_empty());
        let approve = ApproveRules::read(reader, section, &delegates);
        let (read, write) = granted(reader, section, ceiling);
        let readable = [&read[..], &write].concat();
        let reach = Reach::read(reader, section, ceiling, secrets, &readable);
        Self {
            name: name.to_owned(),
            description: description(reader, section),
            prompt: Prompt::read(reader, section),
            model: RoleModel::read(reader, section),
            tools,
            delegates,
            read,
            write,
            reach,
            approve,
            hidden: reader.patterns(section, "hidden").into_iter().map(|placed| placed.value).collect(),
            limits: LimitOverrides::read(reader, section),
            marks: section.marks.clone(),
        }
    }

    /// The name, safe in paths, tools' names and files' names.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line, by which people and other roles' models choose it.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// What its model is told about its work: the prompt, or the description of a role that has none.
    #[must_use]
    pub fn prompt(&self) -> &str {
        self.prompt.as_ref().map_or(&self.description, |prompt| &prompt.text)
    }

    /// The file that the prompt was read from, where the role names one.
    #[must_use]
    pub fn prompt_file(&self) -> Option<&WorkspacePath> {
        self.prompt.as_ref()?.file.as_ref()
    }

    /// The model of this role, in the words of [`remit_model::ModelChoice::parse_in_workspace`]; without one it has the run's.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.model.choice.as_deref()
    }

    /// How its model is asked.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.model.settings
    }

    /// The settings that the file makes, each as it would say it.
    #[must_use]
    pub fn settings_in_words(&self) -> Vec<String> {
        model::in_words(&self.model.settings)
    }

    /// Whether the role has the tool `name` (`files.read_file`, `task`).
    #[must_use]
    pub fn permits(&self, name: &str) -> bool {
        self.tools.permits(name)
    }

    /// The plugins that its tools belong to. No other is instantiated for it.
    #[must_use]
    pub fn plugins(&self) -> BTreeSet<&str> {
        self.tools.plugins()
    }

    /// What `tools` says.
    pub fn tools(&self) -> impl Iterator<Item = &ToolPattern> {
        self.tools.allowed.iter().map(|placed| &placed.value)
    }

    /// What `disallowed_tools` says.
    pub fn disallowed_tools(&self) -> impl Iterator<Item = &ToolPattern> {
        self.tools.disallowed.iter().map(|placed| &placed.value)
    }

    /// The roles that it may start, in the order of the file.
    pub fn delegates(&self) -> impl Iterator<Item = &str> {
        self.delegates.iter().map(|placed| placed.value.as_str())
    }

    /// The directories that it may read, each within the ceiling.
    #[must_use]
    pub fn read(&self) -> &[WorkspacePath] {
        &self.read
    }

    /// The directories that it may write, and read, each within the ceiling.
    #[must_use]
    pub fn write(&self) -> &[WorkspacePath] {
        &self.write
    }

    /// The hosts that it may send requests to, each within the ceiling.
    #[must_use]
    pub fn hosts(&self) -> &[HostGrant] {
        &self.reach.hosts
    }

    /// The names of the secrets that go with its requests, each to its own host only.
    #[must_use]
    pub fn secrets(&self) -> &[String] {
        &self.reach.secrets
    }

    /// The commands that it may run, each within the ceiling.
    #[must_use]
    pub fn commands(&self) -> &[CommandPattern] {
        &self.reach.commands
    }

    /// The directories that its commands may fill.
    pub fn scratch(&self) -> impl Iterator<Item = &WorkspacePath> {
        self.reach.scratch.iter().map(|placed| &placed.value)
    }

    /// What holds where its commands can't be contained.
    #[must_use]
    pub fn command_sandbox(&self) -> CommandSandbox {
        self.reach.sandbox
    }

    /// The environment variables that its commands get.
    pub fn command_env(&self) -> impl Iterator<Item = &str> {
        self.reach.env.iter().map(|placed| placed.value.as_str())
    }

    /// Whether a person is asked before an effect of this kind, unless a rule of [`allow`](Role::allow) covers it.
    #[must_use]
    pub fn asks_before(&self, kind: EffectKind) -> bool {
        self.approve.asks_before(kind)
    }

    /// What it may do without asking, where it asks otherwise.
    #[must_use]
    pub fn allow(&self) -> &[Rule] {
        self.approve.allow()
    }

    /// What it never does, whatever was granted, allowed or approved.
    #[must_use]
    pub fn deny(&self) -> &[Rule] {
        self.approve.deny()
    }

    /// Whether its calls' requests and commands have to be held against its rules while they run.
    #[must_use]
    pub fn decides_during_calls(&self) -> bool {
        [EffectKind::Network, EffectKind::Command].into_iter().any(|kind| self.approve.decides_about(kind))
    }

    /// What its rules say to an effect on `targets`, all of which are of `kind`.
    #[must_use]
    pub fn judge(&self, kind: EffectKind, targets: &[Target<'_>]) -> Verdict<'_> {
        self.approve.judge(kind, targets)
    }

    /// Gitignore patterns that are hidden from this role beside all others.
    #[must_use]
    pub fn hidden(&self) -> &[String] {
        &self.hidden
    }

    /// The line of `key` in the file, for a refusal to name; the role's own line where the key is not there.
    #[must_use]
    pub fn line_of(&self, key: &str) -> u32 {
        self.marks.line_of(key).unwrap_or(self.marks.line())
    }

    /// The full name of one of its keys, as [`Section::key`] gives it.
    pub(super) fn key(&self, key: &str) -> String {
        format!("roles.{}.{key}", shown(&self.name))
    }
}

fn description(reader: &mut Reader<'_>, section: &Section<'_>) -> String {
    if !section.has("description") {
        let why = "say in one line what the role does: people and other roles' models choose by it";
        reader.report(section.marks.header, &section.path, Problem::Missing { key: "description", why });
    }
    let Some(text) = reader.string(section, "description") else { return String::new() };
    let description = text.value.trim().to_owned();
    let one_line = !description.contains(['\n', '\t']) && inert(&description) == description;
    if description.is_empty() {
        reader.report(text.at, section.key("description"), Problem::Empty);
    } else if !one_line || description.chars().count() > MAX_DESCRIPTION {
        reader.report(text.at, section.key("description"), Problem::NotOneLine(MAX_DESCRIPTION));
    }
    description
}

fn tool_patterns(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    key: &'static str,
) -> Vec<Placed<ToolPattern>> {
    let mut patterns = Vec::new();
    for text in reader.strings(section, key) {
        match ToolPattern::parse(&text.value) {
            Some(value) => patterns.push(Placed { value, at: text.at }),
            None => {
                // A tool's name as a model knows it.
                let name = text.value.replacen("__", ".", 1);
                let nearest = ToolPattern::parse(&name).map(|_| shown(&name));
                let problem = Problem::BadToolPattern { text: shown(&text.value), nearest };
                reader.report(text.at, section.key(key), problem);
            }
        }
    }
    patterns
}

/// The tool to delegate with and somebody to delegate to come together; either alone is a line that does nothing.
fn check_task(reader: &mut Reader<'_>, section: &Section<'_>, tools: &ToolRules, has_delegates: bool) {
    let task = tools.allowed.iter().find(|pattern| pattern.value == ToolPattern::Task);
    match task {
        Some(task) if !has_delegates => {
            reader.report(task.at, section.key("tools"), Problem::TaskWithoutDelegates)
        }
        _ if has_delegates && !tools.permits(TASK_TOOL) => {
            reader.report(
                section.marks.at("delegates"),
                section.key("delegates"),
                Problem::DelegatesWithoutTask,
            );
        }
        _ => {}
    }
}

/// What it may read and write, as far as the ceiling holds it.
fn granted(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    ceiling: Option<&Ceiling>,
) -> (Vec<WorkspacePath>, Vec<WorkspacePath>) {
    let read = reader.directories(section, "read");
    let write = reader.directories(section, "write");
    let writable: Vec<WorkspacePath> = write.iter().map(|path| path.value.clone()).collect();
    check_contradiction(reader, section, &read, &writable);
    let mut within = |key: &'static str, paths: Vec<Placed<WorkspacePath>>| {
        let mut granted = Vec::new();
        for path in paths {
            match ceiling {
                Some(ceiling) if !ceiling.holds(key, &path.value) => {
                    let asked = shown(path.value.as_str());
                    let problem = Problem::OverCeiling { key, asked, ceiling: ceiling.in_words(key) };
                    reader.report(path.at, section.key(key), problem);
                }
                _ => granted.push(path.value),
            }
        }
        granted
    };
    (within("read", read), within("write", write))
}
