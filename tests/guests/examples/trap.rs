//! Counts its calls, and traps in the middle of one: `count` returns how many calls this instance has had, `trap` prints
//! something and panics, `unreachable` does no more than the instruction, `exit` leaves by `wasi:cli/exit`.

use std::sync::atomic::{AtomicU32, Ordering};

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

static CALLS: AtomicU32 = AtomicU32::new(0);

fn run(argument: &str) -> Result<String, String> {
    let calls = CALLS.fetch_add(1, Ordering::Relaxed) + 1;
    match argument {
        "count" => Ok(calls.to_string()),
        "trap" => {
            print!("half of the wo");
            panic!("the guest gave up in call {calls}")
        }
        "unreachable" => core::arch::wasm32::unreachable(),
        "exit" => std::process::exit(7),
        other => Err(format!("`{other}` is not count, trap, unreachable or exit")),
    }
}
