//! All of a call's memory and tables count together, and a guest that wants more gets a no, or an end.

#![expect(clippy::unwrap_used, reason = "the helpers belong to tests")]

use std::fmt::Write as _;

use remit_sandbox::{Allocation, CallError, SandboxConfig};
use remit_tests::{Stage, guest, text_guest};

/// What a call may have in these tests.
const MEMORY: usize = 16 << 20;

/// A WebAssembly page, in bytes.
const PAGE: usize = 65_536;

/// A stage for each way in which instances come to be: the limits are the same.
fn stages() -> [Stage; 2] {
    [Allocation::Pooled, Allocation::OnDemand].map(|allocation| {
        let mut stage = Stage::new(&SandboxConfig { allocation, ..SandboxConfig::default() });
        stage.limits.memory_bytes = MEMORY;
        stage
    })
}

#[tokio::test]
async fn a_guest_that_asks_for_memory_is_refused_at_the_limit() {
    for stage in stages() {
        let growing = stage.load(guest("grow_memory"));
        for way in ["ask", "fill"] {
            let text = stage.run(&growing, way).await.unwrap().text;
            assert_eq!(text, format!("refused at {MEMORY} bytes"), "{way}, {:?}", stage.sandbox);
        }
    }
}

#[tokio::test]
async fn a_guest_that_cannot_go_on_without_memory_is_told_the_limit() {
    for stage in stages() {
        let growing = stage.load(guest("grow_memory"));
        let error = stage.run(&growing, "allocate").await.unwrap_err();
        assert!(matches!(error, CallError::Memory { limit: MEMORY }), "{error:?}");
        assert_eq!(error.to_string(), "out of memory: a call has 16 MiB in all");
    }
}

#[tokio::test]
async fn memories_of_one_guest_share_one_limit() {
    for stage in stages() {
        let both = stage.load_bytes(text_guest("two_memories"));
        let pages: usize = stage.call(&both, "run", "{}").await.unwrap().text.parse().unwrap();
        assert_eq!(pages, MEMORY / PAGE, "{:?}", stage.sandbox);
    }
}

/// A component of `count` modules, each with a memory of `pages` and a table of `elements`.
fn many(count: usize, pages: usize, elements: usize) -> Vec<u8> {
    let mut text = format!(
        "(component
           (core module $holder (memory {pages}) (table {elements} funcref))
           (core module $m (func (export \"run\") (result i32) i32.const 7))\n"
    );
    for _ in 0..count {
        text.push_str("(core instance (instantiate $holder))\n");
    }
    writeln!(
        text,
        "(core instance $i (instantiate $m)) (func (export \"run\") (result u32) (canon lift (core func $i \"run\"))))"
    )
    .unwrap();
    wat::parse_str(text).unwrap()
}

/// Loading it or calling it fails, with a typed error; which of both depends on where instances come from.
async fn is_denied(stage: &Stage, component: Vec<u8>) -> String {
    let plugin = match stage.try_load("guest.wasm".as_ref(), component) {
        Ok(plugin) => plugin,
        Err(error) => return error.to_string(),
    };
    let error = stage.call(&plugin, "run", "{}").await.unwrap_err();
    assert!(
        matches!(error, CallError::Memory { .. } | CallError::Trap { .. } | CallError::Host(_)),
        "{error:?}, {:?}",
        stage.sandbox
    );
    error.to_string()
}

#[tokio::test]
async fn fifty_memories_are_denied_and_a_few_are_not() {
    for stage in stages() {
        is_denied(&stage, many(50, 1, 1)).await;
        // Small ones, but more of them together than a call may have.
        is_denied(&stage, many(5, MEMORY / PAGE / 4, 1)).await;
        let few = stage.load_bytes(many(3, MEMORY / PAGE / 4, 1));
        assert_eq!(stage.call(&few, "run", "{}").await.unwrap().text, "7");
    }
}

#[tokio::test]
async fn thousands_of_instances_are_denied() {
    for stage in stages() {
        is_denied(&stage, many(5_000, 0, 0)).await;
    }
}

#[tokio::test]
async fn a_guest_that_begins_with_too_much_is_denied() {
    for stage in stages() {
        is_denied(&stage, text_guest("four_gib")).await;
        is_denied(&stage, text_guest("huge_table")).await;
    }
}

#[tokio::test]
async fn a_table_stops_growing_at_the_limit() {
    for stage in stages() {
        let growing = stage.load_bytes(text_guest("table_growth"));
        let size: usize = stage.call(&growing, "run", "{}").await.unwrap().text.parse().unwrap();
        assert!(size <= stage.limits.table_elements, "{size}, {:?}", stage.sandbox);
    }
}

/// What one call had is free for the next, with nothing left in it.
#[tokio::test]
async fn memory_is_given_back_clean() {
    for stage in stages() {
        let growing = stage.load(guest("grow_memory"));
        for _ in 0..10 {
            assert_eq!(stage.run(&growing, "fill").await.unwrap().text, format!("refused at {MEMORY} bytes"));
        }
    }
}
