//! The files that decide what agents do. An agent that could write one of them would grant itself whatever it likes, in the
//! next run.

use std::path::Path;

use super::path::WorkspacePath;
use super::plugin::PluginEntry;
use super::role::Role;
use super::source::{ROLES_FILE, RolesSource, RolesText};

/// All of them, each once, those that are in the workspace.
pub(super) fn files(
    text: &RolesText,
    workspace: &Path,
    roles: &[Role],
    plugins: &[PluginEntry],
) -> Vec<WorkspacePath> {
    let mut files: Vec<WorkspacePath> = WorkspacePath::parse(ROLES_FILE).into_iter().collect();
    if let RolesSource::Workspace(path) | RolesSource::File(path) = text.source() {
        files.extend(places(path, workspace));
    }
    files.extend(roles.iter().filter_map(|role| role.prompt_file().cloned()));
    for entry in plugins {
        files.push(entry.path().clone());
        files.extend(entry.wit().cloned());
    }
    let mut once = Vec::new();
    for file in files {
        if !once.contains(&file) {
            once.push(file);
        }
    }
    once
}

/// Where a file is in the workspace: under its own name, and under that of what it leads to.
fn places(path: &Path, workspace: &Path) -> Vec<WorkspacePath> {
    let Ok(workspace) = workspace.canonicalize() else { return Vec::new() };
    let folder =
        path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let named =
        folder.zip(path.file_name()).and_then(|(folder, name)| Some(folder.canonicalize().ok()?.join(name)));
    let within = |path: &Path| WorkspacePath::parse(path.strip_prefix(&workspace).ok()?.to_str()?).ok();
    let real = path.canonicalize().ok();
    named.iter().chain(&real).filter_map(|path| within(path)).collect()
}
