//! Sleeps in the host for as many seconds as it is told: `std::thread::sleep` is `wasi:io/poll` inside.

use std::time::Duration;

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(argument: &str) -> Result<String, String> {
    let seconds = guests::words::number(argument)?;
    std::thread::sleep(Duration::from_secs(seconds));
    Ok(format!("slept {seconds} s"))
}
