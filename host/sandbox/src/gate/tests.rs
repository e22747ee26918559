//! Both ways to a file, in one step and name by name, held against each other and against the file system.

use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use rustix::fs::FileType;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::locate::{Follow, locate, open_located};
use super::node::DirNode;

/// Directories, files and links of every kind; `outside` lies beside the base.
fn tree() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().join("base");
    std::fs::create_dir_all(base.join("a/b/c")).unwrap();
    std::fs::create_dir_all(dir.path().join("outside")).unwrap();
    for file in ["base/f", "base/a/f", "base/a/b/f", "outside/f"] {
        std::fs::write(dir.path().join(file), file).unwrap();
    }
    for (target, link) in [
        ("a", "to-a"),
        ("a/b", "to-b"),
        ("../f", "a/up"),
        ("../../outside", "a/out"),
        ("../outside/f", "out-f"),
        ("/etc", "a/etc"),
        ("..", "parent"),
        (".", "a/here"),
        ("loop", "loop"),
        ("nowhere", "dangling"),
        ("../to-b/../up", "a/round"),
        ("f/", "slash"),
    ] {
        symlink(target, base.join(link)).unwrap();
    }
    dir
}

fn open(path: &Path) -> DirNode {
    let fd: OwnedFd = std::fs::File::open(path).unwrap().into();
    DirNode::root(Arc::new(fd))
}

/// The place, the inode, and whether it opens; or the error's word.
fn outcome(
    base: &DirNode,
    path: &str,
    follow: Follow,
) -> Result<(String, u64, Result<u64, &'static str>), &'static str> {
    let found = locate(base, path, follow).map_err(|error| error.name())?;
    let opened = match found.file_type() {
        FileType::Symlink => Err("a link"),
        _ => open_located(base, &found)
            .map_err(|error| error.name())
            .map(|file| file.metadata().unwrap().ino()),
    };
    Ok((found.path, found.stat.st_ino, opened))
}

fn paths() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "a", "b", "c", "f", "to-a", "to-b", "up", "out", "out-f", "etc", "parent", "here", "loop",
        "dangling", "round", "slash", "..", "..", ".", "", "missing",
    ]);
    prop::collection::vec(name, 1..7).prop_map(|names| names.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_ways_lead_to_the_same_file_and_never_out(path in paths(), follow in any::<bool>()) {
        let dir = tree();
        let base_path = dir.path().join("base").canonicalize().unwrap();
        let base = open(&base_path);
        let follow = if follow { Follow::Yes } else { Follow::No };
        let direct = outcome(&base, &path, follow);
        let walked = outcome(&base.clone().walking(), &path, follow);
        prop_assert_eq!(direct.is_ok(), walked.is_ok(), "{:?} {:?}", &direct, &walked);
        if let (Ok(direct), Ok(walked)) = (&direct, &walked) {
            prop_assert_eq!(direct, walked);
            let (place, inode, opened) = direct;
            let real = base_path.join(place);
            prop_assert_eq!(std::fs::symlink_metadata(&real).unwrap().ino(), *inode);
            if opened.is_ok() {
                // The place names no link: it is where the system, too, says that the file is.
                let canonical = real.canonicalize().unwrap();
                prop_assert!(canonical.starts_with(&base_path));
                prop_assert_eq!(canonical, real.components().collect::<std::path::PathBuf>());
            }
        }
    }
}

#[test]
fn a_file_that_is_replaced_between_look_and_open_is_not_opened() {
    let dir = tree();
    for walking in [false, true] {
        let base = open(&dir.path().join("base"));
        let base = if walking { base.walking() } else { base };
        let found = locate(&base, "a/f", Follow::Yes).unwrap();
        std::fs::write(dir.path().join("base/a/new"), "another").unwrap();
        std::fs::rename(dir.path().join("base/a/new"), dir.path().join("base/a/f")).unwrap();
        assert_eq!(open_located(&base, &found).unwrap_err().name(), ErrorCode::Busy.name());

        let found = locate(&base, "a/f", Follow::Yes).unwrap();
        std::fs::remove_file(dir.path().join("base/a/f")).unwrap();
        symlink("/etc/passwd", dir.path().join("base/a/f")).unwrap();
        assert!(open_located(&base, &found).is_err());
        std::fs::remove_file(dir.path().join("base/a/f")).unwrap();
        std::fs::write(dir.path().join("base/a/f"), "back").unwrap();
    }
}
