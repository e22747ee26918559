//! Gives back its argument; as an error where it begins with `!`.

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(argument: &str) -> Result<String, String> {
    match argument.strip_prefix('!') {
        Some(rest) => Err(rest.to_owned()),
        None => Ok(argument.to_owned()),
    }
}
