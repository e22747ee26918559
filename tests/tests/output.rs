//! What a guest says is bounded, whole and harmless, however it says it.

use remit_sandbox::CallError;
use remit_tests::{Stage, guest};

const GIB: usize = 1 << 30;

#[tokio::test]
async fn a_gigabyte_of_output_is_cut_and_the_cut_is_marked() {
    let stage = Stage::default();
    let printing = stage.load(guest("print"));
    let kept = stage.limits.output_bytes;
    for stream in ["stdout", "stderr"] {
        let output = stage.run(&printing, &format!("{stream} {GIB}")).await.unwrap();
        assert_eq!(output.text, format!("printed {GIB} bytes"));
        let (printed, other) =
            if stream == "stdout" { (output.stdout, output.stderr) } else { (output.stderr, output.stdout) };
        assert_eq!(other, "");
        let (text, mark) = printed.rsplit_once('\n').unwrap();
        // One byte and then characters of four: the limit falls into the middle of one, which is left out.
        assert_eq!(text, format!(">{}", "🦀".repeat((kept - 1) / 4)));
        assert_eq!(mark, format!("[… {} more bytes were printed and dropped]", GIB + 1 - kept));
    }
}

#[tokio::test]
async fn a_result_that_is_too_large_is_an_error_and_not_half_a_result() {
    let stage = Stage::default();
    let returning = stage.load(guest("return_huge"));
    let limit = stage.limits.result_bytes;
    for kind in ["ok", "err"] {
        let whole = stage.run(&returning, &format!("{kind} {limit}")).await.unwrap();
        assert_eq!((whole.text.len(), whole.is_error), (limit, kind == "err"));

        let error = stage.run(&returning, &format!("{kind} {}", limit + 1)).await.unwrap_err();
        assert!(matches!(error, CallError::ResultTooLarge { .. }), "{error:?}");
        assert_eq!(error.to_string(), format!("the result is larger than {limit} bytes; ask for less"));

        // More than the host copies at once.
        let error = stage.run(&returning, &format!("{kind} {}", 64 << 20)).await.unwrap_err();
        assert!(matches!(error, CallError::TooMuchData { .. }), "{error:?}");
        assert_eq!(
            error.to_string(),
            "the component passed more than 16 MiB to the host at once; ask for less"
        );

        // More than the guest can have.
        let error = stage.run(&returning, &format!("{kind} {GIB}")).await.unwrap_err();
        assert!(matches!(error, CallError::Memory { .. }), "{error:?}");
    }
}

/// Whether a terminal, or a reader, would take it for something else than text.
fn is_active(letter: char) -> bool {
    (letter.is_control() && letter != '\n' && letter != '\t')
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

#[tokio::test]
async fn nothing_that_a_guest_says_steers_a_terminal() {
    let stage = Stage::default();
    let escaping = stage.load(guest("escape_output"));
    for argument in ["ok", "err"] {
        let output = stage.run(&escaping, argument).await.unwrap();
        assert_eq!(output.is_error, argument == "err");
        for text in [&output.text, &output.stdout, &output.stderr] {
            assert!(!text.contains(is_active), "{text:?}");
            assert!(text.contains("owned") && text.contains("end"), "the words are kept: {text:?}");
        }
    }
}

#[tokio::test]
async fn a_crash_report_steers_no_terminal_either() {
    let stage = Stage::default();
    let trapping = stage.load(guest("trap"));
    let error = stage.run(&trapping, "\u{1b}[2J").await.unwrap();
    assert!(error.is_error);
    assert!(!error.text.contains(is_active), "{:?}", error.text);
}

/// Runs the test below in a process whose standard streams are closed.
#[test]
fn a_host_without_standard_streams_runs_guests_all_the_same() {
    let test = std::env::current_exe().unwrap();
    let status = std::process::Command::new("sh")
        .args(["-c", r#"exec "$0" "$@" <&- >&- 2>&-"#])
        .arg(test)
        .args(["--exact", "--ignored", "prints_and_reads_in_a_host_without_streams"])
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
}

#[tokio::test]
#[ignore = "runs as a process of its own, started by the test above"]
async fn prints_and_reads_in_a_host_without_streams() {
    let stage = Stage::default();
    let printing = stage.load(guest("print"));
    let reading = stage.load(guest("env_probe"));
    for stream in ["stdout", "stderr"] {
        let output = stage.run(&printing, &format!("{stream} 1000000")).await.unwrap();
        assert_eq!(output.text, "printed 1000000 bytes");
        assert!((output.stdout + &output.stderr).ends_with("more bytes were printed and dropped]"));
    }
    assert_eq!(stage.run(&reading, "").await.unwrap().text, "");
}
