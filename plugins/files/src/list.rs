use std::fmt::Write as _;

use workspace::text::MAX_RESULT;
use workspace::{Found, Kind, Walk, Workspace, WorkspacePath, wording};

/// The most entries that are shown; those over it are counted.
const MAX_SHOWN: u64 = 1000;

/// How many excluded entries are named.
const MAX_IGNORED_NAMED: usize = 8;

/// `list-files` of the plugin's WIT.
///
/// # Errors
/// What is to be told to the model.
pub fn list_files(workspace: &Workspace, path: Option<&str>, depth: Option<u32>) -> Result<String, String> {
    let path = WorkspacePath::parse(path)?;
    let path = path.as_str();
    let depth = depth.unwrap_or(1);
    if depth == 0 {
        return Err("depth is at least 1".to_owned());
    }
    let stat = workspace.stat(path).map_err(|failure| workspace.explain(&failure))?;
    if stat.kind != Kind::Directory {
        return Ok(format!("{}  {}", wording::name(path), wording::size(stat.size)));
    }
    let mut walk = Walk::new(workspace, path)
        .map_err(|failure| workspace.explain(&failure))?
        .depth(usize::try_from(depth).unwrap_or(usize::MAX));

    let mut listed = String::new();
    let (mut shown, mut more, mut ignored) = (0, 0, Vec::new());
    for found in &mut walk {
        if found.ignored {
            ignored.push(spelled(&found));
        } else if shown == MAX_SHOWN || listed.len() > MAX_RESULT - 2000 {
            more += 1;
        } else {
            shown += 1;
            listed.push_str(&line(workspace, &found));
            listed.push('\n');
        }
    }

    let mut notes = Vec::new();
    if !ignored.is_empty() {
        let names = wording::some(ignored.iter().map(String::as_str), MAX_IGNORED_NAMED);
        notes.push(format!("ignored and not listed: {names}"));
    }
    notes.extend(walk.gaps().notes());
    if path.is_empty() {
        notes.extend(workspace.partly_granted());
    }
    if more > 0 {
        let more = wording::counted(more, "more entry", "more entries");
        let _ = writeln!(listed, "… {more}: list a directory further down, or use find_files with a pattern");
    }
    let total = if shown == 0 && ignored.is_empty() {
        format!("{}/ is empty", wording::directory(path))
    } else if more > 0 {
        format!("{} of {}", wording::count(shown), wording::counted(shown + more, "entry", "entries"))
    } else {
        wording::counted(shown, "entry", "entries")
    };
    notes.insert(0, total);
    let _ = write!(listed, "({})", notes.join("; "));
    Ok(listed)
}

fn spelled(found: &Found) -> String {
    let path = wording::name(&found.path);
    if found.kind == Kind::Directory { format!("{path}/") } else { path.into_owned() }
}

fn line(workspace: &Workspace, found: &Found) -> String {
    let path = wording::name(&found.path);
    match found.kind {
        Kind::Directory => format!("{path}/"),
        // Between the listing and this question the file may have gone; its name was true when it was read.
        Kind::File => match workspace.stat(&found.path) {
            Ok(stat) => format!("{path}  {}", wording::size(stat.size)),
            Err(_) => path.into_owned(),
        },
        // Where the link leads is not told to everybody: that it is a link is.
        Kind::Link => match workspace.link_target(&found.path) {
            Ok(target) => format!("{path} -> {}", wording::name(&target)),
            Err(_) => format!("{path}@"),
        },
        Kind::Special => format!("{path}  (no regular file)"),
    }
}
