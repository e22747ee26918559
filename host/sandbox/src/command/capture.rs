//! What a command prints, as much of it as is kept.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc::UnboundedSender;

/// How many bytes of the beginning and of the end of a stream are kept each: what a model reads, and not what fills memory.
const KEPT: usize = 32 << 10;

/// How much is read at once.
const CHUNK: usize = 64 << 10;

/// The beginning and the end of a stream.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
}

impl Capture {
    /// Reads until nobody holds the stream any more. `count` is told of every byte that came.
    pub(crate) async fn read(
        mut self,
        mut stream: impl AsyncRead + Unpin,
        count: UnboundedSender<u64>,
    ) -> Self {
        let mut chunk = vec![0; CHUNK];
        // A stream that fails is at its end.
        while let Ok(read @ 1..) = stream.read(&mut chunk).await {
            self.take(&chunk[..read]);
            // Whoever counts may have gone.
            let _ = count.send(read as u64);
        }
        self
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(KEPT - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(&rest[rest.len().saturating_sub(KEPT)..]);
        self.tail.drain(..self.tail.len().saturating_sub(KEPT));
    }

    /// How many bytes came.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The text, with a mark where something was left out.
    pub(crate) fn text(mut self) -> String {
        let left_out = self.bytes - (self.head.len() + self.tail.len()) as u64;
        let tail = self.tail.make_contiguous();
        if left_out == 0 {
            return String::from_utf8_lossy(&[&self.head, &*tail].concat()).into_owned();
        }
        // A cut may have gone through a character, which was none of the command's doing.
        let whole = match std::str::from_utf8(&self.head) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.head.len(),
        };
        let begin = tail.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
        let left_out = left_out + (self.head.len() - whole + begin) as u64;
        let (head, tail) =
            (String::from_utf8_lossy(&self.head[..whole]), String::from_utf8_lossy(&tail[begin..]));
        format!("{head}\n[… {left_out} bytes are left out here …]\n{tail}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn captured(bytes: &[u8]) -> Capture {
        Capture::default().read(bytes, tokio::sync::mpsc::unbounded_channel().0).await
    }

    #[tokio::test]
    async fn what_fits_is_kept_as_it_is() {
        assert_eq!(captured("ä\n".as_bytes()).await.text(), "ä\n");
        let long = "é".repeat(KEPT);
        assert_eq!(captured(long.as_bytes()).await.text(), long);
        assert_eq!(captured(b"a\xffb").await.text(), "a\u{fffd}b");
    }

    #[tokio::test]
    async fn of_much_the_beginning_and_the_end_are_kept_with_whole_characters() {
        let long = format!("begin{}end.", "é".repeat(1 << 20));
        let capture = captured(long.as_bytes()).await;
        assert_eq!(capture.bytes(), long.len() as u64);
        let text = capture.text();
        assert!(text.starts_with("beginé") && text.ends_with("éend."), "the ends are not there");
        assert!(!text.contains('\u{fffd}') && text.len() < 3 * KEPT);
        let (head, rest) = text.split_once("\n[… ").unwrap();
        let (count, tail) = rest.split_once(" bytes are left out here …]\n").unwrap();
        assert_eq!(head.len() + tail.len() + count.parse::<usize>().unwrap(), long.len());
    }
}
