//! The functions of `wasi:filesystem/types` and `preopens`, each of them short: find, ask, do.
//!
//! The generated traits name wasmtime-wasi's descriptor; the table holds [`Node`] under the same number, and no
//! function here reads it as anything else.

use std::hash::{DefaultHasher, Hash, Hasher};

use rustix::fs::{FileType, Stat};
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    self, Advice, Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry,
    DirectoryEntryStream, ErrorCode, Filesize, HostDescriptor, HostDirectoryEntryStream, MetadataHashValue,
    NewTimestamp, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

use super::GateView;
use super::listing::{Listing, descriptor_type};
use super::locate::{Follow, Located, code, open_located};
use super::node::{DirNode, FileNode, Node};
use super::stream::{FileStream, read_at};

impl GateView<'_> {
    fn node(&self, fd: &Resource<Descriptor>) -> FsResult<&Node> {
        Ok(self.table.get(&Resource::<Node>::new_borrow(fd.rep()))?)
    }

    fn dir(&self, fd: &Resource<Descriptor>) -> FsResult<DirNode> {
        match self.node(fd)? {
            Node::Dir(dir) => Ok(dir.clone()),
            Node::File(_) => Err(ErrorCode::NotDirectory.into()),
        }
    }

    fn file(&self, fd: &Resource<Descriptor>) -> FsResult<FileNode> {
        match self.node(fd)? {
            Node::File(file) => Ok(file.clone()),
            Node::Dir(_) => Err(ErrorCode::IsDirectory.into()),
        }
    }

    fn push(&mut self, node: Node) -> FsResult<Resource<Descriptor>> {
        Ok(Resource::new_own(self.table.push(node)?.rep()))
    }

    fn look(&mut self, fd: &Resource<Descriptor>, flags: PathFlags, path: &str) -> FsResult<Located> {
        let dir = self.dir(fd)?;
        Ok(self.gate.admit("look", &dir, path, follow(flags))?)
    }

    fn stat_of(&self, fd: &Resource<Descriptor>) -> FsResult<Stat> {
        let stat = match self.node(fd)? {
            Node::Dir(dir) => rustix::fs::fstat(dir.fd()),
            Node::File(file) => rustix::fs::fstat(&file.file),
        };
        Ok(stat.map_err(code)?)
    }

    /// Every function that would change something ends here.
    fn read_only<T>(&mut self, path: &str) -> FsResult<T> {
        self.gate.refuse("write", path, "no directory is granted for writing");
        Err(ErrorCode::ReadOnly.into())
    }
}

impl preopens::Host for GateView<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Resource<Descriptor>, String)>> {
        let grants = self.gate.grants.clone();
        let mut directories = Vec::with_capacity(grants.preopens().len());
        for preopen in grants.preopens() {
            let node = self.table.push(Node::Dir(preopen.dir.clone()))?;
            directories.push((Resource::new_own(node.rep()), preopen.mount.clone()));
        }
        Ok(directories)
    }
}

impl types::Host for GateView<'_> {
    fn convert_error_code(&mut self, error: FsError) -> wasmtime::Result<ErrorCode> {
        error.downcast()
    }

    fn filesystem_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        Ok(self.table.get(&error)?.downcast_ref::<std::io::Error>().map(ErrorCode::from))
    }
}

