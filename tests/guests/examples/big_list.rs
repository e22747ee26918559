//! Makes and takes long lists.

#[path = "../src/bindings/long.rs"]
mod bindings;

struct BigList;

impl bindings::exports::test::guest::lists::Guest for BigList {
    fn words(count: u32, length: u32) -> Vec<String> {
        (0..count).map(|_| "x".repeat(length as usize)).collect()
    }

    fn count(words: Vec<String>) -> u32 {
        u32::try_from(words.len()).unwrap_or(u32::MAX)
    }
}

bindings::export!(BigList with_types_in bindings);
