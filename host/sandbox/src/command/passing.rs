//! How a request for a command goes from process to process: one byte, and three files with it.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// A command that is to be started.
#[derive(Debug)]
pub(super) struct Request {
    /// Whether it is to be contained. Only a hint, by which the process is chosen that starts it: the plan decides.
    pub(super) is_contained: bool,
    /// Where its plan comes from, and what becomes of it is told. Whoever holds the other side keeps it alive.
    pub(super) talk: UnixStream,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// Sends a request to whoever holds the other side of `socket`.
pub(super) fn send(socket: &UnixStream, request: &Request) -> io::Result<()> {
    let files = [request.talk.as_fd(), request.stdout.as_fd(), request.stderr.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(io::Error::other("too many files for one message"));
    }
    let byte = [u8::from(request.is_contained)];
    sendmsg(socket, &[IoSlice::new(&byte)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// The next request; nothing when whoever sends them is gone.
pub(super) fn receive(socket: &UnixStream) -> io::Result<Option<Request>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let received = recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let mut files = control.drain().flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => files.collect::<Vec<_>>(),
        _ => Vec::new(),
    });
    match (files.next(), files.next(), files.next()) {
        (Some(talk), Some(stdout), Some(stderr)) => {
            Ok(Some(Request { is_contained: byte != [0], talk: UnixStream::from(talk), stdout, stderr }))
        }
        _ => Err(io::Error::other("a request without its three files")),
    }
}
