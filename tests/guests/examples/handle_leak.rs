//! Takes handles and never gives them back: `KIND COUNT [PATH]` with `pollables`, `streams`, `files`, `directories`
//! (listings of one). Says how many it got when the host says no.

use wasip2::clocks::monotonic_clock::subscribe_duration;
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{Descriptor, DescriptorFlags, OpenFlags, PathFlags};

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(argument: &str) -> Result<String, String> {
    let words = guests::words::split(argument);
    let [kind, count, path @ ..] = words.as_slice() else { return Err("give KIND COUNT [PATH]".into()) };
    let path = path.first().map_or(".", String::as_str);
    let count = guests::words::number(count)?;
    // A leaked box runs no destructor, so the handle stays in the host's table.
    match kind.as_str() {
        "pollables" => leak(count, || Ok(subscribe_duration(3_600_000_000_000))),
        "streams" => leak(count, || Ok(wasip2::cli::stdout::get_stdout())),
        "files" => {
            let directory = first_directory()?;
            leak(count, || open(&directory, path, OpenFlags::empty()))
        }
        "directories" => {
            let directory = open(&first_directory()?, path, OpenFlags::DIRECTORY)?;
            leak(count, || directory.read_directory().map_err(|error| error.name().to_owned()))
        }
        other => Err(format!("`{other}` is not pollables, streams, files or directories")),
    }
}

fn first_directory() -> Result<Descriptor, String> {
    get_directories()
        .into_iter()
        .next()
        .map(|(directory, _)| directory)
        .ok_or_else(|| "no directory".to_owned())
}

fn open(directory: &Descriptor, path: &str, flags: OpenFlags) -> Result<Descriptor, String> {
    directory
        .open_at(PathFlags::SYMLINK_FOLLOW, path, flags, DescriptorFlags::READ)
        .map_err(|error| error.name().to_owned())
}

fn leak<Handle>(count: u64, mut take: impl FnMut() -> Result<Handle, String>) -> Result<String, String> {
    for taken in 0..count {
        match take() {
            Ok(handle) => std::mem::forget(handle),
            Err(error) => return Ok(format!("refused after {taken}: {error}")),
        }
    }
    Ok(format!("leaked {count}"))
}
