//! `remit`: the command line.

mod ask;
mod command;
mod command_line;
mod conversation;
mod failure;
mod folders;
mod interrupt;
mod plugins;
mod project;
mod screen;
mod view;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::command_line::{CommandLine, Work};

fn main() -> ExitCode {
    // The sandbox starts this program a second time, to start commands from.
    if let Some(code) = remit_sandbox::launch_commands() {
        return code;
    }
    // Nothing is set up before the arguments are understood: `--version` and `--help` end here.
    let CommandLine { place, work, command } = CommandLine::parse();
    let done = match command {
        Some(_) if work != Work::default() => {
            let why = "the options of a conversation stand behind the command that has them too, as in \
                       `remit run --model MODEL`";
            CommandLine::command().error(ErrorKind::ArgumentConflict, why).exit()
        }
        Some(command) => command.run(&place),
        None if io::stdin().is_terminal() && io::stdout().is_terminal() => {
            conversation::converse(&place, work)
        }
        None => {
            let mut command = CommandLine::command();
            let help = command.render_help();
            command.error(ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, help).exit()
        }
    };
    match done {
        Ok(code) => code,
        Err(failure) => failure.tell(),
    }
}
