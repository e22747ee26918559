use workspace::{Kind, Workspace, join, wording};

use crate::place::{self, explained};
use crate::tree::Tree;

/// `move` of the plugin's WIT.
///
/// # Errors
/// What is to be told to the model.
pub fn relocate(workspace: &Workspace, from: &str, to: &str) -> Result<String, String> {
    let from_path = place::entry_path(from)?;
    let to_path = place::entry_path(to)?;
    let (from, to) = (from_path.as_str(), to_path.as_str());
    let (old, new) = (wording::name(from), wording::name(to));
    let kind = workspace.kind(from).map_err(explained(workspace))?;
    if from == to {
        return Err(format!("from and to are the same: {old}"));
    }
    match place::kind(workspace, to)? {
        None => {}
        Some(Kind::Directory) => {
            let inside = join(to, from.rsplit('/').next().unwrap_or(from));
            return Err(format!(
                "already exists: {new}/; to move it in there, give the whole path as to: {}",
                wording::name(&inside)
            ));
        }
        Some(_) => {
            return Err(format!("already exists: {new}; delete it first, or choose another path"));
        }
    }
    match kind {
        Kind::File => {
            workspace.create_parents(to).map_err(explained(workspace))?;
            workspace.rename(from, to).map_err(explained(workspace))?;
            Ok(format!("moved {old} to {new}"))
        }
        Kind::Directory => move_directory(workspace, from, to),
        Kind::Link => Err(format!("a link, which can't be moved: {old}; move what it leads to")),
        Kind::Special => Err(format!("neither a file nor a directory: {old}")),
    }
}

/// Moves a directory file by file, because the host stages files.
fn move_directory(workspace: &Workspace, from: &str, to: &str) -> Result<String, String> {
    let (old, new) = (wording::name(from), wording::name(to));
    let moved = |path: &str| format!("{to}{}", &path[from.len()..]);
    if to.strip_prefix(from).is_some_and(|rest| rest.starts_with('/')) {
        return Err(format!("{old}/ can't be moved into itself: {new}"));
    }
    workspace.check_entry(from).map_err(explained(workspace))?;
    let tree = Tree::of(workspace, from)?;
    if !tree.others.is_empty() {
        let others = wording::some(tree.others.iter().map(String::as_str), 5);
        return Err(format!("{old}/ has links in it, which can't be moved: {others}; move files one by one"));
    }
    workspace.create_parents(to).map_err(explained(workspace))?;
    for directory in &tree.directories {
        workspace.create_directory(&moved(directory)).map_err(explained(workspace))?;
    }
    for file in &tree.files {
        workspace.rename(file, &moved(file)).map_err(explained(workspace))?;
    }
    for directory in tree.directories.iter().rev() {
        workspace.remove_directory(directory).map_err(explained(workspace))?;
    }
    Ok(format!("moved {old}/ to {new}/ ({})", tree.in_words()))
}