impl HostDescriptor for GateView<'_> {
    async fn open_at(
        &mut self,
        fd: Resource<Descriptor>,
        flags: PathFlags,
        path: String,
        open: OpenFlags,
        mode: DescriptorFlags,
    ) -> FsResult<Resource<Descriptor>> {
        let dir = self.dir(&fd)?;
        let changes = OpenFlags::CREATE | OpenFlags::EXCLUSIVE | OpenFlags::TRUNCATE;
        if open.intersects(changes)
            || mode.intersects(DescriptorFlags::WRITE | DescriptorFlags::MUTATE_DIRECTORY)
        {
            return self.read_only(&path);
        }
        let found = self.gate.admit("read", &dir, &path, follow(flags))?;
        if open.contains(OpenFlags::DIRECTORY) && !found.is_dir() {
            return Err(ErrorCode::NotDirectory.into());
        }
        let file = open_located(&dir, &found)?;
        let node = if found.is_dir() {
            Node::Dir(DirNode::new(file, found.path))
        } else {
            Node::File(FileNode { file: file.into() })
        };
        self.push(node)
    }

    async fn read_directory(&mut self, fd: Resource<Descriptor>) -> FsResult<Resource<DirectoryEntryStream>> {
        let listing = Listing::open(&self.dir(&fd)?)?;
        Ok(Resource::new_own(self.table.push(listing)?.rep()))
    }

    async fn read(
        &mut self,
        fd: Resource<Descriptor>,
        len: Filesize,
        offset: Filesize,
    ) -> FsResult<(Vec<u8>, bool)> {
        let file = self.file(&fd)?;
        let bytes = read_at(&file.file, usize::try_from(len).unwrap_or(usize::MAX), offset)?;
        let end = bytes.is_empty() && len > 0;
        Ok((bytes, end))
    }

    fn read_via_stream(
        &mut self,
        fd: Resource<Descriptor>,
        offset: Filesize,
    ) -> FsResult<Resource<DynInputStream>> {
        let file = self.file(&fd)?;
        let stream: DynInputStream = Box::new(FileStream::new(file.file, offset));
        Ok(self.table.push(stream)?)
    }

    async fn stat(&mut self, fd: Resource<Descriptor>) -> FsResult<DescriptorStat> {
        Ok(descriptor_stat(&self.stat_of(&fd)?))
    }

    async fn stat_at(
        &mut self,
        fd: Resource<Descriptor>,
        flags: PathFlags,
        path: String,
    ) -> FsResult<DescriptorStat> {
        Ok(descriptor_stat(&self.look(&fd, flags, &path)?.stat))
    }

    async fn readlink_at(&mut self, fd: Resource<Descriptor>, path: String) -> FsResult<String> {
        let found = self.look(&fd, PathFlags::empty(), &path)?;
        let dir = self.dir(&fd)?;
        let target = found.link_target(&dir)?;
        // Where an absolute link leads says how the machine is laid out, and can't be followed anyway.
        if target.starts_with('/') { Err(ErrorCode::NotPermitted.into()) } else { Ok(target) }
    }

    async fn metadata_hash(&mut self, fd: Resource<Descriptor>) -> FsResult<MetadataHashValue> {
        Ok(identity(&self.stat_of(&fd)?))
    }

    async fn metadata_hash_at(
        &mut self,
        fd: Resource<Descriptor>,
        flags: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        Ok(identity(&self.look(&fd, flags, &path)?.stat))
    }

    async fn is_same_object(
        &mut self,
        a: Resource<Descriptor>,
        b: Resource<Descriptor>,
    ) -> wasmtime::Result<bool> {
        let key = |stat: FsResult<Stat>| stat.map(|stat| (stat.st_dev, stat.st_ino)).ok();
        let (a, b) = (key(self.stat_of(&a)), key(self.stat_of(&b)));
        Ok(a.is_some() && a == b)
    }

    async fn get_type(&mut self, fd: Resource<Descriptor>) -> FsResult<DescriptorType> {
        Ok(match self.node(&fd)? {
            Node::Dir(_) => DescriptorType::Directory,
            Node::File(_) => DescriptorType::RegularFile,
        })
    }

    async fn get_flags(&mut self, fd: Resource<Descriptor>) -> FsResult<DescriptorFlags> {
        self.node(&fd)?;
        Ok(DescriptorFlags::READ)
    }

    async fn advise(
        &mut self,
        fd: Resource<Descriptor>,
        _: Filesize,
        _: Filesize,
        _: Advice,
    ) -> FsResult<()> {
        self.file(&fd)?;
        Ok(())
    }

    async fn sync(&mut self, fd: Resource<Descriptor>) -> FsResult<()> {
        self.node(&fd)?;
        Ok(())
    }

    async fn sync_data(&mut self, fd: Resource<Descriptor>) -> FsResult<()> {
        self.node(&fd)?;
        Ok(())
    }

    fn drop(&mut self, fd: Resource<Descriptor>) -> wasmtime::Result<()> {
        self.table.delete(Resource::<Node>::new_own(fd.rep()))?;
        Ok(())
    }

    async fn set_size(&mut self, _: Resource<Descriptor>, _: Filesize) -> FsResult<()> {
        self.read_only("(an open file)")
    }

    async fn set_times(&mut self, _: Resource<Descriptor>, _: NewTimestamp, _: NewTimestamp) -> FsResult<()> {
        self.read_only("(an open file)")
    }

    async fn write(&mut self, _: Resource<Descriptor>, _: Vec<u8>, _: Filesize) -> FsResult<Filesize> {
        self.read_only("(an open file)")
    }

    fn write_via_stream(
        &mut self,
        _: Resource<Descriptor>,
        _: Filesize,
    ) -> FsResult<Resource<DynOutputStream>> {
        self.read_only("(an open file)")
    }

    fn append_via_stream(&mut self, _: Resource<Descriptor>) -> FsResult<Resource<DynOutputStream>> {
        self.read_only("(an open file)")
    }

    async fn create_directory_at(&mut self, _: Resource<Descriptor>, path: String) -> FsResult<()> {
        self.read_only(&path)
    }

    async fn set_times_at(
        &mut self,
        _: Resource<Descriptor>,
        _: PathFlags,
        path: String,
        _: NewTimestamp,
        _: NewTimestamp,
    ) -> FsResult<()> {
        self.read_only(&path)
    }

    async fn link_at(
        &mut self,
        _: Resource<Descriptor>,
        _: PathFlags,
        _: String,
        _: Resource<Descriptor>,
        to: String,
    ) -> FsResult<()> {
        self.read_only(&to)
    }

    async fn remove_directory_at(&mut self, _: Resource<Descriptor>, path: String) -> FsResult<()> {
        self.read_only(&path)
    }

    async fn rename_at(
        &mut self,
        _: Resource<Descriptor>,
        from: String,
        _: Resource<Descriptor>,
        _: String,
    ) -> FsResult<()> {
        self.read_only(&from)
    }

    async fn symlink_at(&mut self, _: Resource<Descriptor>, _: String, path: String) -> FsResult<()> {
        self.read_only(&path)
    }

    async fn unlink_file_at(&mut self, _: Resource<Descriptor>, path: String) -> FsResult<()> {
        self.read_only(&path)
    }
}

