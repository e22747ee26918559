//! `cargo xtask test`: set-up and every test.

use std::ffi::OsString;

use crate::failure::Failure;
use crate::process::{run, say, works};
use crate::repository::{Repository, Workspace};
use crate::setup;

/// Runs every test; with `arguments`, only the host's tests that they select.
pub(crate) fn test(repository: &Repository, arguments: Vec<OsString>) -> Result<(), Failure> {
    setup::setup(None)?;
    let nextest = works(repository.cargo(Workspace::Host).args(["nextest", "--version"]));
    let mut command = repository.cargo(Workspace::Host);
    match nextest {
        true => command.args(["nextest", "run", "--release"]),
        false => command.args(["test", "--release"]),
    };
    if !chooses_packages(&arguments) {
        command.arg("--workspace");
    }
    let everything = arguments.is_empty();
    run(command.args(arguments))?;
    if !everything {
        return Ok(());
    }
    if nextest {
        // `cargo test` has run these already; nextest knows none.
        run(repository.cargo(Workspace::Host).args(["test", "--release", "--workspace", "--doc"]))?;
    }
    // The parts of plugins that need no sandbox are tested on the host, where tests are quick.
    run(repository.cargo(Workspace::Plugins).args(["test", "--release", "--workspace"]))?;
    say("test", "every test passed");
    Ok(())
}

/// Whether the arguments say which packages to test: `--workspace` would overrule them.
fn chooses_packages(arguments: &[OsString]) -> bool {
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| {
        let argument = argument.to_string_lossy();
        argument.starts_with("-p")
            || argument.starts_with("--package")
            || argument.starts_with("--manifest-path")
    })
}

#[cfg(test)]
mod tests {
    use super::chooses_packages;

    #[test]
    fn a_chosen_package_is_not_overruled() {
        let words = |line: &str| line.split_whitespace().map(Into::into).collect::<Vec<_>>();
        for line in ["-p remit-sandbox", "-premit", "--package=remit", "deadline -p remit"] {
            assert!(chooses_packages(&words(line)), "{line}");
        }
        for line in ["", "deadline", "-E test(x)", "-- -p"] {
            assert!(!chooses_packages(&words(line)), "{line}");
        }
    }
}
