//! What a guest asks the system for. Inside a component the questions go to `wasi:filesystem` directly,
//! because each is a call into the host: libc's `readdir` alone would ask for a hash of every entry.

#[cfg(not(target_os = "wasi"))]
mod native;
#[cfg(target_os = "wasi")]
mod wasi;

#[cfg(not(target_os = "wasi"))]
pub use native::{Directory, File};
#[cfg(target_os = "wasi")]
pub use wasi::{Directory, File};

use crate::{Entry, Kind, Reason};

/// What a directory holds, in no order.
#[derive(Debug, Default)]
pub struct Listing {
    /// The entries that were read.
    pub entries: Vec<Entry>,
    /// Whether there are more than were asked for.
    pub cut: bool,
    /// How many names could not be read.
    pub unreadable: usize,
}

/// What a path leads to, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The kind; never a link.
    pub kind: Kind,
    /// The size in bytes, of a file.
    pub size: u64,
}

/// How much the first read of a file asks for: all of nearly every source file.
const FIRST_READ: usize = 64 << 10;

/// How much the later reads ask for.
const NEXT_READ: usize = 256 << 10;

/// Hosts that give less than was asked for do it in whole pages.
const PAGE: usize = 4096;

/// A file read from start to end, a part at a time.
pub struct Parts<'f> {
    file: &'f File,
    offset: u64,
    ended: bool,
}

impl File {
    /// Reads the file from its start.
    pub fn parts(&self) -> Parts<'_> {
        Parts { file: self, offset: 0, ended: false }
    }

    /// Reads from the start, no more than about `limit` bytes.
    ///
    /// # Errors
    /// When the file can't be read, as when it is a directory.
    pub fn read_up_to(&self, limit: usize) -> Result<Vec<u8>, Reason> {
        let mut parts = self.parts();
        let mut bytes = Vec::new();
        while bytes.len() < limit {
            let Some(part) = parts.next()? else { break };
            if bytes.is_empty() { bytes = part } else { bytes.extend_from_slice(&part) }
        }
        Ok(bytes)
    }
}

impl Parts<'_> {
    /// The next part, and none at the end.
    ///
    /// # Errors
    /// When the file can't be read, as when it is a directory.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator's item would be a result, and its end twice as long to ask for"
    )]
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, Reason> {
        if self.ended {
            return Ok(None);
        }
        let length = if self.offset == 0 { FIRST_READ } else { NEXT_READ };
        let (part, end) = self.file.read(self.offset, length)?;
        // A short read that no host's own limit explains is the file's end: asking again would only say so.
        self.ended = end || part.is_empty() || (part.len() < length && !part.len().is_multiple_of(PAGE));
        self.offset += part.len() as u64;
        Ok((!part.is_empty()).then_some(part))
    }

    /// How many bytes were read so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the end is known to have been reached.
    pub fn ended(&self) -> bool {
        self.ended
    }
}
