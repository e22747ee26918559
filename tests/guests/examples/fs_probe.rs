//! Files at the level of WASI's own calls, where no libc has tidied the paths. The argument is a program: one operation a
//! line, its words as in [`guests::words`]; the result has one line for each, `ok …` or the name of WASI's error.
//!
//! Paths are relative to the first preopened directory, or to the one that `use NAME` chose.

use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, ErrorCode, MetadataHashValue, NewTimestamp,
    OpenFlags, PathFlags,
};

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(argument: &str) -> Result<String, String> {
    let preopens = get_directories();
    let mut base = preopens.first().map(|(directory, _)| directory);
    let mut results = Vec::new();
    for line in argument.lines() {
        let words = guests::words::split(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if let ["use", name] = words.as_slice() {
            base = preopens.iter().find(|(_, preopen)| preopen == name).map(|(directory, _)| directory);
            results.push(base.map_or("no such preopen", |_| "ok").to_owned());
            continue;
        }
        let base = base.ok_or("no directory is preopened")?;
        results.push(match operation(base, &words)? {
            Ok(result) => format!("ok {result}").trim_end().to_owned(),
            Err(error) => error.name().to_owned(),
        });
    }
    Ok(results.join("\n"))
}

/// What WASI says, or that the probe was asked nonsense.
fn operation(base: &Descriptor, words: &[&str]) -> Result<Result<String, ErrorCode>, String> {
    Ok(match *words {
        ["open", path] => open(base, path, &[]).map(|file| kind(file.get_type())),
        ["open", path, flags] => {
            open(base, path, &flags.split(',').collect::<Vec<_>>()).map(|file| kind(file.get_type()))
        }
        ["read", path] => read(base, path),
        ["list", path] => list(base, path),
        ["list-here"] => listed(base),
        ["stat", path] => base.stat_at(PathFlags::SYMLINK_FOLLOW, path).map(stat),
        ["lstat", path] => base.stat_at(PathFlags::empty(), path).map(stat),
        ["hash", path] => base
            .metadata_hash_at(PathFlags::SYMLINK_FOLLOW, path)
            .map(|MetadataHashValue { lower, upper }| format!("{upper:x}{lower:x}")),
        ["readlink", path] => base.readlink_at(path),
        ["mkdir", path] => base.create_directory_at(path).map(nothing),
        ["rmdir", path] => base.remove_directory_at(path).map(nothing),
        ["unlink", path] => base.unlink_file_at(path).map(nothing),
        ["rename", from, to] => base.rename_at(from, base, to).map(nothing),
        ["link", from, to] => base.link_at(PathFlags::empty(), from, base, to).map(nothing),
        ["symlink", target, path] => base.symlink_at(target, path).map(nothing),
        ["utimes", path] => base
            .set_times_at(PathFlags::SYMLINK_FOLLOW, path, NewTimestamp::Now, NewTimestamp::Now)
            .map(nothing),
        // These open for reading, and try to write through what they got.
        ["set-size", path, size] => {
            let size = guests::words::number(size)?;
            open(base, path, &[]).and_then(|file| file.set_size(size)).map(nothing)
        }
        ["set-times", path] => open(base, path, &[])
            .and_then(|file| file.set_times(NewTimestamp::Now, NewTimestamp::Now))
            .map(nothing),
        ["write", path, text] => {
            open(base, path, &[]).and_then(|file| file.write(text.as_bytes(), 0)).map(|n| n.to_string())
        }
        ["write-stream", path, text] => {
            open(base, path, &[]).and_then(|file| stream(file.write_via_stream(0)?, text))
        }
        ["append-stream", path, text] => {
            open(base, path, &[]).and_then(|file| stream(file.append_via_stream()?, text))
        }
        ["sync", path] => open(base, path, &[]).and_then(|file| file.sync()).map(nothing),
        _ => return Err(format!("the probe does not know {words:?}")),
    })
}

fn open(base: &Descriptor, path: &str, flags: &[&str]) -> Result<Descriptor, ErrorCode> {
    let mut follow = PathFlags::SYMLINK_FOLLOW;
    let mut open = OpenFlags::empty();
    let mut access = DescriptorFlags::READ;
    for flag in flags {
        match *flag {
            "nofollow" => follow = PathFlags::empty(),
            "create" => open |= OpenFlags::CREATE,
            "exclusive" => open |= OpenFlags::EXCLUSIVE,
            "truncate" => open |= OpenFlags::TRUNCATE,
            "directory" => open |= OpenFlags::DIRECTORY,
            "write" => access |= DescriptorFlags::WRITE,
            "mutate" => access |= DescriptorFlags::MUTATE_DIRECTORY,
            "neither" => access = DescriptorFlags::empty(),
            _ => return Err(ErrorCode::Invalid),
        }
    }
    base.open_at(follow, path, open, access)
}

fn read(base: &Descriptor, path: &str) -> Result<String, ErrorCode> {
    let file = open(base, path, &[])?;
    let mut content = Vec::new();
    loop {
        let (mut part, end) = file.read(65_536, content.len() as u64)?;
        content.append(&mut part);
        if end {
            return Ok(String::from_utf8_lossy(&content).into_owned());
        }
    }
}

fn list(base: &Descriptor, path: &str) -> Result<String, ErrorCode> {
    listed(&open(base, path, &["directory"])?)
}

/// `name:kind` of each entry, in the order of their names.
fn listed(directory: &Descriptor) -> Result<String, ErrorCode> {
    let entries = directory.read_directory()?;
    let mut names = Vec::new();
    while let Some(entry) = entries.read_directory_entry()? {
        names.push(format!("{}:{}", entry.name, kind(Ok(entry.type_))));
    }
    names.sort();
    Ok(names.join(" "))
}

fn stream(stream: wasip2::io::streams::OutputStream, text: &str) -> Result<String, ErrorCode> {
    match stream.blocking_write_and_flush(text.as_bytes()) {
        Ok(()) => Ok(text.len().to_string()),
        Err(wasip2::io::streams::StreamError::LastOperationFailed(error)) => {
            Err(wasip2::filesystem::types::filesystem_error_code(&error).unwrap_or(ErrorCode::Io))
        }
        Err(wasip2::io::streams::StreamError::Closed) => Err(ErrorCode::Pipe),
    }
}

fn stat(stat: DescriptorStat) -> String {
    format!("{} {}", kind(Ok(stat.type_)), stat.size)
}

fn kind(kind: Result<DescriptorType, ErrorCode>) -> String {
    match kind {
        Ok(DescriptorType::RegularFile) => "file".to_owned(),
        Ok(DescriptorType::Directory) => "directory".to_owned(),
        Ok(DescriptorType::SymbolicLink) => "link".to_owned(),
        Ok(other) => format!("{other:?}"),
        Err(error) => error.name().to_owned(),
    }
}

fn nothing(_: ()) -> String {
    String::new()
}
