//! The private file system that a command sees.

use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change,
    mount_remount, unmount,
};
use rustix::process::pivot_root;

use super::mountinfo;
use crate::command::plan::{Failure, Identity, Mount, ProcessLimits};

/// Where the scaffold stands: a directory that every system has, over which a file system is mounted that nobody else sees.
const BASE: &str = "/tmp";
/// In the scaffold: the machine's root.
const OLD: &str = "/old";
/// In the scaffold: the root that is being made.
const NEW: &str = "/new";
/// In the scaffold: what lies over a hidden file, and over a hidden directory.
const NO_FILE: &str = "/no-file";
const NO_DIR: &str = "/no-dir";

/// The devices that a command gets: they hold nothing and do nothing.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// Puts the file system together and moves into it. The machine's own is out of reach afterwards.
pub(super) fn assemble(view: &[Mount], limits: &ProcessLimits) -> Result<(), Failure> {
    let at = |step: &'static str| move |error: Errno| Failure::lacking(step, error);
    // What is mounted from here on is nobody else's to see.
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(at("making mounts private"))?;
    tmpfs(BASE, "mode=755,size=1m").map_err(at("mounting a file system in memory"))?;
    scaffold().map_err(|error| Failure::lacking("making a scaffold", error))?;
    let under = |name: &str| format!("{BASE}{name}");
    tmpfs(&under(NEW), "mode=755,size=16m").map_err(at("mounting a file system in memory"))?;
    pivot_root(BASE, under(OLD)).map_err(at("moving to the scaffold"))?;
    std::env::set_current_dir("/").map_err(|error| Failure::lacking("moving to the scaffold", error))?;
    for place in view {
        put(place, limits).map_err(|error| {
            let step = format!("putting {} in its place", place.path().display());
            match place {
                // What a workspace holds is no question of the system's.
                Mount::Read { identity: Some(_), .. } | Mount::Write { .. } | Mount::Mask { .. } => {
                    Failure::at(&step, error)
                }
                _ => Failure::lacking(&step, error),
            }
        })?;
    }
    protect(view).map_err(|error| Failure::lacking("making it read-only", error))?;
    std::env::set_current_dir(NEW).map_err(|error| Failure::lacking("moving to the new root", error))?;
    // The scaffold is put over the new root, and taken away with everything on it.
    pivot_root(".", ".").map_err(at("moving to the new root"))?;
    unmount(".", UnmountFlags::DETACH).map_err(at("leaving the machine's root"))?;
    std::env::set_current_dir("/").map_err(|error| Failure::lacking("moving to the new root", error))
}

fn scaffold() -> io::Result<()> {
    let base = Path::new(BASE);
    for name in [OLD, NEW] {
        fs::create_dir(base.join(&name[1..]))?;
    }
    let (file, dir) = (base.join(&NO_FILE[1..]), base.join(&NO_DIR[1..]));
    fs::write(&file, "")?;
    fs::create_dir(&dir)?;
    fs::set_permissions(file, Permissions::from_mode(0o000))?;
    fs::set_permissions(dir, Permissions::from_mode(0o000))
}

fn tmpfs(target: &str, options: &str) -> Result<(), Errno> {
    let options = std::ffi::CString::new(options).map_err(|_| Errno::INVAL)?;
    mount("tmpfs", target, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options.as_c_str())
}

fn put(place: &Mount, limits: &ProcessLimits) -> io::Result<()> {
    let target = within(NEW, place.path());
    match place {
        Mount::Read { path, identity } => bind(path, &target, *identity),
        Mount::Write { path, identity } => bind(path, &target, Some(*identity)),
        Mount::Link { target: to, .. } => {
            make_parent(&target)?;
            symlink(to, &target)
        }
        Mount::Folder { .. } => {
            fs::create_dir_all(&target)?;
            Ok(tmpfs(&text(&target)?, "mode=755,size=1m")?)
        }
        Mount::Private { .. } => {
            fs::create_dir_all(&target)?;
            tmpfs(&text(&target)?, &format!("mode=1777,size={}", limits.private_bytes))?;
            for name in ["home", "shm"] {
                fs::create_dir(target.join(name))?;
            }
            fs::set_permissions(target.join("shm"), Permissions::from_mode(0o1777))
        }
        Mount::Devices { path } => devices(path, &target),
        Mount::Processes { .. } => {
            fs::create_dir_all(&target)?;
            let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
            mount("proc", &target, "proc", flags, None)?;
            // Within namespaces of its own a command would have capabilities again, and more of the kernel to attack.
            fs::write(target.join("sys/user/max_user_namespaces"), "0")?;
            if has_pids_of_its_own() {
                // The user's limit counts nothing where the user is the machine's root; this one does.
                fs::write(target.join("sys/kernel/pid_max"), limits.tasks.to_string())?;
            }
            Ok(())
        }
        Mount::Mask { is_dir, .. } => {
            match mount_bind_recursive(if *is_dir { NO_DIR } else { NO_FILE }, &target) {
                // It has gone since it was looked for.
                Err(Errno::NOENT) => Ok(()),
                other => Ok(other?),
            }
        }
    }
}

