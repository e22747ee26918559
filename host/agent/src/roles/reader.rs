use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use remit_sandbox::{CommandPattern, HostGrant};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::beneath::open_directory;
use super::duration::parse_duration;
use super::error::ConfigError;
use super::keys::{HOST, Keys};
use super::path::WorkspacePath;
use super::pattern::check_pattern;
use super::problem::Problem;
use super::section::{Lines, Marks, Placed, Position};
use super::shown::{shown, shown_words};
use super::source::RolesText;
use super::suggest::nearest;

/// Reads values out of a parsed file and keeps every problem on the way, so that all are told at once.
///
/// A value with a problem is left out of the result; what is made of the rest is thrown away in the end.
pub(super) struct Reader<'t> {
    pub(super) text: &'t RolesText,
    pub(super) workspace: &'t Path,
    lines: Lines<'t>,
    problems: Vec<ConfigError>,
}

/// A table whose keys were checked.
pub(super) struct Section<'d> {
    /// The table's own key with those around it, `roles.root`.
    pub(super) path: String,
    pub(super) marks: Marks,
    table: &'d DeTable<'d>,
}

impl<'d> Section<'d> {
    /// The full name of one of its keys, for messages.
    pub(super) fn key(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// The names in the table `key`, sound or not; nothing where it is no table.
    pub(super) fn names(&self, key: &str) -> Option<Vec<String>> {
        let table = self.get(key)?.get_ref().as_table()?;
        Some(table.keys().map(|name| name.get_ref().to_string()).collect())
    }

    /// Whether the key is there and says exactly this.
    pub(super) fn is_text(&self, key: &str, text: &str) -> bool {
        self.get(key).is_some_and(|value| value.get_ref().as_str() == Some(text))
    }

    pub(super) fn get(&self, key: &str) -> Option<&'d Spanned<DeValue<'d>>> {
        self.table.get(key)
    }
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t RolesText, workspace: &'t Path) -> Self {
        Self { text, workspace, lines: Lines::new(text.text()), problems: Vec::new() }
    }

    pub(super) fn position(&self, offset: usize) -> Position {
        self.lines.position(offset)
    }

    pub(super) fn report(&mut self, at: Position, key: impl Into<String>, problem: Problem) {
        self.problems.push(self.text.error(at, key, problem));
    }

    /// How many problems there are so far.
    pub(super) fn count(&self) -> usize {
        self.problems.len()
    }

    pub(super) fn into_problems(self) -> Vec<ConfigError> {
        self.problems
    }

    /// The whole file as a table.
    pub(super) fn document<'d>(&mut self, table: &'d DeTable<'d>, keys: &Keys) -> Section<'d> {
        self.checked(String::new(), Position::START, table, keys)
    }

