//! Namespaces of the command's own.

use rustix::process::{getegid, geteuid};
use rustix::thread::UnshareFlags;

use crate::command::plan::Failure;

/// Leaves the host's namespaces. Of processes only the next child is in the new one, as its process 1.
pub(super) fn enter() -> Result<(), Failure> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let flags = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWNET
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    unshare(flags).map_err(|error| Failure::lacking("making namespaces", error))?;
    // Inside, the user is who it is outside: a command's files belong to whoever runs it.
    let map = |name: &str, content: String| {
        let file = format!("/proc/self/{name}");
        std::fs::write(&file, content).map_err(|error| Failure::lacking(&format!("writing {file}"), error))
    };
    map("setgroups", "deny".to_owned())?;
    map("uid_map", format!("{user} {user} 1"))?;
    map("gid_map", format!("{group} {group} 1"))
}

#[expect(unsafe_code, reason = "rustix marks it so because of one flag that is not used")]
fn unshare(flags: UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: What is asked for is that no thread sees another's table of files go away, which `FILES` could do. It is not
    // among the flags that the one caller gives.
    unsafe { rustix::thread::unshare_unsafe(flags) }
}
