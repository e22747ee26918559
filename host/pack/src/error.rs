use std::path::PathBuf;

/// Why a component's documentation could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The bytes are no component; `found` says what they look like.
    #[error("expected a WebAssembly component, found {found}")]
    NotAComponent {
        /// For example `a core module`.
        found: &'static str,
    },
    /// The component's outermost sections do not add up.
    #[error("the component is cut off or damaged: no section can be read at byte {offset}")]
    BadSection {
        /// Where reading stopped, in bytes from the start of the component.
        offset: usize,
    },
    /// The documentation is larger than [`MAX_DOCS_SECTION`](crate::MAX_DOCS_SECTION).
    #[error("the documentation takes {size} bytes, and {limit} are allowed: shorten the comments in the WIT")]
    DocsTooLarge {
        /// The size of the section in bytes.
        size: usize,
        /// The size that is allowed in bytes.
        limit: usize,
    },
    /// The section was written by a later version.
    #[error("the documentation is of version {found}, and this program reads version {expected}")]
    DocsVersion {
        /// The version in the section.
        found: u32,
        /// The version that can be read.
        expected: u32,
    },
    /// The section is not what its name promises.
    #[error("the section `remit:docs` is not valid: {0}")]
    DocsInvalid(#[source] serde_json::Error),
    /// The WIT package does not parse or does not resolve.
    #[error("{}: {message}", path.display())]
    Wit {
        /// The folder or file that was asked for.
        path: PathBuf,
        /// What the WIT parser says, with file, line and column where it knows them.
        message: String,
    },
    /// A WIT file that was parsed a moment ago cannot be read again.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}
