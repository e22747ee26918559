//! The documentation of a component's exported functions.

mod foreign;
mod lookup;
mod source;
mod text;
mod wit;

use std::path::Path;

use serde::Deserialize;

use crate::{PackError, section};
use text::Texts;

pub use lookup::{FunctionDocs, Place};

/// The largest section that is read or written, in bytes. A component's documentation ends up in the
/// conversation with a model, where an author has no reason to put a book, and an attacker has.
pub const MAX_DOCS_SECTION: usize = 1 << 20;

/// The longest single text that is kept, in bytes; what is longer is cut and marked with `…`.
pub const MAX_DOCS_TEXT: usize = 8 << 10;

/// The custom section that holds the documentation, as JSON that begins with its version.
const SECTION: &str = "remit:docs";

/// What the authors of a component say about its exported functions, their parameters, and the types that
/// the signatures reach.
///
/// Every text in it is [`inert`](crate::inert()) and bounded, wherever it came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Docs {
    texts: Texts,
    warnings: Vec<String>,
}

impl Docs {
    /// Reads the documentation from a WIT package's sources: a folder of `.wit` files with an optional
    /// `deps` folder, or one file.
    ///
    /// A parameter is described by the `///` lines directly above it, or by an entry like
    /// ``- `path`: where to look`` in the function's own comment, which is then taken out of the description.
    /// An entry `returns` describes the result.
    ///
    /// # Errors
    /// [`PackError::Wit`] when the package does not parse or resolve, [`PackError::Read`] when a file
    /// vanishes while it is read.
    pub fn from_wit_dir(path: &Path) -> Result<Docs, PackError> {
        wit::read(path).map(Docs::from_untamed)
    }

    /// Reads the documentation that a component carries: its `remit:docs` section or, where there is none,
    /// a `package-docs` section as other tools write it, if it decodes.
    ///
    /// # Errors
    /// When the bytes are no component, or the `remit:docs` section is too large, damaged or of a later
    /// version. Such a component can still be loaded without documentation.
    pub fn from_component(component: &[u8]) -> Result<Option<Docs>, PackError> {
        let texts = match section::find(component, SECTION)? {
            Some(data) => Some(decode(data)?),
            None => section::find(component, foreign::SECTION)?
                .filter(|data| data.len() <= MAX_DOCS_SECTION)
                .and_then(foreign::decode),
        };
        Ok(texts.map(Docs::from_untamed))
    }

    /// Adds the documentation to a component, in place of what was added before.
    ///
    /// # Errors
    /// When the bytes are no component, or the documentation is larger than [`MAX_DOCS_SECTION`].
    pub fn append_to(&self, component: Vec<u8>) -> Result<Vec<u8>, PackError> {
        let data = serde_json::to_vec(&self.texts).map_err(PackError::DocsInvalid)?;
        check_size(data.len())?;
        section::replace(component, SECTION, &data)
    }

    /// Whether nothing is said about anything.
    pub fn is_empty(&self) -> bool {
        self.texts.interfaces.is_empty() && self.texts.functions.is_empty()
    }

    /// What was lost when the documentation was read, a sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn from_untamed(mut texts: Texts) -> Docs {
        let mut warnings = Vec::new();
        match texts.tame() {
            0 => {}
            1 => warnings.push(format!("a comment is longer than {MAX_DOCS_TEXT} bytes and was cut")),
            cut => {
                warnings.push(format!("{cut} comments are longer than {MAX_DOCS_TEXT} bytes and were cut"))
            }
        }
        Docs { texts, warnings }
    }
}

fn decode(data: &[u8]) -> Result<Texts, PackError> {
    /// Read first, because another version may have other keys.
    #[derive(Deserialize)]
    struct VersionOnly {
        v: u32,
    }
    check_size(data.len())?;
    let VersionOnly { v: found } = serde_json::from_slice(data).map_err(PackError::DocsInvalid)?;
    if found != text::VERSION {
        return Err(PackError::DocsVersion { found, expected: text::VERSION });
    }
    serde_json::from_slice(data).map_err(PackError::DocsInvalid)
}

fn check_size(size: usize) -> Result<(), PackError> {
    let limit = MAX_DOCS_SECTION;
    if size > limit { Err(PackError::DocsTooLarge { size, limit }) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
