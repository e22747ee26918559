//! The functions of `wasi:filesystem/types` and `preopens`, each of them short: find, ask, do.
//!
//! The generated traits name wasmtime-wasi's descriptor; the table holds [`Node`] under the same number, and no
//! function here reads it as anything else.

use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    self, Advice, Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry,
    DirectoryEntryStream, ErrorCode, Filesize, HostDescriptor, HostDirectoryEntryStream, MetadataHashValue,
    NewTimestamp, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

use super::GateView;
use super::facts::Facts;
use super::listing::Listing;
use super::locate::{Follow, Place, code, open_located};
use super::node::{DirNode, FileNode, Node};
use super::stage::{Content, Now};
use super::stream::{ContentStream, FileStream};

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

    fn look(&mut self, fd: &Resource<Descriptor>, flags: PathFlags, path: &str) -> FsResult<Facts> {
        let dir = self.dir(fd)?;
        Ok(match self.gate.admit("look", &dir, path, follow(flags))? {
            Place::Disk(found) => Facts::of(&found.stat),
            Place::Staged { now: Now::File { content, .. }, .. } => Facts::staged_file(&content),
            Place::Staged { path, .. } | Place::Missing { path } => Facts::staged_dir(&path),
        })
    }

    fn facts(&self, fd: &Resource<Descriptor>) -> FsResult<Facts> {
        let stat = match self.node(fd)? {
            Node::Dir(dir) => match dir.dir() {
                Some(handle) => rustix::fs::fstat(handle),
                None => return Ok(Facts::staged_dir(dir.path())),
            },
            Node::File(FileNode::Disk { file, .. }) => rustix::fs::fstat(file),
            Node::File(FileNode::Staged { content, .. }) => return Ok(Facts::staged_file(content)),
        };
        Ok(Facts::of(&stat.map_err(code)?))
    }

    /// The content of a descriptor that is open for writing.
    fn writable(&mut self, fd: &Resource<Descriptor>) -> FsResult<Content> {
        match self.file(fd)? {
            FileNode::Staged { content, writable: true } => Ok(content),
            _ => self.never("(an open file)", "it is not open for writing"),
        }
    }

    /// What no role may do, whatever it is granted.
    fn never<T>(&mut self, path: &str, reason: &str) -> FsResult<T> {
        self.gate.refuse("write", path, reason);
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
        if open.intersects(changes) || mode.contains(DescriptorFlags::WRITE) {
            let file = self.gate.open_to_write(&dir, &path, follow(flags), open)?;
            return self.push(Node::File(file));
        }
        if mode.contains(DescriptorFlags::MUTATE_DIRECTORY) {
            self.gate.writes_at_all(&path)?;
        }
        let place = self.gate.admit("read", &dir, &path, follow(flags))?;
        if open.contains(OpenFlags::DIRECTORY) && !place.is_dir() {
            return Err(ErrorCode::NotDirectory.into());
        }
        let node = match place {
            Place::Disk(found) => {
                let file = open_located(&dir, &found)?;
                if found.is_dir() {
                    Node::Dir(DirNode::new(file, found.path))
                } else {
                    let read = self.gate.ledger.read(&found.path);
                    Node::File(FileNode::Disk { file: file.into(), read })
                }
            }
            Place::Staged { now: Now::File { content, .. }, .. } => {
                Node::File(FileNode::Staged { content, writable: false })
            }
            Place::Staged { path, .. } | Place::Missing { path } => Node::Dir(DirNode::staged(path)),
        };
        self.push(node)
    }

    async fn read_directory(&mut self, fd: Resource<Descriptor>) -> FsResult<Resource<DirectoryEntryStream>> {
        let dir = self.dir(&fd)?;
        let listing = Listing::open(&dir, &self.gate.stage)?;
        self.gate.ledger.listed(dir.path());
        Ok(Resource::new_own(self.table.push(listing)?.rep()))
    }

    async fn read(
        &mut self,
        fd: Resource<Descriptor>,
        len: Filesize,
        offset: Filesize,
    ) -> FsResult<(Vec<u8>, bool)> {
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let bytes = self.file(&fd)?.read_at(len, offset)?;
        let end = bytes.is_empty() && len > 0;
        Ok((bytes, end))
    }

    fn read_via_stream(
        &mut self,
        fd: Resource<Descriptor>,
        offset: Filesize,
    ) -> FsResult<Resource<DynInputStream>> {
        let stream: DynInputStream = Box::new(FileStream::new(self.file(&fd)?, offset));
        Ok(self.table.push(stream)?)
    }

    async fn stat(&mut self, fd: Resource<Descriptor>) -> FsResult<DescriptorStat> {
        Ok(self.facts(&fd)?.stat())
    }

    async fn stat_at(
        &mut self,
        fd: Resource<Descriptor>,
        flags: PathFlags,
        path: String,
    ) -> FsResult<DescriptorStat> {
        Ok(self.look(&fd, flags, &path)?.stat())
    }

    async fn readlink_at(&mut self, fd: Resource<Descriptor>, path: String) -> FsResult<String> {
        let dir = self.dir(&fd)?;
        let Place::Disk(found) = self.gate.admit("look", &dir, &path, Follow::No)? else {
            return Err(ErrorCode::Invalid.into());
        };
        let target = found.link_target(&dir)?;
        // Where an absolute link leads says how the machine is laid out, and can't be followed anyway.
        if target.starts_with('/') { Err(ErrorCode::NotPermitted.into()) } else { Ok(target) }
    }

    async fn metadata_hash(&mut self, fd: Resource<Descriptor>) -> FsResult<MetadataHashValue> {
        Ok(self.facts(&fd)?.hash())
    }

    async fn metadata_hash_at(
        &mut self,
        fd: Resource<Descriptor>,
        flags: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        Ok(self.look(&fd, flags, &path)?.hash())
    }

    async fn is_same_object(
        &mut self,
        a: Resource<Descriptor>,
        b: Resource<Descriptor>,
    ) -> wasmtime::Result<bool> {
        let (a, b) = (self.facts(&a).ok(), self.facts(&b).ok());
        Ok(a.is_some() && a.map(|facts| facts.id) == b.map(|facts| facts.id))
    }

    async fn get_type(&mut self, fd: Resource<Descriptor>) -> FsResult<DescriptorType> {
        Ok(match self.node(&fd)? {
            Node::Dir(_) => DescriptorType::Directory,
            Node::File(_) => DescriptorType::RegularFile,
        })
    }

    async fn get_flags(&mut self, fd: Resource<Descriptor>) -> FsResult<DescriptorFlags> {
        Ok(match self.node(&fd)? {
            Node::Dir(dir) if self.gate.grants.may_write_in(dir.path()) => {
                DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY
            }
            Node::File(FileNode::Staged { writable: true, .. }) => {
                DescriptorFlags::READ | DescriptorFlags::WRITE
            }
            _ => DescriptorFlags::READ,
        })
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

    async fn set_size(&mut self, fd: Resource<Descriptor>, size: Filesize) -> FsResult<()> {
        Ok(self.writable(&fd)?.set_size(size)?)
    }

    async fn set_times(&mut self, _: Resource<Descriptor>, _: NewTimestamp, _: NewTimestamp) -> FsResult<()> {
        self.never("(an open file)", TIMES)
    }

    async fn write(&mut self, fd: Resource<Descriptor>, bytes: Vec<u8>, at: Filesize) -> FsResult<Filesize> {
        self.writable(&fd)?.write_at(&bytes, at)?;
        Ok(bytes.len() as Filesize)
    }

    fn write_via_stream(
        &mut self,
        fd: Resource<Descriptor>,
        offset: Filesize,
    ) -> FsResult<Resource<DynOutputStream>> {
        let stream: DynOutputStream = Box::new(ContentStream::new(self.writable(&fd)?, Some(offset)));
        Ok(self.table.push(stream)?)
    }

    fn append_via_stream(&mut self, fd: Resource<Descriptor>) -> FsResult<Resource<DynOutputStream>> {
        let stream: DynOutputStream = Box::new(ContentStream::new(self.writable(&fd)?, None));
        Ok(self.table.push(stream)?)
    }

    async fn create_directory_at(&mut self, fd: Resource<Descriptor>, path: String) -> FsResult<()> {
        let dir = self.dir(&fd)?;
        Ok(self.gate.create_dir(&dir, &path)?)
    }

    async fn set_times_at(
        &mut self,
        _: Resource<Descriptor>,
        _: PathFlags,
        path: String,
        _: NewTimestamp,
        _: NewTimestamp,
    ) -> FsResult<()> {
        self.never(&path, TIMES)
    }

    async fn link_at(
        &mut self,
        _: Resource<Descriptor>,
        _: PathFlags,
        _: String,
        _: Resource<Descriptor>,
        to: String,
    ) -> FsResult<()> {
        self.never(&to, LINKS)
    }

    async fn remove_directory_at(&mut self, fd: Resource<Descriptor>, path: String) -> FsResult<()> {
        let dir = self.dir(&fd)?;
        Ok(self.gate.remove_dir(&dir, &path)?)
    }

    async fn rename_at(
        &mut self,
        from_fd: Resource<Descriptor>,
        from: String,
        to_fd: Resource<Descriptor>,
        to: String,
    ) -> FsResult<()> {
        let (from_dir, to_dir) = (self.dir(&from_fd)?, self.dir(&to_fd)?);
        Ok(self.gate.rename(&from_dir, &from, &to_dir, &to)?)
    }

    async fn symlink_at(&mut self, _: Resource<Descriptor>, _: String, path: String) -> FsResult<()> {
        self.never(&path, LINKS)
    }

    async fn unlink_file_at(&mut self, fd: Resource<Descriptor>, path: String) -> FsResult<()> {
        let dir = self.dir(&fd)?;
        Ok(self.gate.remove_file(&dir, &path)?)
    }
}

const TIMES: &str = "a file's times can't be set";
const LINKS: &str = "links can't be made";

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
