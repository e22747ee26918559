//! `remit`: the command line.

mod ask;
mod command;
mod command_line;
mod failure;
mod folders;
mod interrupt;
mod plugins;
mod project;
mod screen;
mod view;

use std::process::ExitCode;

use clap::Parser;

use crate::command_line::CommandLine;

fn main() -> ExitCode {
    // Nothing is set up before the arguments are understood: `--version` and `--help` end here.
    let CommandLine { place, command } = CommandLine::parse();
    match command.run(&place) {
        Ok(code) => code,
        Err(failure) => failure.tell(),
    }
}
