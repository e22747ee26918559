//! What a person or CI types: `cargo xtask setup`, `run`, `test`, `bench`, `bindings`, `lint`.
//!
//! It is compiled at its first use, so it stands on the standard library alone: no dependency, and none of
//! remit's own crates.

mod bench;
mod bindings;
mod command_line;
mod failure;
mod lint;
mod process;
mod repository;
mod run;
mod setup;
mod test;
mod wasm_target;

use std::process::ExitCode;

use command_line::Order;
use failure::Failure;
use repository::Repository;

fn main() -> ExitCode {
    let order = match command_line::parse(std::env::args_os().skip(1).collect()) {
        Ok(order) => order,
        Err(failure) => return report(&failure),
    };
    match carry_out(order) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => report(&failure),
    }
}

fn carry_out(order: Order) -> Result<(), Failure> {
    let repository = Repository::find()?;
    match order {
        Order::Help(text) => {
            process::print(text);
            Ok(())
        }
        Order::Setup { way } => setup::setup(way),
        Order::Run { arguments } => run::run(&repository, arguments),
        Order::Test { arguments } => test::test(&repository, arguments),
        Order::Bench { arguments } => bench::bench(&repository, arguments),
        Order::Bindings { check } => bindings::bindings(&repository, check),
        Order::Lint => lint::lint(&repository),
    }
}

fn report(failure: &Failure) -> ExitCode {
    process::say("error", &failure.to_string());
    ExitCode::from(failure.code)
}
