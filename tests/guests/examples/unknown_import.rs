//! Wants an interface that no host offers.

#[path = "../src/bindings/wanting.rs"]
mod bindings;

guests::single!(run);

fn run(argument: &str) -> Result<String, String> {
    Ok(bindings::evil::host::api::take_over(argument))
}
