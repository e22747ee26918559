use std::fmt::Write as _;

use workspace::{Kind, Workspace, text, wording};

use crate::document::{Document, End};
use crate::place::{self, MAX_FILE, explained};

/// What marks a text as UTF-8 for some programs of Windows.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// `write-file` of the plugin's WIT.
///
/// # Errors
/// What is to be told to the model.
pub fn write_file(workspace: &Workspace, path: &str, content: &str) -> Result<String, String> {
    let path = place::file_path(path)?;
    place::check_size(&path, content.len())?;
    let name = wording::name(&path);
    let new = measure(content);

    if place::kind(workspace, &path)?.is_none() {
        let directories = workspace.create_parents(&path).map_err(explained(workspace))?;
        workspace.write(&path, content.as_bytes()).map_err(explained(workspace))?;
        let mut result = format!("created {name}: {new}");
        if let Some(first) = directories.first() {
            let more = if directories.len() > 1 { " and those in it" } else { "" };
            let _ = write!(result, "; new directory: {}/{more}", wording::name(first));
        }
        return Ok(result);
    }

    let stat = workspace.stat(&path).map_err(explained(workspace))?;
    match stat.kind {
        Kind::File => {}
        Kind::Directory => return Err(format!("a directory, not a file: {name}")),
        Kind::Link | Kind::Special => return Err(format!("no regular file: {name}")),
    }
    let size = wording::size(stat.size);
    let mut notes = Vec::new();
    let before = if stat.size > MAX_FILE {
        size
    } else {
        let file = workspace.open(&path).map_err(explained(workspace))?;
        let limit = usize::try_from(MAX_FILE).unwrap_or(usize::MAX);
        let bytes = file.read_up_to(limit).map_err(|reason| format!("{reason}: {name}"))?;
        if bytes == content.as_bytes() {
            return Ok(format!("{name} is so already: {new}"));
        }
        match String::from_utf8(bytes) {
            Ok(old) if !text::is_binary(old.as_bytes()) => {
                let before = measure(&old);
                notes = lost(&old, content);
                before
            }
            _ => format!("{size}, no text"),
        }
    };
    workspace.write(&path, content.as_bytes()).map_err(explained(workspace))?;
    notes.insert(0, format!("replaced {name}: {new}; before: {before}"));
    Ok(notes.join("; "))
}

fn measure(text: &str) -> String {
    let lines = text.lines().count() as u64;
    format!("{}, {}", wording::counted(lines, "line", "lines"), wording::size(text.len() as u64))
}

/// What the old text had and the new one has no more, of what nobody sees.
fn lost(old: &str, new: &str) -> Vec<String> {
    let mut lost = Vec::new();
    if old.starts_with(BYTE_ORDER_MARK) && !new.starts_with(BYTE_ORDER_MARK) {
        lost.push("it began with a byte order mark, and does no more".to_owned());
    }
    let ends = |text: &str| {
        let document = Document::parse(text.to_owned());
        let (first, others) = document.ends().split_first()?;
        others.iter().all(|end| end == first).then_some(*first)
    };
    match (ends(old), ends(new)) {
        (Some(End::CrLf), Some(End::Lf)) => {
            lost.push("its lines ended in CRLF, and end in LF now".to_owned())
        }
        (Some(End::Lf), Some(End::CrLf)) => {
            lost.push("its lines ended in LF, and end in CRLF now".to_owned())
        }
        _ => {}
    }
    if old.ends_with('\n') && !new.ends_with('\n') && !new.is_empty() {
        lost.push("its last line ended in a newline, and does no more".to_owned());
    }
    lost
}
