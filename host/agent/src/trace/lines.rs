//! The lines of a record, one after the other: whatever stands in the file, little of it is held.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use crate::event::{Event, EventError};

/// The longest line that is read, in bytes: against a file that is one line. A tool's result is the longest thing that is
/// ever recorded, and is bounded by `result_bytes`.
const MAX_LINE: u64 = 64 << 20;

/// The events of a file.
pub(super) struct Lines {
    reader: BufReader<File>,
    line: Vec<u8>,
}

/// What a line is.
pub(super) enum Line {
    Event(Box<Event>),
    /// None; why, in words.
    Problem(EventError),
    /// The last one, and torn: its writer was killed, or the disk was full.
    Torn,
}

/// Opens a regular file for reading, and waits for nothing: a pipe in its place is an error.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file"));
    }
    Ok(file)
}

impl Lines {
    pub(super) fn open(path: &Path) -> io::Result<Lines> {
        Ok(Lines { reader: BufReader::new(open(path)?), line: Vec::new() })
    }

    /// The next one, and how many bytes it has; nothing at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<(Line, u64)>> {
        self.line.clear();
        let read = (&mut self.reader).take(MAX_LINE).read_until(b'\n', &mut self.line)?;
        let size = u64::try_from(read).unwrap_or(u64::MAX);
        if read == 0 {
            return Ok(None);
        }
        if self.line.pop_if(|last| *last == b'\n').is_some() {
            let line = match Event::from_line(&String::from_utf8_lossy(&self.line)) {
                Ok(event) => Line::Event(Box::new(event)),
                Err(error) => Line::Problem(error),
            };
            return Ok(Some((line, size)));
        }
        if size < MAX_LINE {
            return Ok(Some((Line::Torn, size)));
        }
        self.line = Vec::new();
        let rest = self.reader.skip_until(b'\n')?;
        let size = size.saturating_add(u64::try_from(rest).unwrap_or(u64::MAX));
        Ok(Some((Line::Problem(EventError::TooLong { limit: MAX_LINE }), size)))
    }
}
