//! Files as an ordinary program uses them, through `std::fs` and the guest's libc. The argument is a program as for
//! fs_probe; each line of the result is `ok …` or the kind of the error.

use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{Result as IoResult, Write};
use std::time::SystemTime;

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(argument: &str) -> Result<String, String> {
    let mut results = Vec::new();
    for line in argument.lines() {
        let words = guests::words::split(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        results.push(match operation(&words)? {
            Ok(result) => format!("ok {result}").trim_end().to_owned(),
            Err(error) => format!("{:?}", error.kind()),
        });
    }
    Ok(results.join("\n"))
}

fn operation(words: &[&str]) -> Result<IoResult<String>, String> {
    Ok(match *words {
        ["read", path] => fs::read(path).map(|content| String::from_utf8_lossy(&content).into_owned()),
        ["list", path] => list(path),
        ["stat", path] => fs::metadata(path).map(described),
        ["lstat", path] => fs::symlink_metadata(path).map(described),
        ["readlink", path] => fs::read_link(path).map(|target| target.to_string_lossy().into_owned()),
        ["mkdir", path] => fs::create_dir(path).map(nothing),
        ["rmdir", path] => fs::remove_dir(path).map(nothing),
        ["unlink", path] => fs::remove_file(path).map(nothing),
        ["rename", from, to] => fs::rename(from, to).map(nothing),
        ["link", from, to] => fs::hard_link(from, to).map(nothing),
        ["create", path] => File::create(path).map(|_| String::new()),
        ["write", path, text] => fs::write(path, text).map(nothing),
        ["append", path, text] => OpenOptions::new()
            .append(true)
            .open(path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map(nothing),
        ["truncate", path] => OpenOptions::new().write(true).truncate(true).open(path).map(|_| String::new()),
        ["set-size", path, size] => {
            let size = guests::words::number(size)?;
            File::open(path).and_then(|file| file.set_len(size)).map(nothing)
        }
        ["set-times", path] => File::open(path)
            .and_then(|file| file.set_times(FileTimes::new().set_modified(SystemTime::now())))
            .map(nothing),
        _ => return Err(format!("the probe does not know {words:?}")),
    })
}

/// The entries' names, in order.
fn list(path: &str) -> IoResult<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names.join(" "))
}

fn described(metadata: fs::Metadata) -> String {
    let kind = match metadata.file_type() {
        kind if kind.is_dir() => "directory",
        kind if kind.is_symlink() => "link",
        kind if kind.is_file() => "file",
        _ => "other",
    };
    format!("{kind} {}", metadata.len())
}

fn nothing(_: ()) -> String {
    String::new()
}
