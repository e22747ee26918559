//! What was typed after `cargo xtask`.

use std::ffi::OsString;

use crate::failure::Failure;
use crate::wasm_target::Way;

/// One thing to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Help(&'static str),
    Setup { way: Option<Way> },
    Run { arguments: Vec<OsString> },
    Test { arguments: Vec<OsString> },
    Bench { arguments: Vec<OsString> },
    Bindings { check: bool },
    Lint,
}

const COMMANDS: [&str; 7] = ["setup", "run", "test", "bench", "bindings", "lint", "help"];

const HELP: &str = "\
cargo xtask COMMAND: set-up, run, test and bench of remit

  setup [--wasm-target rustup|debian]
      Makes this machine ready: plugins are built for wasm32-wasip2, so rustc needs that target's standard
      library. It is taken from rustup, or else built from Debian's packages. Quick when nothing is to be done.
      REMIT_WASM_TARGET=rustup|debian says the same as the flag, to every command.

  run [ARGUMENTS OF `remit run`]
      Set-up, a release build, and `remit run ARGUMENTS` in the folder that you are in.
      Try:  cargo xtask run \"Which test framework does this project use?\"

  test [ARGUMENTS OF THE TEST RUNNER]
      Set-up and every test. cargo-nextest runs them where it is installed, `cargo test` elsewhere. With
      arguments, only the host's tests that they select run.
      Try:  cargo xtask test -p remit-sandbox deadline

  bench [FILTER]
      Set-up and the benchmarks whose name contains FILTER.

  bindings [--check]
      Writes the guests' bindings again from their wit/ folders; with --check, says which are out of date.

  lint
      What CI asks of the code: formatting, clippy, the dependencies' licences and sources (with cargo-deny),
      bindings that are up to date.

All of it works from any folder of the repository, and with cargo from rustup or from a distribution.
";

/// Reads the words after `cargo xtask`.
pub(crate) fn parse(words: Vec<OsString>) -> Result<Order, Failure> {
    let mut words = words.into_iter();
    let Some(command) = words.next() else {
        return Err(Failure::usage("no command").fix(format!("give one of {}", COMMANDS.join(", "))));
    };
    let rest: Vec<OsString> = words.collect();
    match command.to_str().unwrap_or_default() {
        "help" | "--help" | "-h" => Ok(Order::Help(HELP)),
        // `run` and `test` pass their arguments on, `--help` among them: it is remit's or the runner's.
        "run" => Ok(Order::Run { arguments: rest }),
        "test" => Ok(Order::Test { arguments: rest }),
        "setup" | "bench" | "bindings" | "lint" if asks_for_help(&rest) => Ok(Order::Help(HELP)),
        "setup" => parse_setup(&rest),
        "bench" => Ok(Order::Bench { arguments: rest }),
        "bindings" => match rest.as_slice() {
            [] => Ok(Order::Bindings { check: false }),
            [flag] if flag == "--check" => Ok(Order::Bindings { check: true }),
            [other, ..] => Err(unexpected("bindings", other, "it takes --check or nothing")),
        },
        "lint" => match rest.as_slice() {
            [] => Ok(Order::Lint),
            [other, ..] => Err(unexpected("lint", other, "it takes no argument")),
        },
        _ => Err(unknown(&command)),
    }
}

fn parse_setup(rest: &[OsString]) -> Result<Order, Failure> {
    let way = match rest {
        [] => None,
        [flag, way] if flag == "--wasm-target" => Some(way.to_string_lossy().into_owned()),
        [only] => match only.to_string_lossy().strip_prefix("--wasm-target=") {
            Some(way) => Some(way.to_owned()),
            None => return Err(unexpected("setup", only, "it takes --wasm-target rustup|debian or nothing")),
        },
        [other, ..] => {
            return Err(unexpected("setup", other, "it takes --wasm-target rustup|debian or nothing"));
        }
    };
    let way = way.map(|way| Way::parse("--wasm-target", &way)).transpose()?;
    Ok(Order::Setup { way })
}

fn asks_for_help(rest: &[OsString]) -> bool {
    matches!(rest, [word] if word == "--help" || word == "-h")
}

fn unexpected(command: &str, argument: &OsString, fix: &str) -> Failure {
    Failure::usage(format!("`{command}` does not take `{}`", argument.to_string_lossy())).fix(fix)
}

fn unknown(command: &OsString) -> Failure {
    let command = command.to_string_lossy();
    let failure = Failure::usage(format!("there is no command `{command}`"));
    let nearest = COMMANDS.iter().map(|known| (distance(&command, known), known)).min();
    match nearest {
        Some((distance, known)) if distance <= 2 => {
            failure.fix(format!("did you mean `cargo xtask {known}`?"))
        }
        _ => failure.fix(format!("give one of {}", COMMANDS.join(", "))),
    }
}

/// How many letters must be added, dropped or changed, or neighbours swapped, to get from one word to another.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    // Row i holds the distances of from[..i] to every to[..j]; a swap looks two rows back.
    let mut rows = vec![(0..=to.len()).collect::<Vec<usize>>()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let changed = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::{Order, parse};
    use crate::failure::Failure;
    use crate::wasm_target::Way;

    fn typed(line: &str) -> Result<Order, Failure> {
        parse(line.split_whitespace().map(Into::into).collect())
    }

    #[test]
    fn an_unknown_command_exits_2_and_names_the_nearest() {
        for (wrong, right) in [("tset", "test"), ("set-up", "setup"), ("benhc", "bench"), ("lnit", "lint")] {
            let failure = typed(wrong).unwrap_err();
            assert_eq!(failure.code, 2);
            assert_eq!(failure.fix, Some(format!("did you mean `cargo xtask {right}`?")));
        }
        let failure = typed("frobnicate").unwrap_err();
        assert_eq!(
            failure.to_string(),
            "there is no command `frobnicate`\n  fix: give one of setup, run, test, bench, bindings, lint, help"
        );
    }

    #[test]
    fn nothing_at_all_exits_2_and_lists_the_commands() {
        let failure = typed("").unwrap_err();
        assert_eq!((failure.code, failure.what.as_str()), (2, "no command"));
    }

    #[test]
    fn a_misspelt_flag_is_not_ignored() {
        for line in ["lint --fix", "bindings --chek", "setup --force", "setup --wasm-target"] {
            assert_eq!(typed(line).unwrap_err().code, 2, "{line}");
        }
    }

    #[test]
    fn the_arguments_of_run_and_test_are_passed_on_untouched() {
        let arguments = vec!["--help".into(), "--json".into()];
        assert_eq!(typed("run --help --json"), Ok(Order::Run { arguments: arguments.clone() }));
        assert_eq!(typed("test --help --json"), Ok(Order::Test { arguments }));
    }

    #[test]
    fn setup_takes_a_way() {
        assert_eq!(typed("setup --wasm-target debian"), Ok(Order::Setup { way: Some(Way::Debian) }));
        assert_eq!(typed("setup --wasm-target=rustup"), Ok(Order::Setup { way: Some(Way::Rustup) }));
        assert_eq!(
            typed("setup --wasm-target brew").unwrap_err().to_string(),
            "--wasm-target is `brew`\n  fix: set it to rustup or debian"
        );
    }
}
