use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::problem::Problem;
use super::section::Placed;
use super::shown::{shown, shown_words};
use super::suggest::nearest;

/// The tool with which an agent starts another. It is remit's own, and no plugin's.
pub const TASK_TOOL: &str = "task";

/// What an element of `tools` or `disallowed_tools` stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolPattern {
    /// [`TASK_TOOL`].
    Task,
    /// `files.*`: every tool of the plugin, those of its next version included.
    Plugin(String),
    /// `files.read_file`, or `plugin.interface.function`: one tool.
    Tool(String),
}

impl ToolPattern {
    /// Reads a pattern. There is none for "everything": what a role may do is named, plugin by plugin.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text == TASK_TOOL {
            return Some(Self::Task);
        }
        let (plugin, rest) = text.split_once('.')?;
        let word = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        };
        match rest {
            "*" if word(plugin) => Some(Self::Plugin(plugin.to_owned())),
            _ if word(plugin) && rest.split('.').count() <= 2 && rest.split('.').all(word) => {
                Some(Self::Tool(text.to_owned()))
            }
            _ => None,
        }
    }

    fn matches(&self, tool: &str) -> bool {
        match self {
            Self::Task => tool == TASK_TOOL,
            Self::Plugin(plugin) => tool.split_once('.').is_some_and(|(of, _)| of == plugin),
            Self::Tool(name) => tool == name,
        }
    }

    /// The plugin that the tools belong to; none for [`TASK_TOOL`].
    #[must_use]
    pub fn plugin(&self) -> Option<&str> {
        match self {
            Self::Task => None,
            Self::Plugin(plugin) => Some(plugin),
            Self::Tool(name) => name.split_once('.').map(|(plugin, _)| plugin),
        }
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task => f.write_str(TASK_TOOL),
            Self::Plugin(plugin) => write!(f, "{plugin}.*"),
            Self::Tool(name) => f.write_str(name),
        }
    }
}

/// A role's `tools` less its `disallowed_tools`. The default permits nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolRules {
    pub(super) allowed: Vec<Placed<ToolPattern>>,
    pub(super) disallowed: Vec<Placed<ToolPattern>>,
}

impl ToolRules {
    /// A deny beats every allow.
    pub(super) fn permits(&self, tool: &str) -> bool {
        let any =
            |patterns: &[Placed<ToolPattern>]| patterns.iter().any(|pattern| pattern.value.matches(tool));
        any(&self.allowed) && !any(&self.disallowed)
    }

    /// The plugins that have to be loaded for these tools.
    pub(super) fn plugins(&self) -> BTreeSet<&str> {
        self.allowed.iter().filter_map(|pattern| pattern.value.plugin()).collect()
    }
}

/// What the plugins that were loaded have, to check the names in roles against.
#[derive(Clone, Debug, Default)]
pub struct KnownTools {
    plugins: BTreeMap<String, Functions>,
}

#[derive(Clone, Debug, Default)]
struct Functions {
    tools: BTreeSet<String>,
    skipped: BTreeMap<String, String>,
}

impl KnownTools {
    /// No plugin yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a plugin: the full names of its tools (`files.read_file`), and those of functions that cannot be tools, each
    /// with the reason.
    pub fn add<T: Into<String>, S: Into<String>, R: Into<String>>(
        &mut self,
        plugin: impl Into<String>,
        tools: impl IntoIterator<Item = T>,
        skipped: impl IntoIterator<Item = (S, R)>,
    ) {
        let functions = Functions {
            tools: tools.into_iter().map(Into::into).collect(),
            skipped: skipped.into_iter().map(|(name, reason)| (name.into(), reason.into())).collect(),
        };
        self.plugins.insert(plugin.into(), functions);
    }

    /// What is wrong with a pattern, if anything. Plugins that were not loaded are not judged.
    pub(super) fn check(&self, pattern: &ToolPattern) -> Result<(), Problem> {
        let Some(functions) = pattern.plugin().and_then(|plugin| self.plugins.get(plugin)) else {
            return Ok(());
        };
        match pattern {
            ToolPattern::Tool(name) if functions.tools.contains(name) => Ok(()),
            ToolPattern::Tool(name) => Err(match functions.skipped.get(name) {
                Some(reason) => Problem::SkippedTool { name: shown(name), reason: shown_words(reason) },
                None => Problem::UnknownTool { name: shown(name), nearest: self.nearest(name, functions) },
            }),
            ToolPattern::Plugin(_) if functions.tools.is_empty() => {
                Err(Problem::NothingMatches(shown(&pattern.to_string())))
            }
            ToolPattern::Plugin(_) | ToolPattern::Task => Ok(()),
        }
    }

