use std::rc::Rc;

use workspace::{Kind, Workspace, wording};

use crate::document::Document;
use crate::place::{self, explained};

/// How much text the files of one patch may have together, in bytes: all of it is in the call's memory at once.
const MAX_TOTAL: usize = 48 << 20;

/// What a patch has made of the files so far. Nothing of it is written before all is known.
pub(super) struct Stage<'w> {
    workspace: &'w Workspace,
    /// By path; a patch has few files.
    files: Vec<(String, State)>,
    steps: Vec<Step>,
    total: usize,
}

enum State {
    Absent,
    Text(Rc<Document>),
    /// A file that was moved and not looked into, and where it still is.
    Moved(String),
}

/// What is to be done, one after the other.
enum Step {
    Write(String, Rc<Document>),
    Move(String, String),
    Delete(String),
}

impl<'w> Stage<'w> {
    pub(super) fn new(workspace: &'w Workspace) -> Self {
        Self { workspace, files: Vec::new(), steps: Vec::new(), total: 0 }
    }

    /// What the patch has made of a file, if anything.
    fn state(&self, path: &str) -> Option<&State> {
        self.files.iter().find(|(known, _)| known == path).map(|(_, state)| state)
    }

    fn set(&mut self, path: &str, state: State) {
        match self.files.iter_mut().find(|(known, _)| known == path) {
            Some((_, known)) => *known = state,
            None => self.files.push((path.to_owned(), state)),
        }
    }

    /// Whether something is there.
    pub(super) fn exists(&self, path: &str) -> Result<bool, String> {
        match self.state(path) {
            Some(State::Absent) => Ok(false),
            Some(_) => Ok(true),
            None => Ok(place::kind(self.workspace, path)?.is_some()),
        }
    }

    /// The text of a file.
    pub(super) fn document(&mut self, path: &str) -> Result<Rc<Document>, String> {
        let read_from = match self.state(path) {
            Some(State::Absent) => return Err(format!("{} is gone by then", wording::name(path))),
            Some(State::Text(document)) => return Ok(Rc::clone(document)),
            Some(State::Moved(origin)) => origin.as_str(),
            None => path,
        };
        let document = place::read(self.workspace, read_from)?;
        self.count(document.text().len())?;
        Ok(Rc::new(document))
    }

    fn count(&mut self, bytes: usize) -> Result<(), String> {
        self.total += bytes;
        if self.total > MAX_TOTAL {
            let most = wording::size(MAX_TOTAL as u64);
            return Err(format!("the patch's files have more than {most} together: apply it in parts"));
        }
        Ok(())
    }

    /// Has a file written.
    pub(super) fn write(&mut self, path: &str, document: Document) -> Result<(), String> {
        let bytes = document.text().len() + document.ends().len();
        place::check_size(path, bytes)?;
        self.count(bytes)?;
        let document = Rc::new(document);
        self.set(path, State::Text(Rc::clone(&document)));
        self.steps.push(Step::Write(path.to_owned(), document));
        Ok(())
    }

    /// Has a file written that is not there yet.
    pub(super) fn create(&mut self, path: &str, document: Document) -> Result<(), String> {
        self.check_free(path)?;
        self.write(path, document)
    }

    /// Has a file removed. A link to one is not what a patch speaks of.
    pub(super) fn delete(&mut self, path: &str) -> Result<(), String> {
        self.check_regular(path)?;
        self.set(path, State::Absent);
        self.steps.push(Step::Delete(path.to_owned()));
        Ok(())
    }

    fn check_regular(&self, path: &str) -> Result<(), String> {
        if self.state(path).is_some()
            || self.workspace.kind(path).map_err(explained(self.workspace))? == Kind::File
        {
            return Ok(());
        }
        Err(format!("no regular file: {}", wording::name(path)))
    }

    /// Has a file moved to where nothing is yet.
    pub(super) fn relocate(&mut self, from: &str, to: &str) -> Result<(), String> {
        self.check_regular(from)?;
        self.check_free(to)?;
        let state = match self.state(from) {
            Some(State::Absent) => return Err(format!("{} is gone by then", wording::name(from))),
            Some(State::Text(document)) => State::Text(Rc::clone(document)),
            Some(State::Moved(origin)) => State::Moved(origin.clone()),
            None => State::Moved(from.to_owned()),
        };
        self.set(from, State::Absent);
        self.set(to, state);
        self.steps.push(Step::Move(from.to_owned(), to.to_owned()));
        Ok(())
    }

    fn check_free(&self, path: &str) -> Result<(), String> {
        if self.exists(path)? {
            return Err(format!("{} exists already", wording::name(path)));
        }
        self.workspace.missing_parents(path).map_err(explained(self.workspace))?;
        Ok(())
    }

    /// Does what is to be done.
    pub(super) fn commit(self) -> Result<(), String> {
        let Self { workspace, files, steps, .. } = self;
        drop(files);
        let explained = explained(workspace);
        for step in steps {
            match step {
                Step::Write(path, document) => {
                    workspace.create_parents(&path).map_err(&explained)?;
                    workspace.write(&path, document.written().as_bytes()).map_err(&explained)?;
                }
                Step::Move(from, to) => {
                    workspace.create_parents(&to).map_err(&explained)?;
                    workspace.rename(&from, &to).map_err(&explained)?;
                }
                Step::Delete(path) => workspace.remove_file(&path).map_err(&explained)?,
            }
        }
        Ok(())
    }
}