    /// The table `key`, its keys checked.
    pub(super) fn table<'d>(&mut self, parent: &Section<'d>, key: &str, keys: &Keys) -> Option<Section<'d>> {
        let (at, table) = self.any_table(parent, key, &format!("[{}]", parent.key(key)))?;
        Some(self.checked(parent.key(key), at, table, keys))
    }

    /// The tables inside of the table `key`, whose names are the user's, in the order of the file.
    pub(super) fn tables<'d>(
        &mut self,
        parent: &Section<'d>,
        key: &str,
        keys: &Keys,
        example: &str,
    ) -> Vec<(String, Section<'d>)> {
        let Some((_, table)) = self.any_table(parent, key, example) else { return Vec::new() };
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let mut sections = Vec::new();
        for (name, value) in entries {
            let path = format!("{}.{}", parent.key(key), shown(name.get_ref()));
            let at = self.position(name.span().start);
            match value.get_ref().as_table() {
                Some(table) => {
                    sections.push((name.get_ref().to_string(), self.checked(path, at, table, keys)))
                }
                None => self.wrong_type(at, path, "a table", value, Some(example.to_owned())),
            }
        }
        sections
    }

    fn any_table<'d>(
        &mut self,
        parent: &Section<'d>,
        key: &str,
        example: &str,
    ) -> Option<(Position, &'d DeTable<'d>)> {
        let value = parent.get(key)?;
        let at = parent.marks.at(key);
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong_type(at, parent.key(key), "a table", value, Some(example.to_owned()));
        }
        table.map(|table| (at, table))
    }

    fn checked<'d>(
        &mut self,
        path: String,
        header: Position,
        table: &'d DeTable<'d>,
        keys: &Keys,
    ) -> Section<'d> {
        let mut section = Section { path, marks: Marks { header, keys: BTreeMap::new() }, table };
        for key in table.keys() {
            let at = self.position(key.span().start);
            let name = key.get_ref();
            if keys.has(name) {
                section.marks.keys.insert(name.to_string(), at);
            } else if keys.later.contains(&name.as_ref()) {
                self.report(at, section.key(name), Problem::LaterKey);
            } else {
                let problem = Problem::UnknownKey {
                    nearest: nearest(name, keys.all()),
                    belongs: Keys::home_of(name),
                    known: keys.all().collect(),
                };
                self.report(at, section.key(&shown(name)), problem);
            }
        }
        section
    }

    /// The entries of the table `key`, whose keys are anybody's, in the order of the file.
    pub(super) fn entries<'d>(
        &mut self,
        section: &Section<'d>,
        key: &str,
        example: &str,
    ) -> Vec<(&'d Spanned<DeString<'d>>, &'d Spanned<DeValue<'d>>)> {
        let Some((_, table)) = self.any_table(section, key, example) else { return Vec::new() };
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        entries
    }

    pub(super) fn wrong_type(
        &mut self,
        at: Position,
        key: String,
        expected: &'static str,
        found: &Spanned<DeValue<'_>>,
        example: Option<String>,
    ) {
        let found = match found.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number with a point",
            DeValue::Boolean(_) => "a truth value",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.report(at, key, Problem::WrongType { expected, found, example });
    }

    pub(super) fn string(&mut self, section: &Section<'_>, key: &'static str) -> Option<Placed<String>> {
        let value = section.get(key)?;
        let at = self.position(value.span().start);
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.wrong_type(at, section.key(key), "a string", value, None);
        }
        text.map(|text| Placed { value: text.to_owned(), at })
    }

    /// An array of strings. A key that is not there is an empty array.
    pub(super) fn strings(&mut self, section: &Section<'_>, key: &'static str) -> Vec<Placed<String>> {
        let Some(value) = section.get(key) else { return Vec::new() };
        let Some(array) = value.get_ref().as_array() else {
            let example = value.get_ref().as_str().map(|text| format!("{key} = [\"{}\"]", shown(text)));
            let at = self.position(value.span().start);
            self.wrong_type(at, section.key(key), "an array of strings", value, example);
            return Vec::new();
        };
        let mut strings = Vec::new();
        for element in array.iter() {
            let at = self.position(element.span().start);
            match element.get_ref().as_str() {
                Some(text) => strings.push(Placed { value: text.to_owned(), at }),
                None => self.wrong_type(at, section.key(key), "a string", element, None),
            }
        }
        strings
    }

    /// Hosts: each a URL, for reading, or a table with `url` and `methods`.
    pub(super) fn hosts(&mut self, section: &Section<'_>, key: &'static str) -> Vec<Placed<HostGrant>> {
        let Some(value) = section.get(key) else { return Vec::new() };
        let Some(array) = value.get_ref().as_array() else {
            let example = value.get_ref().as_str().map(|text| format!("{key} = [\"{}\"]", shown(text)));
            let at = self.position(value.span().start);
            self.wrong_type(at, section.key(key), "an array of hosts", value, example);
            return Vec::new();
        };
        let mut hosts = Vec::new();
        for element in array.iter() {
            let at = self.position(element.span().start);
            let (url, methods) = match element.get_ref() {
                DeValue::String(url) => (url.to_string(), Vec::new()),
                DeValue::Table(table) => {
                    let host = self.checked(section.key(key), at, table, &HOST);
                    if !host.has("url") {
                        let why = "a host is a URL: url = \"https://api.example.org\"";
                        self.report(at, &host.path, Problem::Missing { key: "url", why });
                    }
                    let methods = self.strings(&host, "methods").into_iter().map(|method| method.value);
                    let Some(url) = self.string(&host, "url") else { continue };
                    (url.value, methods.collect())
                }
                _ => {
                    self.wrong_type(at, section.key(key), "a URL, or a table with `url`", element, None);
                    continue;
                }
            };
            let methods: Vec<&str> = methods.iter().map(String::as_str).collect();
            match HostGrant::new(&url, &methods) {
                Ok(value) => hosts.push(Placed { value, at }),
                Err(problem) => {
                    self.report(at, section.key(key), Problem::Host(shown_words(&problem.to_string())));
                }
            }
        }
        hosts
    }

    /// Patterns of commands.
    pub(super) fn commands(
        &mut self,
        section: &Section<'_>,
        key: &'static str,
    ) -> Vec<Placed<CommandPattern>> {
        let mut patterns = Vec::new();
        for text in self.strings(section, key) {
            match CommandPattern::parse(&text.value) {
                Ok(value) => patterns.push(Placed { value, at: text.at }),
                Err(problem) => self.report(text.at, section.key(key), Problem::command(&problem)),
            }
        }
        patterns
    }

    /// Paths of the workspace; nothing is looked up yet.
    pub(super) fn paths(&mut self, section: &Section<'_>, key: &'static str) -> Vec<Placed<WorkspacePath>> {
        let texts = self.strings(section, key);
        texts.into_iter().filter_map(|text| self.parsed_path(section, key, text)).collect()
    }

    /// A whole number from `least` to `most`.
    pub(super) fn number(
        &mut self,
        section: &Section<'_>,
        key: &'static str,
        least: u64,
        most: u64,
    ) -> Option<u64> {
        let value = section.get(key)?;
        let at = self.position(value.span().start);
        let Some(integer) = value.get_ref().as_integer() else {
            self.wrong_type(at, section.key(key), "a whole number", value, None);
            return None;
        };
        // What does not fit here does not fit into any range either.
        let number = i128::from_str_radix(integer.as_str(), integer.radix()).ok();
        let number = number.and_then(|n| u64::try_from(n).ok()).filter(|n| (least..=most).contains(n));
        if number.is_none() {
            let found = shown(&integer.to_string());
            self.report(at, section.key(key), Problem::Number { found, least, most });
        }
        number
    }

    pub(super) fn duration(&mut self, section: &Section<'_>, key: &'static str) -> Option<Duration> {
        let value = section.get(key)?;
        let at = self.position(value.span().start);
        let Some(text) = value.get_ref().as_str() else {
            let example = value.get_ref().as_integer().map(|n| format!("{key} = \"{}s\"", shown(n.as_str())));
            self.wrong_type(at, section.key(key), "a duration as a string", value, example);
            return None;
        };
        match parse_duration(text) {
            Ok(duration) => Some(duration),
            Err(problem) => {
                self.report(at, section.key(key), Problem::Duration { text: shown(text), problem });
                None
            }
        }
    }

    /// One path of the workspace; nothing is looked up yet.
    pub(super) fn path(&mut self, section: &Section<'_>, key: &'static str) -> Option<Placed<WorkspacePath>> {
        let text = self.string(section, key)?;
        self.parsed_path(section, key, text)
    }

    /// Directories of the workspace, which exist and are no links.
    pub(super) fn directories(
        &mut self,
        section: &Section<'_>,
        key: &'static str,
    ) -> Vec<Placed<WorkspacePath>> {
        let mut directories = Vec::new();
        for path in self.paths(section, key) {
            match open_directory(self.workspace, &path.value) {
                Ok(_) => directories.push(path),
                Err(problem) => self.report(path.at, section.key(key), problem.into()),
            }
        }
        directories
    }

    fn parsed_path(
        &mut self,
        section: &Section<'_>,
        key: &str,
        text: Placed<String>,
    ) -> Option<Placed<WorkspacePath>> {
        match WorkspacePath::parse(&text.value) {
            Ok(value) => Some(Placed { value, at: text.at }),
            Err(problem) => {
                self.report(text.at, section.key(key), Problem::Path { path: shown(&text.value), problem });
                None
            }
        }
    }

    /// Gitignore patterns.
    pub(super) fn patterns(&mut self, section: &Section<'_>, key: &'static str) -> Vec<Placed<String>> {
        let mut patterns = self.strings(section, key);
        patterns.retain(|pattern| match check_pattern(&pattern.value) {
            Ok(()) => true,
            Err(problem) => {
                let problem = Problem::Pattern { pattern: shown(&pattern.value), problem };
                self.report(pattern.at, section.key(key), problem);
                false
            }
        });
        patterns
    }
}
