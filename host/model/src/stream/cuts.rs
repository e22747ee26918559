//! Streams cut in every way: what the tests of each protocol share.

use bytes::Bytes;
use futures::{StreamExt, stream};

use super::{Decoder, Draft, events};
use crate::ModelError;
use crate::chat::{Message, Reply, ToolCall, Transcript, collect};
use crate::exchange::Secrets;

/// What a reply comes to when its bytes arrive in these pieces. The conversation has a call `taken`; the key is
/// `hunter2`.
pub(crate) async fn read<'a>(
    decoder: impl Decoder + Send,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Reply, ModelError> {
    let pieces: Vec<_> = pieces.into_iter().map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let mut transcript = Transcript::new();
    let taken = ToolCall { id: "taken".into(), name: "x".into(), arguments: "{}".into() };
    transcript.push(Message::assistant("", vec![taken]));
    let draft = Draft::new(&transcript, Secrets::new(["hunter2".to_owned()]));
    collect(events(stream::iter(pieces).boxed(), decoder, draft).boxed(), |_| {}).await
}

/// The ways in which servers write the same events.
fn dialects(text: &str) -> Vec<String> {
    vec![
        text.to_owned(),
        text.replace('\n', "\r\n"),
        text.replace('\n', "\r"),
        format!("\u{feff}{text}"),
        format!("\u{feff}{}", text.replace("\n\n", "\r\n\r\n")),
        text.replace("data: ", "data:"),
        text.replace("data: ", ": still thinking\n\n:\ndata: "),
        text.replace("data: ", "id: 7\nretry: 10\nfuture-field: x\ndata: "),
        without_names(text),
    ]
}

/// A stream whose events have no `event:` line.
fn without_names(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with("event: ")).collect()
}

/// The stream `text` is `reply` in every dialect, cut in two at every byte, and byte by byte.
pub(crate) async fn same_however_it_is_cut<D: Decoder + Send>(
    decoder: impl Fn() -> D,
    text: &str,
    reply: &Reply,
) {
    for text in dialects(text) {
        let bytes = text.as_bytes();
        for cut in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(cut);
            let read = read(decoder(), [head, tail]).await;
            assert_eq!(read.as_ref(), Ok(reply), "cut at {cut} of {text:?}");
        }
        let read = read(decoder(), bytes.chunks(1)).await;
        assert_eq!(read.as_ref(), Ok(reply), "byte by byte: {text:?}");
    }
}

/// No beginning of `text` that lacks its last event is a reply.
pub(crate) async fn no_reply_before_its_last_event<D: Decoder + Send>(
    decoder: impl Fn() -> D,
    text: &str,
    reply: &Reply,
) {
    for cut in 0..text.len() {
        let read = read(decoder(), [&text.as_bytes()[..cut]]).await;
        assert_eq!(read, Err(ModelError::EndedEarly), "cut at {cut}");
    }
    assert_eq!(read(decoder(), [text.as_bytes()]).await.as_ref(), Ok(reply));
}

/// `text` in pieces of these sizes, in turn.
pub(crate) fn pieces<'a>(text: &'a str, sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut rest = text.as_bytes();
    let mut pieces = Vec::new();
    for size in sizes.iter().cycle() {
        let (piece, tail) = rest.split_at((*size).min(rest.len()));
        pieces.push(piece);
        rest = tail;
        if rest.is_empty() {
            break;
        }
    }
    pieces
}

/// Runs a future to its end, for a property test.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}
