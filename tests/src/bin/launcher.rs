//! What a sandbox in a test starts commands from: a test's own program is not one whose `main` could begin with that.

use std::process::ExitCode;

fn main() -> ExitCode {
    remit_sandbox::launch_commands().unwrap_or(ExitCode::FAILURE)
}
