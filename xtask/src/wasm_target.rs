//! The standard library for wasm32-wasip2: whether it is there, and where to get it.
//!
//! rustup has it ready-made. Where rustup is missing or cannot reach its server, it is built from Debian's
//! packages, if Debian has the same version of Rust.

mod apt;
mod debian;
mod probe;
mod rustup;
mod toolchain;

use crate::failure::Failure;
use crate::process::say;

use toolchain::Toolchain;

/// What plugins are built for.
pub(crate) const TARGET: &str = "wasm32-wasip2";

/// Forces one way of getting the target.
const VARIABLE: &str = "REMIT_WASM_TARGET";

/// A way of getting the target's standard library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// `rustup target add`.
    Rustup,
    /// A build from Debian's `rust-src` and `wasi-libc`.
    Debian,
}

impl Way {
    /// The way that the environment forces, if it does.
    pub(crate) fn from_environment() -> Result<Option<Self>, Failure> {
        match std::env::var_os(VARIABLE) {
            Some(value) if !value.is_empty() => Self::parse(VARIABLE, &value.to_string_lossy()).map(Some),
            _ => Ok(None),
        }
    }

    /// Reads a way's name; `from` says where it stands.
    pub(crate) fn parse(from: &str, name: &str) -> Result<Self, Failure> {
        match name {
            "rustup" => Ok(Self::Rustup),
            "debian" => Ok(Self::Debian),
            other => Err(Failure::usage(format!("{from} is `{other}`")).fix("set it to rustup or debian")),
        }
    }
}

/// Makes sure that rustc can build for [`TARGET`]; tries rustup, then Debian, unless one is forced.
pub(crate) fn make_ready(way: Option<Way>) -> Result<(), Failure> {
    let Err(why) = probe::probe() else {
        say("setup", &format!("{TARGET} works"));
        return Ok(());
    };
    let toolchain = Toolchain::find()?;
    say("setup", &format!("{TARGET} is missing from {}", toolchain.sysroot.display()));
    if let Some(line) = why.lines().next() {
        say("setup", &format!("rustc says: {line}"));
    }
    match way {
        Some(Way::Rustup) => rustup::add(&toolchain)?,
        Some(Way::Debian) => debian::build(&toolchain)?,
        None => {
            if let Err(rustup) = rustup::add(&toolchain).and_then(|()| now_works("rustup")) {
                say("setup", &format!("rustup could not ({}); building from Debian's packages", rustup.what));
                debian::build(&toolchain).map_err(|debian| both(&toolchain, &rustup, &debian))?;
            }
        }
    }
    now_works("this way")?;
    say("setup", &format!("{TARGET} works now"));
    Ok(())
}

fn now_works(way: &str) -> Result<(), Failure> {
    probe::probe().map_err(|why| {
        Failure::new(format!("{TARGET} still does not work after {way} put it in place:\n{}", why.trim_end()))
            .fix("is the rustc on PATH the one that the target was added to? compare `rustc --print sysroot`")
    })
}

fn both(toolchain: &Toolchain, rustup: &Failure, debian: &Failure) -> Failure {
    Failure::new(format!(
        "rustc {} has no {TARGET}, and it cannot be had here\n  rustup: {}\n  debian: {}",
        toolchain.release, rustup.what, debian.what
    ))
    .fix(match &debian.fix {
        Some(fix) => {
            format!("`rustup target add {TARGET}` on a machine with rustup and a network, or: {fix}")
        }
        None => format!("`rustup target add {TARGET}` on a machine with rustup and a network"),
    })
}
