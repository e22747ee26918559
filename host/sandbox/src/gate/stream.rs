//! A file's bytes as a `wasi:io` stream, read where the guest runs.
//!
//! A call that can reach files runs on a thread of its own (see `invoke`), so reading here blocks nobody else, and
//! saves the hop to another thread and the zeroed buffer that a shared thread would need for every read.

use std::fs::File;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use rustix::buffer::spare_capacity;
use wasmtime_wasi::p2::{InputStream, OutputStream, Pollable, StreamError, StreamResult};

use super::node::FileNode;
use super::stage::Content;

/// How much a guest may hand over in one write.
const WRITE_SIZE: usize = 1 << 20;

/// The most bytes that one read brings, whatever the guest asks for: what a guest could otherwise make the host allocate.
pub(crate) const MAX_READ: usize = 256 * 1024;

impl FileNode {
    /// Up to `size` bytes at `position`; none at the file's end.
    pub(super) fn read_at(&self, size: usize, position: u64) -> std::io::Result<Vec<u8>> {
        let size = size.min(MAX_READ);
        match self {
            Self::Disk { file, read } => {
                let bytes = read_at(file, size, position)?;
                read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                Ok(bytes)
            }
            Self::Staged { content, .. } => Ok(content.read_at(size, position)),
        }
    }
}

pub(crate) struct FileStream {
    file: FileNode,
    position: u64,
    ended: bool,
}

impl FileStream {
    pub(crate) fn new(file: FileNode, position: u64) -> Self {
        Self { file, position, ended: false }
    }
}

fn read_at(file: &File, size: usize, position: u64) -> std::io::Result<Vec<u8>> {
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
        let bytes = self
            .file
            .read_at(size, self.position)
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

/// Writes to a staged file.
pub(crate) struct ContentStream {
    content: Content,
    /// Missing: always at the end.
    position: Option<u64>,
}

impl ContentStream {
    pub(crate) fn new(content: Content, position: Option<u64>) -> Self {
        Self { content, position }
    }
}

#[wasmtime_wasi::async_trait]
impl OutputStream for ContentStream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        let written = match &mut self.position {
            Some(position) => {
                let written = self.content.write_at(&bytes, *position);
                *position = position.saturating_add(bytes.len() as u64);
                written
            }
            None => self.content.append(&bytes),
        };
        // What guests are told of a stream's error is an error of the system.
        written.map_err(|_| {
            let error = std::io::Error::from(std::io::ErrorKind::StorageFull);
            StreamError::LastOperationFailed(error.into())
        })
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_SIZE)
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for ContentStream {
    async fn ready(&mut self) {}
}
