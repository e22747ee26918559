//! What changes files and directories. Whether a change is allowed is the host's to say.

use crate::path::parent;
use crate::{Directory, Failure, Kind, Reason, Workspace};

impl Workspace {
    /// Makes `bytes` the content of a file, links followed; the directory that it lies in must be there. A file
    /// that is there keeps its mode.
    ///
    /// # Errors
    /// Where it is not granted, not writable, or a directory.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Failure> {
        self.ask(path, |directory, path| directory.write(path, bytes), || Err(Reason::IsDirectory))
    }

    /// Makes the directories above `path` that are missing, and says which, the uppermost first.
    ///
    /// # Errors
    /// Where one of them can't be made, or something else has its name.
    pub fn create_parents(&self, path: &str) -> Result<Vec<String>, Failure> {
        let missing = self.missing_parents(path)?;
        for directory in &missing {
            self.create_directory(directory)?;
        }
        Ok(missing)
    }

    /// The directories above `path` that are missing, the uppermost first.
    ///
    /// # Errors
    /// Where something that is no directory has the name of one.
    pub fn missing_parents(&self, path: &str) -> Result<Vec<String>, Failure> {
        let mut missing = Vec::new();
        let mut below = path;
        while let Some(directory) = parent(below) {
            match self.stat(directory) {
                Ok(stat) if stat.kind == Kind::Directory => break,
                Ok(_) => return Err(Failure::new(directory, Reason::NotDirectory)),
                // The way to a file, as if it were a directory: the file itself is found further up.
                Err(failure) if matches!(failure.reason, Reason::NotFound | Reason::NotDirectory) => {
                    missing.push(directory.to_owned());
                }
                Err(failure) => return Err(failure),
            }
            below = directory;
        }
        missing.reverse();
        Ok(missing)
    }

    /// Makes a directory.
    ///
    /// # Errors
    /// Where something is there already, or it is not granted or not writable.
    pub fn create_directory(&self, path: &str) -> Result<(), Failure> {
        self.change(path, Directory::create_directory)
    }

    /// Whether what has this path can be moved or removed as far as the grants go.
    ///
    /// # Errors
    /// Where it is not granted, or is a granted directory itself.
    pub fn check_entry(&self, path: &str) -> Result<(), Failure> {
        self.entry(path).map(drop).map_err(|reason| Failure::new(path, reason))
    }

    /// Gives a file another path. Whether something is there already is to be asked before.
    ///
    /// # Errors
    /// Where one of the two is not granted or not writable, or there is no such file.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), Failure> {
        let (other, new) = self.entry(to).map_err(|reason| Failure::new(to, reason))?;
        self.change(from, |directory, old| directory.rename(old, other, new))
    }

    /// Removes a file or a link.
    ///
    /// # Errors
    /// Where it is not there, not granted, not writable, or a directory.
    pub fn remove_file(&self, path: &str) -> Result<(), Failure> {
        self.change(path, Directory::remove_file)
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// Where it is not there, not granted, not writable, not empty, or no directory.
    pub fn remove_directory(&self, path: &str) -> Result<(), Failure> {
        self.change(path, Directory::remove_directory)
    }

    fn change(
        &self,
        path: &str,
        change: impl FnOnce(&Directory, &str) -> Result<(), Reason>,
    ) -> Result<(), Failure> {
        let changed = self.entry(path).and_then(|(directory, inner)| change(directory, inner));
        changed.map_err(|reason| Failure::new(path, reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn missing_directories_are_made_and_a_file_in_the_way_is_named() {
        let scratch = Scratch::with([("a/file", "")]);
        let workspace = scratch.whole();
        assert_eq!(workspace.create_parents("a/b/c/new").unwrap(), ["a/b", "a/b/c"]);
        assert_eq!(workspace.create_parents("a/b/c/new").unwrap(), [""; 0]);
        let failure = workspace.create_parents("a/file/b/new").unwrap_err();
        assert_eq!(failure.to_string(), "not a directory: a/file");
    }

    #[test]
    fn what_was_granted_stays_and_what_is_in_it_may_go() {
        let scratch = Scratch::with([("src/a", ""), ("other/b", "")]);
        let workspace = scratch.granting(["src"]);
        workspace.remove_file("src/a").unwrap();
        for (path, reason) in [
            ("src", Reason::Granted),
            ("", Reason::Granted),
            ("other", Reason::NotGranted),
            ("src/gone", Reason::NotFound),
        ] {
            assert_eq!(workspace.remove_directory(path).unwrap_err().reason, reason, "{path}");
        }
        for path in ["src", "", "other"] {
            workspace.check_entry(path).unwrap_err();
        }
        // Within a larger grant it is a directory like any other.
        scratch.granting([".", "src"]).remove_directory("src").unwrap();
    }

    #[test]
    fn where_reading_alone_is_granted_it_is_said_what_is_writable() {
        let scratch = Scratch::with([("docs/a", "old"), ("b", "old")]);
        let workspace = Workspace::of([
            (".".to_owned(), Directory::at(scratch.path()).read_only()),
            ("docs".to_owned(), Directory::at(scratch.path().join("docs"))),
        ]);
        workspace.write("docs/a", b"new").unwrap();
        let failure = workspace.write("b", b"new").unwrap_err();
        assert_eq!(
            workspace.explain(&failure),
            "may be read and not changed: b; writable for this call: docs/"
        );
        assert_eq!(workspace.rename("docs/a", "c").unwrap_err().reason, Reason::ReadOnly);
        assert_eq!((scratch.read("docs/a"), scratch.read("b")), ("new".to_owned(), "old".to_owned()));
    }
}
