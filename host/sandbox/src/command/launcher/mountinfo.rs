//! The kernel's list of mounts (`man 5 proc_pid_mountinfo`).

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use rustix::mount::MountFlags;

/// The place of one mount, and the flags that have to be given again when it is changed.
pub(super) fn read(line: &str) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(' ').skip(4);
    let (point, options) = (fields.next()?, fields.next()?);
    let flags = options.split(',').map(|option| match option {
        "ro" => MountFlags::RDONLY,
        "nosuid" => MountFlags::NOSUID,
        "nodev" => MountFlags::NODEV,
        "noexec" => MountFlags::NOEXEC,
        "noatime" => MountFlags::NOATIME,
        "nodiratime" => MountFlags::NODIRATIME,
        "relatime" => MountFlags::RELATIME,
        _ => MountFlags::empty(),
    });
    Some((unescaped(point), flags.fold(MountFlags::empty(), |all, flag| all | flag)))
}

/// A space, a tab, a newline and a backslash are written there as `\` and three octal digits.
fn unescaped(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let octal = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) if *first == b'\\' => {
                bytes.push(byte);
                rest = &after[3..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_is_read_with_its_flags_and_its_odd_name() {
        let line = r"36 35 98:0 /a /new/my\040disk\134 ro,nosuid,relatime shared:1 - ext4 /dev/sda1 rw";
        let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::RELATIME;
        assert_eq!(read(line), Some((PathBuf::from(r"/new/my disk\"), flags)));
        assert_eq!(read("36 35"), None);
    }
}
