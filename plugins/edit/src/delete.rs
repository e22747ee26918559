use workspace::{Kind, Workspace, wording};

use crate::place::{self, explained};
use crate::tree::Tree;

/// How many of the files that went are named.
const MAX_NAMED: usize = 20;

/// `delete` of the plugin's WIT.
///
/// # Errors
/// What is to be told to the model.
pub fn delete(workspace: &Workspace, path: &str, recursive: Option<bool>) -> Result<String, String> {
    let path = place::entry_path(path)?;
    let name = wording::name(&path);
    match workspace.kind(&path).map_err(explained(workspace))? {
        Kind::File => {
            let size = workspace.stat(&path).map_err(explained(workspace))?.size;
            workspace.remove_file(&path).map_err(explained(workspace))?;
            return Ok(format!("deleted {name} ({})", wording::size(size)));
        }
        Kind::Link => {
            workspace.remove_file(&path).map_err(explained(workspace))?;
            return Ok(format!("deleted {name} (a link; what it leads to is still there)"));
        }
        Kind::Special => return Err(format!("neither a file nor a directory: {name}")),
        Kind::Directory => {}
    }
    workspace.check_entry(&path).map_err(explained(workspace))?;
    let tree = Tree::of(workspace, &path)?;
    let contents = tree.in_words();
    if !tree.is_empty() && recursive != Some(true) {
        return Err(format!("{name}/ is not empty ({contents}): set recursive to delete all that is in it"));
    }
    for file in tree.files.iter().chain(&tree.others) {
        workspace.remove_file(file).map_err(explained(workspace))?;
    }
    for directory in tree.directories.iter().rev() {
        workspace.remove_directory(directory).map_err(explained(workspace))?;
    }
    if tree.is_empty() {
        return Ok(format!("deleted {name}/ (it was empty)"));
    }
    let files = tree.files.iter().chain(&tree.others);
    let named = wording::some(files.map(String::as_str), MAX_NAMED);
    let named = if named.is_empty() { named } else { format!(": {named}") };
    Ok(format!("deleted {name}/ ({contents}){named}"))
}