    /// A tool of the same plugin that is near in name, else one of another plugin with the same function's name.
    fn nearest(&self, name: &str, functions: &Functions) -> Option<String> {
        let function =
            |name: &str| name.split_once('.').map_or_else(String::new, |(_, function)| function.to_owned());
        let wanted = function(name);
        let own: BTreeMap<String, &String> =
            functions.tools.iter().map(|tool| (function(tool), tool)).collect();
        if let Some(near) = nearest(&wanted, own.keys().map(String::as_str)) {
            return own.get(&near).map(|tool| (*tool).clone());
        }
        let all = self.plugins.values().flat_map(|functions| &functions.tools);
        all.into_iter().find(|tool| function(tool) == wanted).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::section::Position;
    use super::*;

    fn rules(allowed: &[&str], disallowed: &[&str]) -> ToolRules {
        let placed = |texts: &[&str]| {
            let parse =
                |text: &&str| Placed { value: ToolPattern::parse(text).unwrap(), at: Position::START };
            texts.iter().map(parse).collect()
        };
        ToolRules { allowed: placed(allowed), disallowed: placed(disallowed) }
    }

    #[test]
    fn no_pattern_means_no_tool() {
        for tool in ["files.read_file", "task", "", "."] {
            assert!(!ToolRules::default().permits(tool), "{tool}");
        }
    }

    #[test]
    fn a_role_has_what_it_names_and_nothing_like_it() {
        let rules = rules(&["files.*", "search.grep", "task"], &["files.delete"]);
        for tool in ["files.read_file", "files.other.read", "search.grep", "task"] {
            assert!(rules.permits(tool), "{tool}");
        }
        for tool in [
            "files.delete",
            "filesx.read",
            "files",
            "files__read_file",
            "search.grep2",
            "search.other",
            "task_status",
            "Task",
        ] {
            assert!(!rules.permits(tool), "{tool}");
        }
        assert_eq!(rules.plugins().into_iter().collect::<Vec<_>>(), ["files", "search"]);
    }

    #[test]
    fn a_deny_beats_every_allow() {
        let rules = rules(&["files.*", "files.read_file"], &["files.*"]);
        assert!(!rules.permits("files.read_file"));
    }

    #[test]
    fn there_is_no_pattern_for_everything() {
        for text in [
            "*",
            "*.*",
            "",
            ".",
            "files.",
            ".read",
            "files.re*",
            "files.a.b.c",
            "read_file",
            "files read",
            "files.*.x",
        ] {
            assert_eq!(ToolPattern::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_that_no_plugin_has_is_told_with_the_nearest() {
        let mut known = KnownTools::new();
        known.add("files", ["files.read_file", "files.list_files"], [("files.watch", "it returns a stream")]);
        known.add("search", ["search.grep"], [("search.x", "it takes a resource")]);
        known.add("empty", [] as [&str; 0], [] as [(&str, &str); 0]);
        let check = |text| known.check(&ToolPattern::parse(text).unwrap());
        for fine in ["files.*", "files.read_file", "search.grep", "task", "unloaded.x"] {
            assert_eq!(check(fine), Ok(()), "{fine}");
        }
        let unknown = |name: &str, nearest: Option<&str>| {
            Err(Problem::UnknownTool { name: name.into(), nearest: nearest.map(str::to_owned) })
        };
        assert_eq!(check("files.read_fiel"), unknown("files.read_fiel", Some("files.read_file")));
        assert_eq!(check("files.read-file"), unknown("files.read-file", Some("files.read_file")));
        assert_eq!(check("files.grep"), unknown("files.grep", Some("search.grep")));
        assert_eq!(check("search.zzz"), unknown("search.zzz", None));
        let skipped =
            Problem::SkippedTool { name: "files.watch".into(), reason: "it returns a stream".into() };
        assert_eq!(check("files.watch"), Err(skipped));
        assert_eq!(check("empty.*"), Err(Problem::NothingMatches("empty.*".into())));
    }
}
