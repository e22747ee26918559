//! A file's bytes as a `wasi:io` stream, read where the guest runs.
//!
//! A call that can reach files runs on a thread of its own (see `invoke`), so reading here blocks nobody else, and
//! saves the hop to another thread and the zeroed buffer that a shared thread would need for every read.

use std::fs::File;
use std::sync::Arc;

use bytes::Bytes;
use rustix::buffer::spare_capacity;
use wasmtime_wasi::p2::{InputStream, Pollable, StreamError, StreamResult};

/// The most bytes that one read brings, whatever the guest asks for: what a guest could otherwise make the host allocate.
pub(crate) const MAX_READ: usize = 256 * 1024;

pub(crate) struct FileStream {
    file: Arc<File>,
    position: u64,
    ended: bool,
}

impl FileStream {
    pub(crate) fn new(file: Arc<File>, position: u64) -> Self {
        Self { file, position, ended: false }
    }
}

/// Reads up to `size` bytes at `position`; none at the file's end.
pub(crate) fn read_at(file: &File, size: usize, position: u64) -> std::io::Result<Vec<u8>> {
    let size = size.min(MAX_READ);
    let mut bytes = Vec::with_capacity(size);
    if size == 0 {
        return Ok(bytes);
    }
    loop {
        match rustix::io::pread(file, spare_capacity(&mut bytes), position) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => {
                bytes.truncate(size);
                return Ok(bytes);
            }
        }
    }
}

#[wasmtime_wasi::async_trait]
impl InputStream for FileStream {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        if self.ended {
            return Err(StreamError::Closed);
        }
        if size == 0 {
            return Ok(Bytes::new());
        }
        let bytes = read_at(&self.file, size, self.position)
            .map_err(|error| StreamError::LastOperationFailed(error.into()))?;
        if bytes.is_empty() {
            self.ended = true;
            return Err(StreamError::Closed);
        }
        self.position += bytes.len() as u64;
        Ok(bytes.into())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for FileStream {
    async fn ready(&mut self) {}
}
