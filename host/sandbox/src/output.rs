//! What a guest prints: caught, bounded, never on the host's own standard output.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use remit_pack::inert;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// How much a guest may hand over in one write.
const WRITE_SIZE: usize = 64 * 1024;

/// Keeps the first bytes and counts the others.
#[derive(Clone, Debug)]
pub(crate) struct Captured(Arc<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    bytes: Vec<u8>,
    limit: usize,
    dropped: u64,
}

impl Captured {
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(Mutex::new(Kept { bytes: Vec::new(), limit, dropped: 0 })))
    }

    fn take(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = kept.limit.saturating_sub(kept.bytes.len()).min(bytes.len());
        kept.bytes.extend_from_slice(&bytes[..room]);
        kept.dropped += (bytes.len() - room) as u64;
    }

    /// What was printed, safe to show, with a mark where it was cut.
    pub(crate) fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes.is_empty() {
            return String::new();
        }
        // The cut may have gone through a character: that is no error of the guest's.
        let whole = match std::str::from_utf8(&kept.bytes) {
            Err(error) if kept.dropped > 0 && error.error_len().is_none() => {
                &kept.bytes[..error.valid_up_to()]
            }
            _ => &kept.bytes[..],
        };
        let mut text = inert(&String::from_utf8_lossy(whole)).into_owned();
        if kept.dropped > 0 {
            text.push_str(&format!("\n[… {} more bytes were printed and dropped]", kept.dropped));
        }
        text
    }
}

impl IsTerminal for Captured {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Captured {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[wasmtime_wasi::async_trait]
impl OutputStream for Captured {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.take(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_SIZE)
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Captured {
    async fn ready(&mut self) {}
}

impl AsyncWrite for Captured {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        self.take(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_cut_between_characters_and_says_so() {
        let output = Captured::new(4);
        output.take("abä".as_bytes());
        assert_eq!(output.text(), "abä");
        output.take("x".as_bytes());
        assert_eq!(output.text(), "abä\n[… 1 more bytes were printed and dropped]");

        let output = Captured::new(3);
        output.take("abä".as_bytes());
        assert_eq!(output.text(), "ab\n[… 1 more bytes were printed and dropped]");
    }

    #[test]
    fn nothing_that_is_printed_steers_a_terminal() {
        let output = Captured::new(100);
        output.take(b"\x1b[2Jgone\xff");
        assert_eq!(output.text(), "\\u{1b}[2Jgone\u{fffd}");
    }
}
