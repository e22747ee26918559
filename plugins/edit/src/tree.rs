use workspace::{Entry, Kind, Workspace, join, wording};

use crate::place::explained;

/// The most entries of a directory that are moved or deleted in one call: each is staged by the host.
const MAX_ENTRIES: usize = 10_000;

/// All that is in a directory, ignored or not; links not followed.
#[derive(Default)]
pub(crate) struct Tree {
    /// Regular files.
    pub(crate) files: Vec<String>,
    /// Links, and what is neither file nor directory.
    pub(crate) others: Vec<String>,
    /// The directories, each before those in it; the first one is the directory itself.
    pub(crate) directories: Vec<String>,
}

impl Tree {
    /// Looks at everything below `path`.
    pub(crate) fn of(workspace: &Workspace, path: &str) -> Result<Self, String> {
        let mut tree = Self { directories: vec![path.to_owned()], ..Self::default() };
        let mut next = 0;
        while let Some(directory) = tree.directories.get(next).cloned() {
            next += 1;
            let left = MAX_ENTRIES.saturating_sub(tree.count());
            let listing = workspace.list(&directory, left).map_err(explained(workspace))?;
            let name = wording::name(&directory);
            if listing.unreadable > 0 {
                return Err(format!("{name}/ has names in it that are not UTF-8, and can't be named here"));
            }
            if listing.cut {
                let most = wording::count(MAX_ENTRIES as u64);
                return Err(format!(
                    "{}/ has more than {most} entries in it: do it in parts",
                    wording::name(path)
                ));
            }
            let mut entries = listing.entries;
            entries.sort_unstable();
            for Entry { name, kind } in entries {
                let path = join(&directory, &name);
                match kind {
                    Kind::File => tree.files.push(path),
                    Kind::Directory => tree.directories.push(path),
                    Kind::Link | Kind::Special => tree.others.push(path),
                }
            }
        }
        Ok(tree)
    }

    fn count(&self) -> usize {
        self.files.len() + self.others.len() + self.directories.len() - 1
    }

    /// Whether nothing is in the directory.
    pub(crate) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How much there is: `12 files, 3 directories`.
    pub(crate) fn in_words(&self) -> String {
        let mut parts = vec![wording::counted(self.files.len() as u64, "file", "files")];
        if !self.others.is_empty() {
            parts.push(wording::counted(self.others.len() as u64, "link", "links"));
        }
        if self.directories.len() > 1 {
            let directories = self.directories.len() as u64 - 1;
            parts.push(wording::counted(directories, "directory", "directories"));
        }
        parts.join(", ")
    }
}
