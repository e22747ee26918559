//! Never returns and never calls the host.

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(_: &str) -> Result<String, String> {
    let mut turns = 0_u64;
    loop {
        turns = std::hint::black_box(turns.wrapping_add(1));
    }
}
