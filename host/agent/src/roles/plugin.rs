use std::collections::BTreeMap;
use std::path::Path;

use super::beneath::{EntryProblem, files_below, open_directory, open_file, read_file};
use super::digest::Digest;
use super::error::ConfigErrors;
use super::keys::PLUGIN;
use super::name::is_name;
use super::path::WorkspacePath;
use super::problem::Problem;
use super::reader::{Reader, Section};
use super::section::{Marks, Placed};
use super::shown::shown;
use super::source::RolesText;
use super::tools::TASK_TOOL;

/// The largest file of a `wit` folder that is read, in bytes: it holds comments for a model, not data.
pub const MAX_WIT_BYTES: u64 = 1024 * 1024;

/// The most entries that a `wit` folder may have. A folder of another kind has more, and all of it would be read.
const MAX_WIT_ENTRIES: usize = 500;

/// One entry of `[plugins]`: a component of the workspace. Built-in plugins have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginEntry {
    name: String,
    path: Placed<WorkspacePath>,
    sha256: Option<Placed<Digest>>,
    wit: Option<Placed<WorkspacePath>>,
    marks: Marks,
}

/// A plugin's files as they were read: what is hashed, trusted and instantiated is these bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginFile {
    /// The component.
    pub bytes: Vec<u8>,
    /// Its digest.
    pub sha256: Digest,
    /// The files of its `wit` folder, by path.
    pub wit: Vec<WitFile>,
}

/// A file of a plugin's `wit` folder. What it says about a tool, a model is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitFile {
    /// Its path in the workspace.
    pub path: WorkspacePath,
    /// Its digest.
    pub sha256: Digest,
}

/// The files of every plugin of a `roles.toml`, by the plugin's name.
pub type PluginFiles = BTreeMap<String, PluginFile>;

impl PluginEntry {
    /// The entries of the file, each with a component that is there.
    pub(super) fn read_all(reader: &mut Reader<'_>, document: &Section<'_>, built_in: &[&str]) -> Vec<Self> {
        let tables = reader.tables(document, "plugins", &PLUGIN, "NAME = { path = \"…\" }");
        tables.iter().filter_map(|(name, section)| Self::read_from(reader, name, section, built_in)).collect()
    }

    fn read_from(
        reader: &mut Reader<'_>,
        name: &str,
        section: &Section<'_>,
        built_in: &[&str],
    ) -> Option<Self> {
        let header = section.marks.header;
        if !is_name(name) {
            reader.report(header, &section.path, Problem::BadName(shown(name)));
        } else if name == TASK_TOOL {
            reader.report(header, &section.path, Problem::ReservedName(name.to_owned()));
        } else if built_in.contains(&name) {
            reader.report(header, &section.path, Problem::BuiltInName(name.to_owned()));
        }
        let sha256 = reader.string(section, "sha256").and_then(|text| {
            let digest = Digest::parse(&text.value).map(|value| Placed { value, at: text.at });
            if digest.is_none() {
                reader.report(text.at, section.key("sha256"), Problem::BadDigest);
            }
            digest
        });
        let wit = reader.path(section, "wit");
        if let Some(wit) = &wit
            && let Err(problem) = open_directory(reader.workspace, &wit.value)
        {
            reader.report(wit.at, section.key("wit"), problem.into());
        }
        if !section.has("path") {
            let why = "a plugin is a component's file in the workspace: path = \"plugins/NAME.wasm\"";
            reader.report(header, &section.path, Problem::Missing { key: "path", why });
        }
        let path = reader.path(section, "path")?;
        if let Err(problem) = open_file(reader.workspace, &path.value) {
            reader.report(path.at, section.key("path"), problem.into());
        }
        Some(Self { name: name.to_owned(), path, sha256, wit, marks: section.marks.clone() })
    }

    /// The name, which its tools' names begin with.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The component's file.
    #[must_use]
    pub fn path(&self) -> &WorkspacePath {
        &self.path.value
    }

    /// The digest that the file vouches for, if it does.
    #[must_use]
    pub fn sha256(&self) -> Option<Digest> {
        self.sha256.as_ref().map(|placed| placed.value)
    }

    /// The folder with the component's WIT, for its comments.
    #[must_use]
    pub fn wit(&self) -> Option<&WorkspacePath> {
        self.wit.as_ref().map(|placed| &placed.value)
    }

    /// The line of `key`, else of the entry.
    #[must_use]
    pub fn line_of(&self, key: &str) -> u32 {
        self.marks.line_of(key).unwrap_or(self.marks.line())
    }

    /// Reads the component, of at most `max_bytes`, and the files of its `wit` folder.
    ///
    /// # Errors
    ///
    /// When a file is gone, too large or led to by a link, or when the component does not match its `sha256`.
    pub(super) fn read(
        &self,
        text: &RolesText,
        workspace: &Path,
        max_bytes: u64,
    ) -> Result<PluginFile, ConfigErrors> {
        let error = |at, key, problem| {
            ConfigErrors::from(text.error(at, format!("plugins.{}.{key}", self.name), problem))
        };
        let bytes = read_file(workspace, &self.path.value, max_bytes)
            .map_err(|problem| error(self.path.at, "path", problem.into()))?;
        let found = Digest::of(&bytes);
        if let Some(expected) = &self.sha256
            && expected.value != found
        {
            let problem = Problem::DigestMismatch { path: shown(self.path.value.as_str()), found };
            return Err(error(expected.at, "sha256", problem));
        }
        let wit = match &self.wit {
            Some(folder) => read_wit(workspace, &folder.value)
                .map_err(|problem| error(folder.at, "wit", problem.into()))?,
            None => Vec::new(),
        };
        Ok(PluginFile { bytes, sha256: found, wit })
    }
}

fn read_wit(workspace: &Path, folder: &WorkspacePath) -> Result<Vec<WitFile>, EntryProblem> {
    let files = files_below(workspace, folder, MAX_WIT_ENTRIES)?.into_iter();
    files
        .map(|path| {
            let sha256 = Digest::of(&read_file(workspace, &path, MAX_WIT_BYTES)?);
            Ok(WitFile { path, sha256 })
        })
        .collect()
}
