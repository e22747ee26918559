//! A guest that asks the host for very much of something: calls, handles, bytes.

use remit_sandbox::CallError;
use remit_tests::{Stage, guest};
use serde_json::json;

#[tokio::test]
async fn a_million_host_calls_do_no_harm() {
    let stage = Stage::default();
    let storm = stage.load(guest("hostcall_storm"));
    for argument in ["clock 1000000", "print 1000000"] {
        assert_eq!(stage.run(&storm, argument).await.unwrap().text, "done 1000000");
    }
}

#[tokio::test]
async fn a_gigabyte_of_randomness_is_refused() {
    let stage = Stage::default();
    let storm = stage.load(guest("hostcall_storm"));
    let error = stage.run(&storm, "random 1073741824").await.unwrap_err();
    assert!(matches!(error, CallError::Trap { .. }), "{error:?}");
}

#[tokio::test]
async fn handles_that_are_never_given_back_end_at_the_limit() {
    let stage = Stage::default();
    let leaking = stage.load(guest("handle_leak"));
    stage.write("file", "x");
    let grants = stage.grants(&["."]);
    for kind in ["pollables", "streams", "files", "directories"] {
        let path = if kind == "files" { "file" } else { "." };
        let error = stage.run_with(&leaking, &format!("{kind} 100000 {path}"), &grants).await.unwrap_err();
        assert!(matches!(error, CallError::Handles { limit: 1024 }), "{kind}: {error:?}");
        assert_eq!(error.to_string(), "too many open files, streams or other handles: a call has 1024");
        // And they are all free again.
        assert_eq!(
            stage.run_with(&leaking, &format!("{kind} 500 {path}"), &grants).await.unwrap().text,
            "leaked 500",
            "{kind}"
        );
    }
}

/// Open files of the host, as far as the system tells.
fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

#[tokio::test]
async fn no_file_stays_open_after_a_call() {
    let stage = Stage::default();
    let leaking = stage.load(guest("handle_leak"));
    stage.write("file", "x");
    let grants = stage.grants(&["."]);
    // The first call opens what the host keeps for all.
    stage.run_with(&leaking, "files 1 file", &grants).await.unwrap();
    let before = open_files();
    for kind in ["files 500 file", "directories 500 .", "files 100000 file"] {
        let _ = stage.run_with(&leaking, kind, &grants).await;
    }
    assert_eq!(open_files(), before);
}

#[tokio::test]
async fn a_huge_list_is_refused_by_its_size() {
    let stage = Stage::default();
    let lists = stage.load(guest("big_list"));
    let words = |count: u32, length: u32| json!({ "count": count, "length": length }).to_string();

    let some = stage.call(&lists, "words", &words(3, 2)).await.unwrap();
    assert_eq!(some.text, r#"["xx","xx","xx"]"#);

    let error = stage.call(&lists, "words", &words(300_000, 5)).await.unwrap_err();
    assert!(matches!(error, CallError::ResultTooLarge { .. } | CallError::TooMuchData { .. }), "{error:?}");
    // Empty ones: no bytes at all in the guest, but each is a string of the host's.
    let error = stage.call(&lists, "words", &words(10_000_000, 0)).await.unwrap_err();
    assert!(matches!(error, CallError::TooMuchData { .. }), "{error:?}");
}

#[tokio::test]
async fn a_huge_argument_ends_in_the_guests_memory() {
    let mut stage = Stage::default();
    stage.limits.memory_bytes = 16 << 20;
    let lists = stage.load(guest("big_list"));
    let argument = |count: usize| json!({ "words": vec!["x"; count] }).to_string();
    assert_eq!(stage.call(&lists, "count", &argument(100_000)).await.unwrap().text, "100000");
    let error = stage.call(&lists, "count", &argument(900_000)).await.unwrap_err();
    assert!(matches!(error, CallError::Memory { .. }), "{error:?}");
    let error = stage.call(&lists, "count", &argument(9_000_000)).await.unwrap_err();
    assert!(matches!(error, CallError::Arguments(_)), "{error:?}");
}
