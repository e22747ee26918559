//! Commands that do not want to end.

use std::time::Duration;

use remit_sandbox::Entry;
use serde_json::json;

use crate::bench::{Bench, drained, said};

/// Runs a script that a limit has to end; every process of it that holds `out/held` is then gone.
async fn ended(bench: &Bench, script: &str, timeout: Option<u32>) -> (String, Entry) {
    let pipe = bench.pipe("held");
    let script = format!("exec 3>out/held; {script}");
    let ledger = std::sync::Arc::new(remit_sandbox::Ledger::default());
    let supervision = ledger.clone().into();
    let asked = json!({ "argv": ["sh", "-c", script], "timeout": timeout });
    let (output, _) = tokio::join!(bench.call(asked, &supervision), drained(&pipe));
    let mut entries = ledger.entries();
    assert_eq!(entries.len(), 1, "{entries:?}");
    (said(output.unwrap()).unwrap(), entries.remove(0))
}

fn ended_by(entry: &Entry) -> Option<&str> {
    match entry {
        Entry::Ran { ended_by, exit_code: None, .. } => ended_by.as_deref(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn one_that_hangs_and_ignores_every_signal_is_ended_at_its_time() {
    let Some(bench) = Bench::new().await else { return };
    let (text, entry) =
        ended(&bench, "trap '' TERM INT HUP QUIT; echo begun; while :; do sleep 1; done", Some(1)).await;
    assert!(text.contains("it ran for too long") && text.contains("--- stdout:\nbegun\n"), "{text}");
    assert_eq!(ended_by(&entry), Some("time"));
}

#[tokio::test]
async fn daemons_are_gone_when_the_command_is() {
    let daemons = "(setsid sh -c 'trap \"\" TERM; (sleep 1000 & ) ; exec sleep 1000' >/dev/null 2>&1 &) ; nohup sleep 1000 & ";
    let Some(bench) = Bench::new().await else { return };
    let (text, entry) = ended(&bench, &format!("{daemons} echo done"), None).await;
    assert!(text.starts_with("exit code 0, ") && text.contains("done"), "{text}");
    assert!(matches!(entry, Entry::Ran { exit_code: Some(0), .. }));
}

#[tokio::test]
async fn a_fork_bomb_is_ended_with_all_that_it_has_become() {
    let Some(bench) = Bench::new().await else { return };
    let (text, entry) = ended(&bench, "bomb() { bomb & bomb & wait; }; bomb", None).await;
    assert!(text.contains("it started too many processes"), "{text}");
    assert_eq!(ended_by(&entry), Some("processes"));
}

#[tokio::test]
async fn one_that_prints_for_ever_is_ended_and_what_is_kept_is_bounded() {
    let Some(bench) = Bench::new().await else { return };
    let (text, entry) = ended(&bench, "echo first; yes 0123456789 | head -c 1073741824", None).await;
    assert!(
        text.contains("it printed too much") && text.contains("--- stdout:\nfirst\n"),
        "{} bytes",
        text.len()
    );
    assert!(text.contains("bytes are left out here") && text.len() < 200_000, "{} bytes", text.len());
    assert_eq!(ended_by(&entry), Some("output"));
}

#[tokio::test]
async fn one_that_eats_memory_comes_to_the_kernels_limit() {
    let Some(bench) = Bench::new().await else { return };
    let text = bench.run(&["python3", "-c", "bytearray(5 << 30)"]).await.unwrap();
    assert!(text.starts_with("exit code 1,") && text.contains("MemoryError"), "{text}");
}

#[tokio::test]
async fn processes_that_eat_memory_together_are_ended_together() {
    let own = "bytearray(b'x') * (100 << 20)";
    let shared = "mmap.mmap(-1, 100 << 20); memory.write(b'x' * (100 << 20))";
    // One that hides what it has from others.
    let secret = format!("{shared}; ctypes.CDLL(None).prctl(4, 0)");
    for memory in [own, shared, &secret] {
        let Some(mut bench) = Bench::new().await else { return };
        bench.limits.command_memory_bytes = 256 << 20;
        let pipe = bench.pipe("held");
        let script = format!(
            "import ctypes, mmap, os, signal\n\
             held = open('out/held', 'w')\n\
             for _ in range(2):\n    if os.fork() == 0: break\n\
             memory = {memory}\n\
             signal.pause()\n"
        );
        let argv = ["python3", "-c", &script];
        let ((output, entries), _) = tokio::join!(bench.run_recorded(&argv), drained(&pipe));
        let text = said(output.unwrap()).unwrap();
        assert!(text.contains("it took too much memory"), "{memory}: {text}");
        assert_eq!(ended_by(&entries[0]), Some("memory"), "{memory}");
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_leaves_no_process_and_stands_in_the_ledger() {
    let Some(bench) = Bench::new().await else { return };
    let pipe = bench.pipe("held");
    let ledger = std::sync::Arc::new(remit_sandbox::Ledger::default());
    let supervision = ledger.clone().into();
    let script = "trap '' TERM; exec 3>out/held; setsid sleep 1000 & echo begun >&3; wait; sleep 1000";
    let mut call = Box::pin(bench.call(json!({ "argv": ["sh", "-c", script] }), &supervision));
    // The pipe opens when the script does, and the first line says that all of it runs.
    let mut opened = tokio::task::spawn_blocking(move || {
        use std::io::BufRead;
        let mut reader = std::io::BufReader::new(std::fs::File::open(pipe).unwrap());
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        (reader, line)
    });
    let (mut reader, line) = tokio::select! {
        output = &mut call => panic!("{output:?}"),
        opened = &mut opened => opened.unwrap(),
    };
    assert_eq!(line, "begun\n");
    drop(call);
    // It ends when the last process that could write has.
    let rest = tokio::task::spawn_blocking(move || {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut reader, &mut rest).map(|_| rest)
    });
    assert_eq!(rest.await.unwrap().unwrap(), "");
    assert!(matches!(&ledger.entries()[..], [Entry::Ran { ended_by: Some(by), .. }] if by == "cancelled"));
}

#[tokio::test]
async fn a_command_is_ended_in_time_for_its_call_to_tell() {
    let Some(mut bench) = Bench::new().await else { return };
    bench.limits.deadline = Duration::from_secs(6);
    let text = bench.run(&["sh", "-c", "echo begun; sleep 1000"]).await.unwrap();
    assert!(text.contains("it ran for too long") && text.contains("begun"), "{text}");
}

/// Waits for a line through the pipe.
const READ: &str = "read line < out/gate; echo $line";

#[tokio::test]
async fn other_calls_run_while_one_waits_for_its_command() {
    let Some(bench) = Bench::new().await else { return };
    let gate = bench.pipe("gate");
    let waiting = bench.run(&["sh", "-c", READ]);
    let other = async {
        assert!(bench.run(&["true"]).await.unwrap().starts_with("exit code 0"));
        tokio::task::spawn_blocking(move || std::fs::write(gate, "opened\n").unwrap()).await.unwrap();
    };
    let (text, ()) = tokio::join!(waiting, other);
    assert!(text.unwrap().contains("opened"));
}
