//! What a command gives, and what is written down of it.

use remit_sandbox::Entry;
use serde_json::json;

use crate::bench::{Bench, said};

#[tokio::test]
async fn an_exit_code_is_a_result_whatever_it_is() {
    let Some(bench) = Bench::new().await else { return };
    for code in [0, 1, 101, 255] {
        let (output, entries) =
            bench.run_recorded(&["sh", "-c", &format!("echo out; echo err >&2; exit {code}")]).await;
        let text = said(output.unwrap()).unwrap();
        assert!(text.starts_with(&format!("exit code {code}, after ")), "{text}");
        assert!(text.ends_with("\n--- stdout:\nout\n--- stderr:\nerr"), "{text}");
        let [Entry::Ran { argv, directory, exit_code, ended_by, output_bytes, uncontained, .. }] =
            &entries[..]
        else {
            panic!("{entries:?}");
        };
        assert_eq!((argv[0].as_str(), directory.as_str()), ("sh", "."));
        assert_eq!((*exit_code, ended_by, *output_bytes, uncontained), (Some(code), &None, 8, &None));
    }
}

#[tokio::test]
async fn a_signal_is_named() {
    let Some(bench) = Bench::new().await else { return };
    let (output, entries) = bench.run_recorded(&["sh", "-c", "kill -SEGV $$"]).await;
    assert!(said(output.unwrap()).unwrap().starts_with("ended by signal 11, after "));
    assert!(
        matches!(&entries[..], [Entry::Ran { ended_by: Some(by), exit_code: None, .. }] if by == "signal 11")
    );
}

#[tokio::test]
async fn arguments_reach_the_program_as_they_are() {
    let Some(bench) = Bench::new().await else { return };
    let odd = ["a b", "", "$HOME", "*", "'", "ä", "--x=\"y\"", "`id`", "a\nb"];
    let argv: Vec<&str> =
        ["sh", "-c", "for a in \"$@\"; do printf '<%s>' \"$a\"; done", "sh"].into_iter().chain(odd).collect();
    let text = bench.run(&argv).await.unwrap();
    let expected: String = odd.iter().map(|argument| format!("<{argument}>")).collect();
    assert!(text.contains(&format!("--- stdout:\n{expected}\n")), "{text}");
}

#[tokio::test]
async fn a_command_runs_where_it_is_asked_to() {
    let Some(bench) = Bench::new().await else { return };
    bench.stage.write("src/deep/a", "");
    let supervision = Default::default();
    let asked = json!({ "argv": ["ls"], "cwd": "src/deep" });
    assert!(said(bench.call(asked, &supervision).await.unwrap()).unwrap().contains("--- stdout:\na\n"));
    for (cwd, why) in [
        ("src/deep/a", "it is no directory"),
        ("gone", "no such directory"),
        ("/tmp", "relative"),
        ("..", "`..`"),
    ] {
        let error =
            said(bench.call(json!({ "argv": ["ls"], "cwd": cwd }), &supervision).await.unwrap()).unwrap_err();
        assert!(error.contains(why), "{cwd}: {error}");
    }
}

#[tokio::test]
async fn the_environment_holds_what_programs_need_and_what_was_named() {
    let Some(mut bench) = Bench::new().await else { return };
    bench.spec.command_env = vec!["CARGO_PKG_NAME".to_owned()];
    let printed = bench.shell("env | cut -d= -f1 | sort; echo $HOME $TMPDIR $CARGO_PKG_NAME").await;
    assert!(printed.ends_with("/tmp/home /tmp remit-tests"), "{printed}");
    for name in ["CARGO_PKG_VERSION", "NEXTEST", "SHELL", "USER", "SSH_AUTH_SOCK"] {
        assert!(!printed.lines().any(|line| line == name), "{name} must not be there: {printed}");
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_is_an_error_that_names_it() {
    let Some(mut bench) = Bench::new().await else { return };
    let allowed = ["no-such-program **", "./no-such-file"];
    bench.spec.commands = allowed.map(|pattern| pattern.parse().unwrap()).to_vec();
    let error = bench.run(&["no-such-program"]).await.unwrap_err();
    assert!(error.contains("there is no program `no-such-program`"), "{error}");
    let (output, entries) = bench.run_recorded(&["./no-such-file"]).await;
    let error = said(output.unwrap()).unwrap_err();
    assert!(error.contains("starting it: No such file"), "{error}");
    assert_eq!(entries, [], "what never ran is not written down as run");
}
