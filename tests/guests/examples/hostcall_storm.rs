//! Calls the host as often as it is told: `clock COUNT`, `print COUNT`, `random BYTES` (in one call).

use std::io::Write;

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(argument: &str) -> Result<String, String> {
    let words = guests::words::split(argument);
    let [kind, count] = words.as_slice() else { return Err("give KIND COUNT".into()) };
    let count = guests::words::number(count)?;
    match kind.as_str() {
        "clock" => {
            let last = (0..count).map(|_| wasip2::clocks::monotonic_clock::now()).max();
            std::hint::black_box(last);
        }
        "print" => {
            let mut stdout = std::io::stdout();
            for _ in 0..count {
                stdout.write_all(b".").and_then(|()| stdout.flush()).map_err(|error| error.to_string())?;
            }
        }
        "random" => drop(wasip2::random::random::get_random_bytes(count)),
        other => return Err(format!("`{other}` is not clock, print or random")),
    }
    Ok(format!("done {count}"))
}
