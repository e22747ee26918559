//! The guests, by name.

use std::path::Path;

/// Name and path of each component made from `guests/examples/`.
const BUILT: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/guests.rs"));

/// Name and path of each text in `guests/wat/`.
const TEXTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// The component built from `guests/examples/NAME.rs`.
///
/// # Panics
/// If there is none of that name.
pub fn guest(name: &str) -> &'static Path {
    find(BUILT, name)
}

/// The component, or whatever it is, that `guests/wat/NAME.wat` describes.
///
/// # Panics
/// If there is none of that name, or it is no valid text.
pub fn text_guest(name: &str) -> Vec<u8> {
    match wat::parse_file(find(TEXTS, name)) {
        Ok(bytes) => bytes,
        Err(error) => unusable(name, &error.to_string()),
    }
}

/// How a test names each guest: the text that its source holds.
pub fn all_uses() -> Vec<String> {
    let built = BUILT.iter().map(|(name, _)| format!("guest(\"{name}\")"));
    built.chain(TEXTS.iter().map(|(name, _)| format!("text_guest(\"{name}\")"))).collect()
}

fn find(table: &'static [(&str, &str)], name: &str) -> &'static Path {
    match table.iter().find(|(known, _)| *known == name) {
        Some((_, path)) => Path::new(path),
        None => unusable(
            name,
            &format!("there are {:?}", table.iter().map(|(known, _)| known).collect::<Vec<_>>()),
        ),
    }
}

#[expect(clippy::panic, reason = "only tests call this, and a test that names no guest cannot go on")]
fn unusable(name: &str, why: &str) -> ! {
    panic!("guest {name}: {why}")
}
