//! `script:FILE`: replies that were written down beforehand, for tests and lessons.
//!
//! ```toml
//! [[turn]]
//! agent = "root"                  # the turns of one agent, by its path …
//! text  = "I'll have it looked up."
//! calls = [{ tool = "task", args = { role = "explorer", task = "Find it.", expected_output = "A path." } }]
//!
//! [[turn]]
//! role  = "explorer"              # … or of every agent of a role
//! calls = [{ tool = "search.grep", args = '{"pattern": broken', id = "a" }]
//! usage = { input = 120, cached = 100, output = 9 }
//!
//! [[turn]]
//! role  = "explorer"
//! text  = "Nothing fou"
//! fault = "disconnect"
//! ```
//!
//! | key | meaning |
//! |---|---|
//! | `agent`, `role` | whose turn it is; exactly one of the two |
//! | `text` | the reply's words |
//! | `calls` | `{ tool, args, id }`: `tool` as in files (`search.grep`) or on the wire; `args` a table, or a string that is sent as it stands, JSON or not; `id` made up unless given |
//! | `stop` | `end`, `tool_use`, `length`, `refusal` or `content_filter`; by default `tool_use` if there are calls, else `end` |
//! | `usage` | `{ input, cached, output }` in tokens, each 0 unless given: a script counts nothing by itself |
//! | `fault` | in place of a stop, after text and calls: `disconnect`, `bad-json`, `hang` (silent until the request is dropped); or `http-STATUS` in place of everything |
//! | `gate` | a name; the turn begins once the program that plays the script has opened it, see [`ScriptGates`] |
//!
//! Each agent takes its own turns in the file's order: those with its path and those with its role. Two agents of a role
//! both take all of the role's turns. A turn is taken when it is asked for, also if it then fails, so that the next request
//! gets the next one.

mod file;
mod gates;
mod play;

use std::path::Path;

use crate::ModelError;
use crate::chat::{EventStream, Model, Request};

pub use gates::ScriptGates;

use play::Play;

/// A model that replies by a script. Asking it costs the same however long the script is.
#[derive(Debug)]
pub struct Script {
    id: String,
    gates: ScriptGates,
    play: Play,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    ///
    /// [`ModelError::Script`] with file, line and column.
    pub fn open(path: &Path) -> Result<Script, ModelError> {
        let text = std::fs::read_to_string(path).map_err(|error| ModelError::Script {
            path: path.to_owned(),
            line: None,
            column: None,
            message: format!("can't be read: {error}"),
        })?;
        Script::parse(path, &text)
    }

    /// As [`Script::open`], of a text that is there already; `path` is what errors name.
    ///
    /// # Errors
    ///
    /// As [`Script::open`].
    pub fn parse(path: &Path, text: &str) -> Result<Script, ModelError> {
        let turns = file::turns(path, text)?;
        let id = format!("script:{}", path.display());
        Ok(Script { id, gates: ScriptGates::default(), play: Play::new(path, turns) })
    }

    /// The gates that turns wait at. All are closed at first.
    pub fn gates(&self) -> ScriptGates {
        self.gates.clone()
    }
}

impl Model for Script {
    fn id(&self) -> &str {
        &self.id
    }

    fn note(&self) -> Option<&str> {
        Some("a script, not a language model")
    }

    fn ask<'a>(&'a self, request: Request<'a>) -> EventStream<'a> {
        self.play.ask(&self.gates, request.agent, request.role)
    }
}

#[cfg(test)]
mod tests;
