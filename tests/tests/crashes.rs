//! A guest that breaks takes nothing with it: the caller gets a typed error, the next call a fresh instance.

use remit_sandbox::CallError;
use remit_tests::{Stage, guest, text_guest};

#[tokio::test]
async fn a_trap_is_an_error_with_the_panics_words() {
    let stage = Stage::default();
    let trapping = stage.load(guest("trap"));
    let error = stage.run(&trapping, "trap").await.unwrap_err();
    assert!(matches!(error, CallError::Trap { .. }), "{error:?}");
    let words = error.to_string();
    assert!(
        words.starts_with("the component crashed: wasm trap: wasm `unreachable` instruction executed"),
        "{words}"
    );
    assert!(words.contains("the guest gave up in call 1"), "{words}");

    let error = stage.run(&trapping, "unreachable").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the component crashed: wasm trap: wasm `unreachable` instruction executed"
    );
}

#[tokio::test]
async fn an_exit_is_an_error_with_its_code() {
    let stage = Stage::default();
    let trapping = stage.load(guest("trap"));
    let error = stage.run(&trapping, "exit").await.unwrap_err();
    assert!(matches!(error, CallError::Exit { code: 1, .. }), "{error:?}");
}

/// The guest counts its calls in a variable of its own, and never gets past one.
#[tokio::test]
async fn every_call_has_an_instance_of_its_own() {
    let stage = Stage::default();
    let counting = stage.load(guest("trap"));
    for before in ["count", "trap", "unreachable", "exit", "count"] {
        let _ = stage.run(&counting, before).await;
        assert_eq!(stage.run(&counting, "count").await.unwrap().text, "1", "after {before}");
    }
}

#[tokio::test]
async fn endless_recursion_ends_the_guest_and_not_the_host() {
    let stage = Stage::default();
    let (recursing, echo) = (stage.load(guest("recurse_forever")), stage.load(guest("echo")));
    for way in ["thin", "fat"] {
        let error = stage.run(&recursing, way).await.unwrap_err();
        assert!(matches!(error, CallError::StackOverflow | CallError::Trap { .. }), "{way}: {error:?}");
        assert_eq!(stage.run(&echo, "whole").await.unwrap().text, "whole", "after {way}");
    }
}

#[tokio::test]
async fn endless_recursion_ends_where_files_could_be_read() {
    let stage = Stage::default();
    let recursing = stage.load(guest("recurse_forever"));
    for way in ["thin", "fat"] {
        let error = stage.run_with(&recursing, way, &stage.grants(&["."])).await.unwrap_err();
        assert!(matches!(error, CallError::StackOverflow | CallError::Trap { .. }), "{way}: {error:?}");
    }
}

#[tokio::test]
async fn values_that_no_honest_guest_returns_are_errors() {
    let stage = Stage::default();
    let lying = stage.load_bytes(text_guest("bad_values"));
    for function in ["no_utf8", "out_of_bounds", "no_char"] {
        let error = stage.call(&lying, function, "{}").await.unwrap_err();
        assert!(matches!(error, CallError::Trap { .. }), "{function}: {error:?}");
    }
}

#[tokio::test]
async fn the_err_of_a_result_is_no_crash() {
    let stage = Stage::default();
    let echo = stage.load(guest("echo"));
    let output = stage.run(&echo, "!no such thing").await.unwrap();
    assert_eq!((output.text.as_str(), output.is_error), ("no such thing", true));
}