/// Whether the number of processes is a namespace's own setting. Before, it is the whole machine's.
fn has_pids_of_its_own() -> bool {
    let system = rustix::system::uname();
    let mut numbers = system.release().to_str().unwrap_or_default().split('.').map(str::parse::<u32>);
    matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= (6, 14))
}

/// Puts what is at `path` on the machine at `target`, submounts included: without them the kernel would let a command see
/// what they cover.
fn bind(path: &Path, target: &Path, identity: Option<Identity>) -> io::Result<()> {
    let source = within(OLD, path);
    let is_dir = fs::metadata(&source)?.is_dir();
    if !target.exists() {
        if is_dir {
            fs::create_dir_all(target)?;
        } else {
            make_parent(target)?;
            fs::write(target, "")?;
        }
    }
    mount_bind_recursive(&source, target)?;
    let Some(expected) = identity else { return Ok(()) };
    let found = fs::metadata(target)?;
    if (found.dev(), found.ino()) != (expected.device, expected.inode) {
        return Err(io::Error::other("another directory has taken its place"));
    }
    Ok(())
}

fn devices(path: &Path, target: &Path) -> io::Result<()> {
    fs::create_dir_all(target)?;
    for name in DEVICES {
        let device = target.join(name);
        fs::write(&device, "")?;
        mount_bind_recursive(within(OLD, path).join(name), &device)?;
    }
    for (name, to) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
        ("shm", "/tmp/shm"),
    ] {
        symlink(to, target.join(name))?;
    }
    Ok(())
}

/// Makes every mount read-only that is not to be written, submounts of the machine's included, and none of them a way to
/// another user's rights.
fn protect(view: &[Mount]) -> io::Result<()> {
    let places: HashMap<PathBuf, &Mount> =
        view.iter().map(|place| (within(NEW, place.path()), place)).collect();
    let mounted = fs::read_to_string(format!("{OLD}/proc/self/mountinfo"))?;
    // Of several in one place the last is the one that is seen.
    let mounted: HashMap<PathBuf, MountFlags> = mounted.lines().filter_map(mountinfo::read).collect();
    for (point, mut flags) in mounted.into_iter().filter(|(point, _)| point.starts_with(NEW)) {
        flags |= MountFlags::BIND | MountFlags::NOSUID;
        match point.ancestors().find_map(|above| places.get(above)) {
            // A device is one through its mount, and is read-only for nobody.
            Some(Mount::Devices { .. }) => flags |= MountFlags::NOEXEC,
            Some(Mount::Write { .. } | Mount::Private { .. }) => flags |= MountFlags::NODEV,
            _ => flags |= MountFlags::NODEV | MountFlags::RDONLY,
        }
        match mount_remount(&point, flags, "") {
            // Another lies over a directory above it, so that nothing reaches it.
            Ok(()) | Err(Errno::NOENT | Errno::INVAL) => {}
            Err(error) => return Err(io::Error::other(format!("{}: {error}", point.display()))),
        }
    }
    Ok(())
}

/// `path`, which is absolute, under another root.
fn within(root: &str, path: &Path) -> PathBuf {
    let names = path.components().filter(|part| matches!(part, Component::Normal(_)));
    std::iter::once(Component::RootDir).chain(Path::new(&root[1..]).components()).chain(names).collect()
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

fn text(path: &Path) -> io::Result<String> {
    let text = path.to_str().ok_or_else(|| io::Error::other("its name is not UTF-8"))?;
    Ok(text.to_owned())
}
