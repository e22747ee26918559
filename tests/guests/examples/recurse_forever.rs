//! Calls itself until the stack ends: `thin` with small frames, `fat` with frames of 16 KiB.

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(argument: &str) -> Result<String, String> {
    let depth = match argument {
        "thin" => thin(1),
        "fat" => fat(1),
        other => return Err(format!("`{other}` is not thin or fat")),
    };
    Ok(format!("came back from {depth}"))
}

#[inline(never)]
fn thin(depth: u64) -> u64 {
    // A compiler that sees through this makes a loop of it.
    let deeper = std::hint::black_box(depth + 1);
    if deeper == u64::MAX { depth } else { std::hint::black_box(thin(deeper)) ^ depth }
}

#[inline(never)]
fn fat(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 2048]);
    if depth == u64::MAX { depth } else { fat(depth + 1) ^ frame[(depth % 2048) as usize] }
}
