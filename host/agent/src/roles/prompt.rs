use super::beneath::{EntryProblem, read_file};
use super::path::WorkspacePath;
use super::problem::Problem;
use super::reader::{Reader, Section};

/// The largest prompt file that is read, in bytes: a prompt is paid for again in every turn.
pub const MAX_PROMPT_BYTES: u64 = 256 * 1024;

/// What a role's model is told about its work. Read once, with the roles: what was trusted is what is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// The file of the workspace that it was read from, where `roles.toml` names one.
    pub file: Option<WorkspacePath>,
}

impl Prompt {
    /// `prompt`, or the text of `prompt_file`; nothing where the role has neither.
    pub(super) fn read(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<Self> {
        if section.has("prompt") && section.has("prompt_file") {
            let later = section.marks.at("prompt").max(section.marks.at("prompt_file"));
            let key = if later == section.marks.at("prompt") { "prompt" } else { "prompt_file" };
            reader.report(later, section.key(key), Problem::TwoPrompts);
        }
        let (key, at, prompt) = if let Some(text) = reader.string(section, "prompt") {
            ("prompt", text.at, Self { text: text.value, file: None })
        } else {
            let path = reader.path(section, "prompt_file")?;
            let text = read_file(reader.workspace, &path.value, MAX_PROMPT_BYTES).and_then(|bytes| {
                let not_text = |_| EntryProblem::NotText { path: super::shown::shown(path.value.as_str()) };
                String::from_utf8(bytes).map_err(not_text)
            });
            match text {
                Ok(text) => ("prompt_file", path.at, Self { text, file: Some(path.value) }),
                Err(problem) => {
                    reader.report(path.at, section.key("prompt_file"), problem.into());
                    return None;
                }
            }
        };
        if prompt.text.trim().is_empty() {
            reader.report(at, section.key(key), Problem::Empty);
        }
        Some(prompt)
    }
}
