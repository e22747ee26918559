use std::fmt::Write as _;

use workspace::text::MAX_RESULT;
use workspace::{Glob, Kind, Walk, Workspace, WorkspacePath, wording};

/// The most paths that are shown; those over it are counted.
const MAX_SHOWN: u64 = 500;

/// How many excluded directories are named where nothing was found.
const MAX_IGNORED_NAMED: usize = 8;

/// `find-files` of the plugin's WIT.
///
/// # Errors
/// What is to be told to the model.
pub fn find_files(workspace: &Workspace, pattern: &str, path: Option<&str>) -> Result<String, String> {
    let path = WorkspacePath::parse(path)?;
    let path = path.as_str();
    let glob = Glob::parse(pattern, path)?;
    let mut walk = Walk::new(workspace, path).map_err(|failure| workspace.explain(&failure))?;

    let mut found_paths = String::new();
    let (mut shown, mut matches, mut seen, mut ignored) = (0, 0, 0, Vec::new());
    for found in &mut walk {
        let is_directory = found.kind == Kind::Directory;
        if found.ignored {
            if is_directory {
                ignored.push(format!("{}/", found.path));
            }
            continue;
        }
        seen += 1;
        if !glob.matches(&found.path, is_directory) {
            continue;
        }
        matches += 1;
        if shown < MAX_SHOWN && found_paths.len() < MAX_RESULT - 2000 {
            shown += 1;
            found_paths.push_str(&wording::name(&found.path));
            found_paths.push_str(if is_directory { "/\n" } else { "\n" });
        }
    }

    let mut notes = walk.gaps().notes();
    if matches == 0 {
        notes.insert(0, format!("{} looked at", wording::counted(seen, "entry", "entries")));
        if !ignored.is_empty() {
            let names = wording::some(ignored.iter().map(String::as_str), MAX_IGNORED_NAMED);
            notes.push(format!("ignored and not looked into: {names}"));
        }
        if path.is_empty() {
            notes.extend(workspace.partly_granted());
        }
        let (pattern, path) = (wording::name(pattern), wording::directory(path));
        return Ok(format!("(no matches for \"{pattern}\" in {path}/; {})", notes.join("; ")));
    }
    let total = if shown < matches {
        let (shown, matches) = (wording::count(shown), wording::count(matches));
        format!("the first {shown} of {matches} matches; narrow the pattern or the path")
    } else {
        wording::counted(matches, "match", "matches")
    };
    notes.insert(0, total);
    let _ = write!(found_paths, "({})", notes.join("; "));
    Ok(found_paths)
}
