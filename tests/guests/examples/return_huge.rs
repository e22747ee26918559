//! Returns a string of as many bytes as it is told, or an error of them: `ok BYTES` or `err BYTES`.

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(argument: &str) -> Result<String, String> {
    let words = guests::words::split(argument);
    let [kind, bytes] = words.as_slice() else { return Err("give ok|err BYTES".into()) };
    let bytes = usize::try_from(guests::words::number(bytes)?).map_err(|error| error.to_string())?;
    let text = "x".repeat(bytes);
    match kind.as_str() {
        "ok" => Ok(text),
        _ => Err(text),
    }
}
