//! A directory to test with.

use std::fs;
use std::path::Path;

use crate::{Directory, Workspace};

/// A temporary directory that stands for a workspace.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    /// A directory with these files, and the directories that they lie in.
    pub fn with<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let scratch = Self(tempfile::tempdir().unwrap());
        for (path, content) in files {
            scratch.write(path, content);
        }
        scratch
    }

    /// Writes one more file.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// What is in a file.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// The paths of everything in it, in order; directories end in `/`.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        let mut directories = vec![String::new()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(self.path().join(&directory)).unwrap() {
                let entry = entry.unwrap();
                let path = format!("{directory}{}", entry.file_name().to_str().unwrap());
                if entry.file_type().unwrap().is_dir() {
                    directories.push(format!("{path}/"));
                    paths.push(format!("{path}/"));
                } else {
                    paths.push(path);
                }
            }
        }
        paths.sort();
        paths
    }

    /// The workspace as a whole.
    pub fn whole(&self) -> Workspace {
        self.granting(["."])
    }

    /// The workspace, of which only these directories are granted.
    pub fn granting<'a>(&self, directories: impl IntoIterator<Item = &'a str>) -> Workspace {
        Workspace::of(
            directories.into_iter().map(|path| (path.to_owned(), Directory::at(self.path().join(path)))),
        )
    }
}
