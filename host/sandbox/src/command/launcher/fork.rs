//! Copying this process: the one thing here that the compiler cannot check.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rustix::process::Pid;

/// Which of the two processes this is.
pub(super) enum Side {
    /// The new one.
    Child,
    /// The old one, and who the new one is.
    Parent(Pid),
}

/// Makes a copy of this process. The child has to end with [`finish`].
///
/// # Errors
///
/// When the system gives no process, or this one has more than one thread.
#[expect(unsafe_code, reason = "the standard library can start programs, and cannot copy a process")]
pub(super) fn split() -> std::io::Result<Side> {
    // Every thread is an entry there.
    if std::fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(std::io::Error::other("the launcher has more than one thread"));
    }
    // SAFETY: What makes a copy dangerous is another thread that holds a lock, the allocator's for one, and is not copied
    // with it. There is no other: that was just counted, and only another thread could have started one since.
    let copied = unsafe { libc::fork() };
    match Pid::from_raw(copied) {
        Some(_) if copied < 0 => Err(std::io::Error::last_os_error()),
        Some(child) => Ok(Side::Parent(child)),
        None => Ok(Side::Child),
    }
}

/// Does a child's work and ends the process, so that it never goes on as its parent.
pub(super) fn finish(work: impl FnOnce()) -> ! {
    let done = catch_unwind(AssertUnwindSafe(work));
    std::process::exit(i32::from(done.is_err()));
}