impl HostDirectoryEntryStream for GateView<'_> {
    async fn read_directory_entry(
        &mut self,
        stream: Resource<DirectoryEntryStream>,
    ) -> FsResult<Option<DirectoryEntry>> {
        let listing = self.table.get_mut(&Resource::<Listing>::new_borrow(stream.rep()))?;
        Ok(listing.next(self.gate.grants.hidden())?)
    }

    fn drop(&mut self, stream: Resource<DirectoryEntryStream>) -> wasmtime::Result<()> {
        self.table.delete(Resource::<Listing>::new_own(stream.rep()))?;
        Ok(())
    }
}

fn follow(flags: PathFlags) -> Follow {
    if flags.contains(PathFlags::SYMLINK_FOLLOW) { Follow::Yes } else { Follow::No }
}

#[expect(clippy::unnecessary_cast, clippy::useless_conversion, reason = "the types differ between systems")]
fn descriptor_stat(stat: &Stat) -> DescriptorStat {
    let time = |seconds: i64, nanoseconds: u32| {
        Some(Datetime { seconds: u64::try_from(seconds).ok()?, nanoseconds })
    };
    DescriptorStat {
        type_: descriptor_type(FileType::from_raw_mode(stat.st_mode)),
        link_count: stat.st_nlink as u64,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        data_access_timestamp: time(stat.st_atime.into(), stat.st_atime_nsec as u32),
        data_modification_timestamp: time(stat.st_mtime.into(), stat.st_mtime_nsec as u32),
        status_change_timestamp: time(stat.st_ctime.into(), stat.st_ctime_nsec as u32),
    }
}

/// The same for the same file, another for another, and nothing to be read from it.
fn identity(stat: &Stat) -> MetadataHashValue {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        (salt, stat.st_dev, stat.st_ino).hash(&mut hasher);
        hasher.finish()
    };
    MetadataHashValue { lower: half(1), upper: half(2) }
}
