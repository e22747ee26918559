//! Builds the plugins that come inside remit, and embeds them with their documentation.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use remit_pack::{Docs, Guest, GuestBuild};
use sha2::{Digest, Sha256};

/// The members of the plugins' workspace that are components; the others are what they share.
const PLUGINS: [&str; 5] = ["command", "edit", "fetch", "files", "search"];

fn main() -> ExitCode {
    match embed() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A `cargo::error` is shown without the build script's other output around it.
            for line in error.to_string().lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

fn embed() -> Result<(), Box<dyn Error>> {
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let build = PLUGINS
        .iter()
        .fold(GuestBuild::new(&plugins, out.join("plugins-target")), |build, name| build.package(*name));
    println!("cargo::rerun-if-changed=build.rs");
    for source in build.sources()? {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    let mut table = String::from("&[\n");
    for guest in build.build()? {
        let entry = pack(&guest, &plugins.join(&guest.name).join("wit"), &out)?;
        table.push_str(&entry);
    }
    table.push(']');
    std::fs::write(out.join("plugins.rs"), table)?;
    Ok(())
}

/// Puts the documentation into a component, and says the Rust expression that embeds the result.
fn pack(guest: &Guest, wit: &Path, out: &Path) -> Result<String, Box<dyn Error>> {
    let docs = Docs::from_wit_dir(wit)?;
    for warning in docs.warnings() {
        println!("cargo::warning={}: {warning}", guest.name);
    }
    let bytes = docs.append_to(std::fs::read(&guest.path)?)?;
    let packed = out.join(format!("{}.wasm", guest.name));
    let mut digest = String::new();
    for byte in Sha256::digest(&bytes) {
        write!(digest, "{byte:02x}")?;
    }
    std::fs::write(&packed, bytes)?;
    Ok(format!(
        "    Builtin {{ name: {:?}, bytes: include_bytes!({packed:?}), sha256: {digest:?} }},\n",
        guest.name
    ))
}
