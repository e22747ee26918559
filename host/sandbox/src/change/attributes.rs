//! Extended attributes of files: lists of who may use them, labels, and what their users note of them.

use std::fs::File;

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};

/// The longest list of names, and the longest value, in bytes: what Linux allows.
const MAX: usize = 64 << 10;

/// Gives `to` the attributes of `from` that hold for another content too. What the system refuses is left: a label that
/// cannot be set is no reason to lose the change.
pub(super) fn copy(from: &File, to: &File) {
    let mut names = vec![0; MAX];
    let Ok(length) = flistxattr(from, &mut names[..]) else { return };
    let mut value = vec![0; MAX];
    for name in names[..length].split(|byte| *byte == 0).filter(|name| is_kept(name)) {
        if let Ok(length) = fgetxattr(from, name, &mut value[..]) {
            let _ = fsetxattr(to, name, &value[..length], XattrFlags::empty());
        }
    }
}

/// Signatures of the content are not kept, and powers that a program has were given to the one that was there.
fn is_kept(name: &[u8]) -> bool {
    !name.is_empty()
        && (name == b"security.selinux"
            || ![&b"security."[..], b"trusted."].iter().any(|kind| name.starts_with(kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_the_content_or_gives_powers_is_not_kept() {
        let kept = ["user.note", "system.posix_acl_access", "security.selinux"];
        assert!(kept.iter().all(|name| is_kept(name.as_bytes())));
        let dropped = ["security.capability", "security.ima", "security.evm", "trusted.x", ""];
        assert!(!dropped.iter().any(|name| is_kept(name.as_bytes())));
    }
}
