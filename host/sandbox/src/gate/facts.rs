//! What a guest may know of a file or directory beside its content.

use std::hash::{DefaultHasher, Hash, Hasher};

use rustix::fs::{FileType, Stat};
use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorStat, DescriptorType, MetadataHashValue};

use super::listing::descriptor_type;
use super::stage::Content;

/// The device of everything that is only staged; no file system has it.
const STAGED: u64 = u64::MAX;

pub(super) struct Facts {
    /// Device and inode: the same for the same file, another for another.
    pub(super) id: (u64, u64),
    kind: DescriptorType,
    links: u64,
    size: u64,
    /// Of access, modification and status; a staged file has none.
    times: [Option<Datetime>; 3],
}

impl Facts {
    #[expect(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "the types differ between systems"
    )]
    pub(super) fn of(stat: &Stat) -> Self {
        let time = |seconds: i64, nanoseconds: u32| {
            Some(Datetime { seconds: u64::try_from(seconds).ok()?, nanoseconds })
        };
        Self {
            id: (stat.st_dev as u64, stat.st_ino.into()),
            kind: descriptor_type(FileType::from_raw_mode(stat.st_mode)),
            links: stat.st_nlink as u64,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            times: [
                time(stat.st_atime.into(), stat.st_atime_nsec as u32),
                time(stat.st_mtime.into(), stat.st_mtime_nsec as u32),
                time(stat.st_ctime.into(), stat.st_ctime_nsec as u32),
            ],
        }
    }

    pub(super) fn staged_file(content: &Content) -> Self {
        let size = content.bytes().len() as u64;
        Self {
            id: (STAGED, content.id()),
            kind: DescriptorType::RegularFile,
            links: 1,
            size,
            times: [None; 3],
        }
    }

    pub(super) fn staged_dir(path: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        let id = (STAGED, hasher.finish());
        Self { id, kind: DescriptorType::Directory, links: 1, size: 0, times: [None; 3] }
    }

    pub(super) fn stat(self) -> DescriptorStat {
        let [accessed, modified, changed] = self.times;
        DescriptorStat {
            type_: self.kind,
            link_count: self.links,
            size: self.size,
            data_access_timestamp: accessed,
            data_modification_timestamp: modified,
            status_change_timestamp: changed,
        }
    }

    /// The same for the same file, another for another, and nothing to be read from it.
    pub(super) fn hash(self) -> MetadataHashValue {
        let half = |salt: u64| {
            let mut hasher = DefaultHasher::new();
            (salt, self.id).hash(&mut hasher);
            hasher.finish()
        };
        MetadataHashValue { lower: half(1), upper: half(2) }
    }
}
