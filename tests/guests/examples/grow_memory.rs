//! Asks for memory until it is refused: `ask` only reserves it, `fill` writes to it, `allocate` goes through the allocator
//! and ends in a trap.

use core::arch::wasm32::{memory_grow, memory_size};

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

/// Bytes in a page of WebAssembly memory.
const PAGE: usize = 65_536;

fn run(argument: &str) -> Result<String, String> {
    match argument {
        "ask" => Ok(grow(|_| ())),
        "fill" => Ok(grow(|page| {
            // SAFETY: the page was just given to this program, and nobody else knows of it.
            unsafe { std::ptr::write_bytes(page, 0xA5, PAGE) }
        })),
        "allocate" => {
            let mut kept = Vec::new();
            loop {
                kept.push(vec![0xA5_u8; 1 << 20]);
                std::hint::black_box(&kept);
            }
        }
        other => Err(format!("`{other}` is not ask, fill or allocate")),
    }
}

fn grow(mut each: impl FnMut(*mut u8)) -> String {
    loop {
        let before = memory_grow::<0>(1);
        if before == usize::MAX {
            return format!("refused at {} bytes", memory_size::<0>() * PAGE);
        }
        each(std::ptr::without_provenance_mut(before * PAGE));
    }
}
