//! Prints many bytes: `STREAM BYTES` with `stdout` or `stderr`. Each character takes four bytes, so that a careless cut
//! would be in the middle of one.

use std::io::Write;

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(argument: &str) -> Result<String, String> {
    let words = guests::words::split(argument);
    let [stream, bytes] = words.as_slice() else { return Err("give STREAM BYTES".into()) };
    let bytes = guests::words::number(bytes)?;
    let written = match stream.as_str() {
        "stdout" => print(&mut std::io::stdout(), bytes),
        "stderr" => print(&mut std::io::stderr(), bytes),
        other => return Err(format!("`{other}` is not stdout or stderr")),
    };
    written.map(|()| format!("printed {bytes} bytes")).map_err(|error| error.to_string())
}

fn print(stream: &mut dyn Write, bytes: u64) -> std::io::Result<()> {
    // One byte first, so that no power of two is a character's edge.
    stream.write_all(b">")?;
    let chunk = "🦀".repeat(16_384);
    let mut left = bytes;
    while left > 0 {
        let part = chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        stream.write_all(&chunk.as_bytes()[..part])?;
        left -= part as u64;
    }
    stream.flush()
}
