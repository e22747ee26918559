use crate::path::within;
use crate::{Directory, Entry, Failure, File, Kind, Listing, Reason, Stat, WorkspacePath};

/// The directories that a call was granted. Between them and the workspace's top there may be directories
/// that were not: of these only the way to the granted ones is there.
pub struct Workspace {
    /// By path, so that a directory comes before those in it.
    grants: Vec<Grant>,
}

struct Grant {
    path: String,
    directory: Directory,
}

/// Where a path lies.
enum Place<'a> {
    /// In this grant, under this path.
    Granted(&'a Directory, &'a str),
    /// On the way to grants.
    OnTheWay,
}

impl Workspace {
    /// What the host granted to this call.
    pub fn granted() -> Self {
        Self::of(Directory::granted())
    }

    /// These directories, mounted at these paths.
    pub fn of(directories: impl IntoIterator<Item = (String, Directory)>) -> Self {
        let mut grants: Vec<_> = directories
            .into_iter()
            .map(|(path, directory)| {
                // A host that mounts at `/` or `/src` means the same: a guest has no other root.
                let path = WorkspacePath::parse(Some(path.trim_start_matches('/')))
                    .map(|path| path.as_str().to_owned())
                    .unwrap_or(path);
                Grant { path, directory }
            })
            .collect();
        grants.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Self { grants }
    }

    /// The paths of the granted directories.
    pub fn grants(&self) -> impl Iterator<Item = &str> {
        self.grants.iter().map(|grant| grant.path.as_str())
    }

    /// The paths of the directories that were granted for writing too.
    pub fn writable(&self) -> impl Iterator<Item = &str> {
        self.grants.iter().filter(|grant| grant.directory.is_writable()).map(|grant| grant.path.as_str())
    }

    /// Whether the workspace was granted as a whole.
    pub(crate) fn is_whole(&self) -> bool {
        self.grants().any(str::is_empty)
    }

    /// Opens a file, links followed.
    ///
    /// # Errors
    /// Where it is not there, not granted, or not to be opened. Opening a directory may succeed.
    pub fn open(&self, path: &str) -> Result<File, Failure> {
        self.ask(path, Directory::open, || Err(Reason::IsDirectory))
    }

    /// Lists a directory, at most `limit` of its entries, in no order.
    ///
    /// # Errors
    /// Where it is not there, not granted, or no directory.
    pub fn list(&self, path: &str, limit: usize) -> Result<Listing, Failure> {
        self.ask(path, |directory, path| directory.list(path, limit), || Ok(self.on_the_way(path)))
    }

    /// What a path leads to, links followed.
    ///
    /// # Errors
    /// Where it is not there or not granted.
    pub fn stat(&self, path: &str) -> Result<Stat, Failure> {
        self.ask(path, Directory::stat, || Ok(Stat { kind: Kind::Directory, size: 0 }))
    }

    /// What is at a path itself: a link is not followed.
    ///
    /// # Errors
    /// Where nothing is there, or it is not granted.
    pub fn kind(&self, path: &str) -> Result<Kind, Failure> {
        self.ask(path, Directory::kind, || Ok(Kind::Directory))
    }

    /// Where a link leads, as it is written in it.
    ///
    /// # Errors
    /// Where it is not there, or no link.
    pub fn link_target(&self, path: &str) -> Result<String, Failure> {
        self.ask(path, Directory::link_target, || Err(Reason::Unreadable))
    }

    pub(crate) fn ask<T>(
        &self,
        path: &str,
        granted: impl FnOnce(&Directory, &str) -> Result<T, Reason>,
        on_the_way: impl FnOnce() -> Result<T, Reason>,
    ) -> Result<T, Failure> {
        self.place(path)
            .and_then(|place| match place {
                Place::Granted(directory, path) => granted(directory, path),
                Place::OnTheWay => on_the_way(),
            })
            .map_err(|reason| Failure::new(path, reason))
    }

    fn place<'a>(&'a self, path: &'a str) -> Result<Place<'a>, Reason> {
        // The last one in order of paths is the innermost.
        for grant in self.grants.iter().rev() {
            if let Some(inner) = within(path, &grant.path) {
                return Ok(Place::Granted(&grant.directory, inner));
            }
        }
        if path.is_empty() || self.grants().any(|grant| within(grant, path).is_some()) {
            return Ok(Place::OnTheWay);
        }
        Err(Reason::NotGranted)
    }

    /// The directory that the name of this path can be changed in: in a granted directory everything but
    /// itself has one.
    pub(crate) fn entry<'a>(&'a self, path: &'a str) -> Result<(&'a Directory, &'a str), Reason> {
        let above = |grant: &'a Grant| {
            within(path, &grant.path).filter(|inner| !inner.is_empty()).map(|inner| (&grant.directory, inner))
        };
        match self.grants.iter().rev().find_map(above) {
            Some(entry) => Ok(entry),
            None => self.place(path).and(Err(Reason::Granted)),
        }
    }

    fn on_the_way(&self, path: &str) -> Listing {
        let mut names: Vec<_> = self
            .grants()
            .filter_map(|grant| within(grant, path)?.split('/').next())
            .map(|name| Entry { name: name.to_owned(), kind: Kind::Directory })
            .collect();
        names.sort_unstable();
        names.dedup();
        Listing { entries: names, ..Listing::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_path_outside_of_the_grants_is_not_granted_whether_it_exists_or_not() {
        let scratch = Scratch::with([("src/main.rs", "x"), ("secret", "x")]);
        let workspace = scratch.granting(["src"]);
        for path in ["secret", "nothing", "srcs", "src2/a"] {
            assert_eq!(workspace.stat(path).unwrap_err().reason, Reason::NotGranted, "{path}");
        }
        assert_eq!(workspace.stat("src/main.rs").unwrap(), Stat { kind: Kind::File, size: 1 });
        assert_eq!(workspace.stat("src").unwrap().kind, Kind::Directory);
        assert_eq!(workspace.stat("").unwrap().kind, Kind::Directory);
        assert_eq!(workspace.stat("src/lib.rs").unwrap_err().reason, Reason::NotFound);
    }

    #[test]
    fn the_innermost_grant_is_used_and_hosts_may_mount_at_a_slash() {
        let outer = Scratch::with([("a/file", "outer")]);
        let inner = Scratch::with([("file", "inner one")]);
        let workspace = Workspace::of([
            ("/".to_owned(), Directory::at(outer.path())),
            ("./a/".to_owned(), Directory::at(inner.path())),
        ]);
        assert!(workspace.is_whole());
        assert_eq!(workspace.stat("a/file").unwrap().size, 9);
    }

    #[test]
    fn without_a_grant_there_is_nothing() {
        let workspace = Workspace::of([]);
        assert!(workspace.list("", 10).unwrap().entries.is_empty());
        let failure = workspace.stat("a").unwrap_err();
        assert_eq!(workspace.explain(&failure), "not granted: a; granted to this call: no directory");
    }
}
