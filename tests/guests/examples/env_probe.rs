//! Says everything that a program is told about its surroundings, one fact a line.

use std::io::Read;

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(_: &str) -> Result<String, String> {
    let mut facts = Vec::new();
    facts.extend(std::env::args().map(|argument| format!("argument {argument}")));
    facts.extend(
        wasip2::cli::environment::get_environment()
            .into_iter()
            .map(|(name, value)| format!("variable {name}={value}")),
    );
    if let Some(directory) = wasip2::cli::environment::initial_cwd() {
        facts.push(format!("directory {directory}"));
    }
    let preopens = wasip2::filesystem::preopens::get_directories();
    facts.extend(preopens.into_iter().map(|(_, name)| format!("preopen {name}")));
    let mut input = Vec::new();
    match std::io::stdin().read_to_end(&mut input) {
        Ok(0) => {}
        Ok(_) => facts.push(format!("input {}", String::from_utf8_lossy(&input))),
        Err(error) => facts.push(format!("input error {error}")),
    }
    for (name, terminal) in [
        ("stdin", wasip2::cli::terminal_stdin::get_terminal_stdin().is_some()),
        ("stdout", wasip2::cli::terminal_stdout::get_terminal_stdout().is_some()),
        ("stderr", wasip2::cli::terminal_stderr::get_terminal_stderr().is_some()),
    ] {
        if terminal {
            facts.push(format!("terminal {name}"));
        }
    }
    Ok(facts.join("\n"))
}
