//! The paths that are given to be changed, and reading what is there.

use workspace::{Failure, Kind, Reason, Workspace, WorkspacePath, text, wording};

use crate::document::Document;

/// The largest file that is edited, and the largest that is written, in bytes: a call holds a few copies of it
/// in its memory.
pub(crate) const MAX_FILE: u64 = 16 << 20;

/// A failure in words.
pub(crate) fn explained(workspace: &Workspace) -> impl Fn(Failure) -> String {
    |failure| workspace.explain_unruled(&failure)
}

/// The path of something that is to be changed, and so not of the workspace itself.
pub(crate) fn entry_path(given: &str) -> Result<String, String> {
    let path = WorkspacePath::parse(Some(given))?;
    if path.as_str().is_empty() {
        return Err("that is the workspace itself: give the path of something in it".to_owned());
    }
    Ok(path.as_str().to_owned())
}

/// The path of a file. A slash at its end would say that it is a directory.
pub(crate) fn file_path(given: &str) -> Result<String, String> {
    let path = entry_path(given)?;
    if given.ends_with('/') {
        return Err(format!("{} names a directory: give the path of a file", wording::name(given)));
    }
    Ok(path)
}

/// What is at a path itself, if anything is.
pub(crate) fn kind(workspace: &Workspace, path: &str) -> Result<Option<Kind>, String> {
    match workspace.kind(path) {
        Ok(kind) => Ok(Some(kind)),
        // A file in the way is found when the directories above the path are asked for.
        Err(failure) if matches!(failure.reason, Reason::NotFound | Reason::NotDirectory) => Ok(None),
        Err(failure) => Err(workspace.explain_unruled(&failure)),
    }
}

/// Reads the text of a file.
pub(crate) fn read(workspace: &Workspace, path: &str) -> Result<Document, String> {
    let stat = workspace.stat(path).map_err(explained(workspace))?;
    let name = wording::name(path);
    match stat.kind {
        Kind::File => {}
        Kind::Directory => return Err(format!("{}: {name}", Reason::IsDirectory)),
        Kind::Link | Kind::Special => return Err(format!("no regular file: {name}")),
    }
    let size = wording::size(stat.size);
    if stat.size > MAX_FILE {
        let most = wording::size(MAX_FILE);
        return Err(format!("{name} has {size}, and files of more than {most} are not edited"));
    }
    let file = workspace.open(path).map_err(explained(workspace))?;
    let bytes = file
        .read_up_to(usize::try_from(stat.size).unwrap_or(usize::MAX).saturating_add(1))
        .map_err(|reason| workspace.explain_unruled(&Failure { path: path.to_owned(), reason }))?;
    if text::is_binary(&bytes) {
        return Err(format!("{name} is binary ({size}): only text is edited"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Document::parse(text)),
        Err(_) => Err(format!("{name} is not UTF-8 ({size}): only UTF-8 text is edited")),
    }
}

/// Whether a file of this size may be written.
pub(crate) fn check_size(path: &str, bytes: usize) -> Result<(), String> {
    let bytes = bytes as u64;
    if bytes <= MAX_FILE {
        return Ok(());
    }
    let (name, size, most) = (wording::name(path), wording::size(bytes), wording::size(MAX_FILE));
    Err(format!("{name} would have {size}, and files of more than {most} are not written"))
}
