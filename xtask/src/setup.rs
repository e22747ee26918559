//! `cargo xtask setup`: what this machine needs before anything can be built.

use crate::failure::Failure;
use crate::wasm_target::{self, Way};

/// Makes the machine ready. Does nothing, in well under a second, where it already is.
pub(crate) fn setup(way: Option<Way>) -> Result<(), Failure> {
    let way = match way {
        Some(way) => Some(way),
        None => Way::from_environment()?,
    };
    wasm_target::make_ready(way)
}
