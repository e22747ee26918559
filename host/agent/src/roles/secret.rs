//! `[secrets.NAME]`: values of the user's environment that the host adds to requests, and that nobody else sees.

use remit_sandbox::{HostGrant, SecretGrant, SecretValue};

use super::error::ConfigErrors;
use super::keys::SECRET;
use super::problem::Problem;
use super::reader::{Reader, Section};
use super::section::{Marks, Placed};
use super::shown::{shown, shown_words};
use super::source::RolesText;

/// Stands for a value where only the rest is checked.
const NO_VALUE: &str = "no value is read yet";

/// A secret of the file: where its value is, and where it goes. The value itself is read when a run starts, and only if
/// a role of the run names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    name: String,
    env: Placed<String>,
    host: HostGrant,
    header: String,
    marks: Marks,
}

impl Secret {
    /// The secrets of the file.
    pub(super) fn read_all(reader: &mut Reader<'_>, document: &Section<'_>) -> Vec<Self> {
        let tables = reader.tables(document, "secrets", &SECRET, "[secrets.NAME]");
        tables.iter().filter_map(|(name, section)| Self::read_from(reader, name, section)).collect()
    }

    fn read_from(reader: &mut Reader<'_>, name: &str, section: &Section<'_>) -> Option<Self> {
        let header_at = section.marks.header;
        for (key, why) in [
            ("env", "the environment variable that holds the value: env = \"GITHUB_TOKEN\""),
            ("host", "the one host that it is sent to: host = \"https://api.github.com\""),
            ("header", "the header that it is sent in: header = \"Authorization: Bearer {}\""),
        ] {
            if !section.has(key) {
                reader.report(header_at, &section.path, Problem::Missing { key, why });
            }
        }
        let env = reader.string(section, "env");
        let host = reader.string(section, "host");
        let header = reader.string(section, "header");
        let (env, host, header) = (env?, host?, header?);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if env.value.is_empty() || !env.value.chars().all(is_name) {
            let words = format!("`{}` is no name of an environment variable", shown(&env.value));
            reader.report(env.at, section.key("env"), Problem::Secret(words));
        }
        let value = SecretValue::new(NO_VALUE.to_owned());
        if let Err(problem) = SecretGrant::new(name, value, &host.value, &header.value) {
            reader.report(header_at, &section.path, Problem::Secret(shown_words(&problem.to_string())));
        }
        Some(Self {
            name: name.to_owned(),
            env,
            host: HostGrant::new(&host.value, &[]).ok()?,
            header: header.value,
            marks: section.marks.clone(),
        })
    }

    /// The name by which roles ask for it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The environment variable that holds the value.
    #[must_use]
    pub fn env(&self) -> &str {
        &self.env.value
    }

    /// The host that it is sent to, and no other.
    #[must_use]
    pub fn host(&self) -> &HostGrant {
        &self.host
    }

    /// The header that it is sent in, `{}` in place of the value.
    #[must_use]
    pub fn header(&self) -> &str {
        &self.header
    }

    /// The line of `key`, else of the entry.
    #[must_use]
    pub fn line_of(&self, key: &str) -> u32 {
        self.marks.line_of(key).unwrap_or(self.marks.line())
    }

    /// The secret with its value, as `variable` gives it.
    pub(super) fn resolve(
        &self,
        text: &RolesText,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<SecretGrant, ConfigErrors> {
        let error = |problem| {
            ConfigErrors::from(text.error(self.env.at, format!("secrets.{}.env", shown(&self.name)), problem))
        };
        let value = variable(&self.env.value).filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| error(Problem::SecretUnset(self.env.value.clone())))?;
        SecretGrant::new(&self.name, SecretValue::new(value), &self.host.to_string(), &self.header)
            .map_err(|problem| error(Problem::Secret(shown_words(&problem.to_string()))))
    }
}
