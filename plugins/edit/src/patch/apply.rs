use std::fmt::Write as _;

use workspace::{Workspace, wording};

use super::fit::fit;
use super::header::{Operation, Section};
use super::hunk::{Hunk, Kind};
use super::parse::{LineEnds, Patch};
use super::stage::Stage;
use crate::document::{Document, End};

/// The longest patch that is read, in bytes.
const MAX_PATCH: usize = 8 << 20;

/// How many files are named in a result.
const MAX_NAMED: usize = 200;

/// How many of the files that a patch does not fit are explained.
const MAX_EXPLAINED: usize = 5;

/// `apply-patch` of the plugin's WIT.
///
/// # Errors
/// What is to be told to the model.
pub fn apply_patch(workspace: &Workspace, patch: &str) -> Result<String, String> {
    if patch.trim().is_empty() {
        return Err("patch is empty".to_owned());
    }
    if patch.len() > MAX_PATCH {
        let (size, most) = (wording::size(patch.len() as u64), wording::size(MAX_PATCH as u64));
        return Err(format!("the patch has {size}, and at most {most} are read: apply it in parts"));
    }
    let patch = Patch::parse(patch)?;
    let mut stage = Stage::new(workspace);
    let mut done = Vec::new();
    let mut failed = Vec::new();
    for section in &patch.sections {
        match take(&mut stage, section, patch.ends) {
            Ok(line) => done.push(line),
            Err(why) => failed.push(why),
        }
    }
    let count = wording::counted(patch.sections.len() as u64, "file", "files");
    if failed.is_empty() {
        stage.commit()?;
        let more = done.len().saturating_sub(MAX_NAMED) as u64;
        done.truncate(MAX_NAMED);
        let mut result = format!("patched {count}\n{}", done.join("\n"));
        if more > 0 {
            let _ = write!(result, "\n… {}", wording::counted(more, "more file", "more files"));
        }
        return Ok(result);
    }
    let more = failed.len().saturating_sub(MAX_EXPLAINED) as u64;
    let mut result = if patch.sections.len() == 1 {
        "nothing was changed".to_owned()
    } else {
        let fitting = wording::count(failed.len() as u64);
        format!("nothing was changed: the patch does not fit {fitting} of {count}")
    };
    for why in failed.iter().take(MAX_EXPLAINED) {
        let _ = write!(result, "\n{why}");
    }
    if more > 0 {
        let _ = write!(result, "\n… {}", wording::counted(more, "more file", "more files"));
    }
    Err(result)
}

/// Does what the patch says of one file, and says it in a line. What is wrong is said with the file's name.
fn take(stage: &mut Stage<'_>, section: &Section, ends: LineEnds) -> Result<String, String> {
    let hunks = &section.hunks;
    let mut notes = Vec::new();
    let mut applied = |stage: &mut Stage<'_>, path: &str| -> Result<Document, String> {
        let (document, found) = fit(&*stage.document(path)?, hunks, ends).map_err(named(path))?;
        notes = found;
        Ok(document)
    };
    let said = match &section.operation {
        Operation::Change { path, or } => {
            let path = match or {
                Some(or) if !stage.exists(path)? => or,
                _ => path,
            };
            if !hunks.is_empty() {
                let document = applied(stage, path)?;
                stage.write(path, document)?;
            }
            format!("changed {}", wording::name(path))
        }
        Operation::Create { path } => {
            stage.create(path, created(hunks).map_err(named(path))?)?;
            format!("created {}", wording::name(path))
        }
        Operation::Delete { path } => {
            let left = applied(stage, path)?;
            if !left.text().is_empty() {
                let lines = wording::counted(left.line_count() as u64, "line", "lines");
                return Err(named(path)(format!(
                    "the patch deletes the file, and {lines} of it would be left"
                )));
            }
            stage.delete(path)?;
            format!("deleted {}", wording::name(path))
        }
        Operation::Move { from, to } => {
            let changed = if hunks.is_empty() { None } else { Some(applied(stage, from)?) };
            stage.relocate(from, to)?;
            if let Some(document) = changed {
                stage.write(to, document)?;
            }
            format!("moved {} to {}", wording::name(from), wording::name(to))
        }
    };
    let count = |kind| hunks.iter().map(|hunk| hunk.count(kind)).sum::<usize>();
    let (added, removed) = (count(Kind::Added), count(Kind::Removed));
    if section.mode {
        notes.push("its mode stays as it is".to_owned());
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    Ok(format!("  {said} +{added} -{removed}{notes}"))
}

/// What is wrong, with the file's name in front.
fn named(path: &str) -> impl Fn(String) -> String {
    move |why| format!("{}: {why}", wording::name(path))
}

/// The content of a file that a patch creates.
fn created(hunks: &[Hunk]) -> Result<Document, String> {
    if hunks.iter().any(|hunk| hunk.count(Kind::Added) < hunk.lines.len()) {
        return Err("the patch creates the file, and has lines of it that were there before".to_owned());
    }
    // As the patch has it, line ends included.
    let mut text = String::new();
    for line in hunks.iter().flat_map(|hunk| &hunk.lines) {
        text.push_str(&line.text);
        text.push_str(match line.end {
            Some(End::Lf) => "\n",
            Some(End::CrLf) => "\r\n",
            None => "",
        });
    }
    Ok(Document::parse(text))
}
