//! Writes the Rust bindings of guests from their WIT, so that building a guest does not need the generator.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use wit_bindgen_core::wit_parser::Resolve;
use wit_bindgen_core::{Files, WorldGenerator};

const HELP: &str = "\
usage: bindgen [--check] [WIT_DIR[#WORLD]:OUTPUT.rs]...

Writes a guest's bindings, made from its WIT folder, into a Rust file.

  --check       writes nothing; exits 1 and names each file that is out of date
  WIT_DIR       the folder with the guest's .wit files
  #WORLD        which world, where the folder holds several
  OUTPUT.rs     the file to write

Without pairs: the built-in plugins, plugins/*/wit to plugins/*/src/bindings.rs.";

/// One WIT folder and the file that is made from it.
struct Binding {
    wit: PathBuf,
    world: Option<String>,
    output: PathBuf,
}

impl Binding {
    fn parse(argument: &str) -> Result<Self> {
        let (source, output) = argument
            .rsplit_once(':')
            .filter(|(source, output)| !source.is_empty() && !output.is_empty())
            .with_context(|| format!("`{argument}` is not WIT_DIR[#WORLD]:OUTPUT.rs"))?;
        let (wit, world) = match source.split_once('#') {
            Some((wit, world)) => (wit, Some(world.to_owned())),
            None => (source, None),
        };
        Ok(Self { wit: wit.into(), world, output: output.into() })
    }

    fn generate(&self) -> Result<String> {
        let mut resolve = Resolve::default();
        let (package, _) =
            resolve.push_dir(&self.wit).with_context(|| format!("failed to read {}", self.wit.display()))?;
        let world = resolve
            .select_world(&[package], self.world.as_deref())
            .with_context(|| format!("failed to choose a world of {}", self.wit.display()))?;
        let options = wit_bindgen_rust::Opts { format: true, generate_all: true, ..Default::default() };
        let mut files = Files::default();
        options.build().generate(&mut resolve, world, &mut files)?;
        let mut written = files.iter();
        match (written.next(), written.next()) {
            (Some((_, source)), None) => Ok(std::str::from_utf8(source)?.to_owned()),
            _ => bail!("the generator did not make exactly one file of {}", self.wit.display()),
        }
    }
}

fn built_in_plugins() -> Result<Vec<Binding>> {
    let plugins =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("bindgen has no parent directory")?;
    let mut bindings = Vec::new();
    for entry in std::fs::read_dir(plugins)? {
        let plugin = entry?.path();
        let wit = plugin.join("wit");
        if wit.is_dir() {
            bindings.push(Binding { wit, world: None, output: plugin.join("src/bindings.rs") });
        }
    }
    bindings.sort_by(|a, b| a.output.cmp(&b.output));
    Ok(bindings)
}

fn run(arguments: impl Iterator<Item = String>) -> Result<ExitCode> {
    let mut check = false;
    let mut bindings = Vec::new();
    for argument in arguments {
        match argument.as_str() {
            "--check" => check = true,
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(ExitCode::SUCCESS);
            }
            option if option.starts_with('-') => bail!("unknown option {option}\n\n{HELP}"),
            pair => bindings.push(Binding::parse(pair)?),
        }
    }
    if bindings.is_empty() {
        bindings = built_in_plugins()?;
    }
    let mut stale = false;
    for binding in bindings {
        let new = binding.generate()?;
        let output = binding.output.display();
        // A file that is right already is left alone: its time stamp would rebuild the guest.
        if std::fs::read_to_string(&binding.output).is_ok_and(|old| old == new) {
            continue;
        }
        if check {
            eprintln!("{output} is out of date: run `cargo xtask bindings`");
            stale = true;
        } else {
            std::fs::write(&binding.output, new).with_context(|| format!("failed to write {output}"))?;
            eprintln!("wrote {output}");
        }
    }
    Ok(if stale { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn main() -> ExitCode {
    run(std::env::args().skip(1)).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}
