//! Whether the target works: a component is compiled and linked, not only its files looked for.

use std::io::Write as _;
use std::process::Stdio;

use super::TARGET;
use super::toolchain::rustc;
use crate::process::not_started;
use crate::repository::temporary_folder;

/// It needs std, libc, the start file and the linker, as a plugin does.
const PROGRAM: &str = "#[unsafe(no_mangle)] pub extern \"C\" fn probe() -> u64 { std::time::Instant::now().elapsed().as_secs() }\n";

/// Compiles a small plugin; the error is what rustc said.
pub(super) fn probe() -> Result<(), String> {
    let folder = temporary_folder("wasm-probe").map_err(|failure| failure.to_string())?;
    let result = compile(&folder);
    // Nothing depends on it; what cannot be removed is left to the system's own cleaning.
    drop(std::fs::remove_dir_all(&folder));
    result
}

fn compile(folder: &std::path::Path) -> Result<(), String> {
    let mut command = rustc();
    command
        .args(["--edition", "2024", "--crate-name", "probe", "--crate-type", "cdylib", "--target", TARGET])
        .args(["--color", "never", "--out-dir"])
        .arg(folder)
        .arg("-")
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| not_started(&command, &error).to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(PROGRAM.as_bytes()).map_err(|error| error.to_string())?;
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
