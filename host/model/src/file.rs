//! Files that the user's environment names.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// All of a regular file of at most `limit` bytes.
///
/// # Errors
///
/// The system's; and for a pipe, a device or a directory, which is not waited for, and for a larger file, which is not cut.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Opened so, a pipe that nobody writes to is no trap.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("it is larger than {limit} bytes")));
    }
    Ok(bytes)
}
