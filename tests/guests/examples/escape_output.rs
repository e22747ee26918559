//! Says things that a terminal or a reader would take for something else: as a result, as an error, on both outputs.

use std::io::Write;

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

/// Clears the screen, sets the window's title, turns the text direction round, ends a C string, rings, goes back a line.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31mred\u{202e}txt.exe\u{2066}\u{0}\u{8}\u{7f}\rover\u{85}\u{2028}\u{feff}end";

fn run(argument: &str) -> Result<String, String> {
    // Bytes that are no UTF-8 beside those that are.
    for stream in [&mut std::io::stdout() as &mut dyn Write, &mut std::io::stderr()] {
        stream
            .write_all(HOSTILE.as_bytes())
            .and_then(|()| stream.write_all(b"\xff\xfe\xc3"))
            .and_then(|()| stream.flush())
            .map_err(|error| error.to_string())?;
    }
    if argument == "err" { Err(HOSTILE.to_owned()) } else { Ok(HOSTILE.to_owned()) }
}
