//! Builds the guests in guests/ and writes down where they are.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use remit_pack::GuestBuild;

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Only this reaches the reader of a failed build in full.
            println!("cargo::error={}", error.to_string().replace('\n', "\ncargo::error="));
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("guests");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let guests = GuestBuild::new(&folder, out.join("guests")).examples();
    for source in guests.sources()? {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    let built = guests.build()?;
    let built = built.iter().map(|guest| (guest.name.clone(), guest.path.clone()));
    write_table(&out.join("guests.rs"), built.collect())?;

    let texts = folder.join("wat");
    println!("cargo::rerun-if-changed={}", texts.display());
    let mut listed = Vec::new();
    for entry in std::fs::read_dir(&texts)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        listed.push((name, path));
    }
    listed.sort();
    write_table(&out.join("texts.rs"), listed)
}

/// A Rust expression: names and paths.
fn write_table(file: &Path, rows: Vec<(String, PathBuf)>) -> Result<(), Box<dyn std::error::Error>> {
    let mut table = String::from("&[\n");
    for (name, path) in rows {
        writeln!(table, "    ({name:?}, {path:?}),")?;
    }
    table.push_str("]\n");
    Ok(std::fs::write(file, table)?)
}
