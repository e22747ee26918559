/// What a path leads to, as far as a directory says it without a further question to the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, whatever it leads to.
    Link,
    /// A socket, a device, a pipe: nothing that can be read here.
    Special,
}

/// One name in a directory. Names come before kinds in its order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name, without a path.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}
