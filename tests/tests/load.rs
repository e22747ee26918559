//! A file that is no usable plugin is refused before anything of it runs, by name and with the reason.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "the helpers belong to tests")]

use std::fmt::Write as _;

use remit_sandbox::{ImportKind, LoadProblem};
use remit_tests::{Stage, guest, text_guest};

/// What the user is told when a component from this file does not load.
fn refusal(stage: &Stage, bytes: Vec<u8>) -> String {
    stage.try_load("plugins/guest.wasm".as_ref(), bytes).expect_err("it loads").to_string()
}

#[test]
fn each_kind_of_unusable_file_has_its_own_words() {
    let stage = Stage::default();
    let component = std::fs::read(guest("echo")).unwrap();
    let told = |problem: &str| format!("plugin `guest` (plugins/guest.wasm): {problem}");

    assert_eq!(refusal(&stage, Vec::new()), told("the file is empty"));
    assert_eq!(
        refusal(&stage, b"#!/bin/sh\necho hello\n".to_vec()),
        told(
            "this is not WebAssembly: a component begins with the bytes 00 61 73 6d, this begins with 23 21 2f 62"
        )
    );
    let core = refusal(&stage, text_guest("core_module"));
    assert!(core.starts_with(&told("this is a core module, and a plugin is a component")), "{core}");
    let cut = refusal(&stage, component[..component.len() / 2].to_vec());
    assert!(cut.starts_with(&told("the file is cut short: it ends in the middle of")), "{cut}");
}

#[test]
fn a_component_cut_anywhere_is_refused_and_nothing_else_happens() {
    let stage = Stage::default();
    let component = text_guest("bad_values");
    for length in 0..component.len() {
        // A cut between two sections may take no more than names for debuggers, or one function after the other.
        if let Ok(plugin) = stage.try_load("guest.wasm".as_ref(), component[..length].to_vec()) {
            assert!(!plugin.tools().is_empty());
        }
    }
}

/// Every byte of a component is changed in turn; it loads or not, and the host stays whole.
#[test]
fn a_component_with_a_wrong_byte_is_refused_or_loads() {
    let stage = Stage::default();
    let component = text_guest("bad_values");
    for place in 0..component.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut wrong = component.clone();
            wrong[place] ^= change;
            if let Err(error) = stage.try_load("guest.wasm".as_ref(), wrong) {
                assert!(error.to_string().starts_with("plugin `guest` (guest.wasm): "), "{error}");
            }
        }
    }
}

#[test]
fn a_component_without_a_function_is_refused_with_what_it_has() {
    let stage = Stage::default();
    let told = "plugin `guest` (plugins/guest.wasm): expected an exported function, found ";
    assert_eq!(refusal(&stage, text_guest("no_exports")), format!("{told}no export at all"));
    let only_a_type = refusal(&stage, text_guest("only_a_type"));
    assert!(only_a_type.starts_with(told) && only_a_type.contains("word"), "{only_a_type}");
}

#[test]
fn a_newer_interface_of_remits_own_is_refused_with_both_versions() {
    let stage = Stage::default();
    let newer = refusal(&stage, text_guest("newer_remit"));
    assert!(newer.contains("expected version 0.1 of `remit:files`, found 9.0.0"), "{newer}");
}

#[test]
fn imports_that_the_host_does_not_have_are_refused_by_name() {
    let stage = Stage::default();
    let unknown = refusal(&stage, std::fs::read(guest("unknown_import")).unwrap());
    assert!(unknown.contains("`evil:host/api@1.2.3`"), "{unknown}");
    let newer = refusal(&stage, text_guest("newer_wasi"));
    assert!(newer.contains("`wasi:clocks/monotonic-clock@0.9.0`") && newer.contains("0.2"), "{newer}");
}

#[test]
fn wasi_that_is_not_granted_loads_and_is_named() {
    let stage = Stage::default();
    let probe = stage.load(guest("sockets_probe"));
    assert!(probe.imports().iter().any(|import| import.kind == ImportKind::Network), "{:?}", probe.imports());
    let echo = stage.load(guest("loop_forever"));
    assert!(echo.imports().iter().all(|import| import.kind != ImportKind::Network), "{:?}", echo.imports());
}

#[tokio::test]
async fn a_function_with_handles_is_skipped_and_the_others_work() {
    let stage = Stage::default();
    let plugin = stage.load(guest("resource_export"));
    let tools: Vec<_> = plugin.tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["guest.plain"]);
    let skipped = plugin.skipped();
    for function in ["read-counter", "list-counters"] {
        let place = format!("test:guest/handles@0.1.0#{function}");
        let reason = skipped.iter().find(|skipped| skipped.function == place).map(|skipped| &skipped.reason);
        assert!(reason.is_some_and(|reason| reason.contains("resource")), "{function}: {skipped:?}");
    }
    assert_eq!(stage.call(&plugin, "plain", r#"{"number": 5}"#).await.unwrap().text, "5");
}

#[test]
fn a_component_with_a_stream_is_refused_in_words_that_help() {
    let refusal = refusal(&Stage::default(), text_guest("stream_export"));
    assert!(refusal.contains("export functions that take and return whole values"), "{refusal}");
}

/// A component whose one function takes `parameters`, as the component model's text has them.
fn taking(types: &str, parameters: &str, lowered: usize) -> Vec<u8> {
    let text = format!(
        "(component
           (core module $m
             (memory (export \"memory\") 1)
             (func (export \"realloc\") (param i32 i32 i32 i32) (result i32) i32.const 0)
             (func (export \"run\") (param {}) (result i32) i32.const 7))
           (core instance $i (instantiate $m))
           (alias core export $i \"memory\" (core memory $memory))
           (alias core export $i \"realloc\" (core func $realloc))
           {types}
           (func (export \"run\") {parameters} (result u32)
             (canon lift (core func $i \"run\") (memory $memory) (realloc $realloc))))",
        "i32 ".repeat(lowered)
    );
    wat::parse_str(text).unwrap()
}

#[test]
fn a_schema_of_ten_megabytes_is_not_shown_to_anybody() {
    let stage = Stage::default();
    // Records of records: 60 to the power of three fields, each with a name of 40 characters.
    let mut types = String::new();
    let mut inner = "u32".to_owned();
    for level in 0..4 {
        let fields =
            (0..60).map(|field| format!("(field \"field-with-a-long-name-number-{level}-{field}\" {inner})"));
        write!(types, "(type $shape-{level} (record {}))", fields.collect::<String>()).unwrap();
        write!(types, "(export $record-{level} \"record-{level}\" (type $shape-{level}))").unwrap();
        inner = format!("$record-{level}");
    }
    let plugin =
        stage.try_load("guest.wasm".as_ref(), taking(&types, &format!("(param \"value\" {inner})"), 1));
    let shown = match plugin {
        Err(error) => {
            assert!(error.to_string().len() < 10_000);
            return;
        }
        Ok(plugin) => plugin.tools().iter().map(|tool| tool.input_schema.to_string().len()).sum::<usize>(),
    };
    assert!(shown < 1 << 20, "{shown} bytes of schema");
}

#[test]
fn types_nested_beyond_all_sense_do_no_harm() {
    let stage = Stage::default();
    for depth in [10, 50, 90] {
        let nested = format!("{}u8{}", "(list ".repeat(depth), ")".repeat(depth));
        match stage.try_load("guest.wasm".as_ref(), taking("", &format!("(param \"value\" {nested})"), 2)) {
            Ok(plugin) => assert!(plugin.tools().len() + plugin.skipped().len() == 1),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn a_component_beyond_the_size_limit_is_not_even_compiled() {
    let stage = Stage::new(&remit_sandbox::SandboxConfig {
        max_component_bytes: 1_000,
        ..remit_sandbox::SandboxConfig::default()
    });
    let bytes = std::fs::read(guest("echo")).unwrap();
    let size = bytes.len() as u64;
    let error = stage.try_load("guest.wasm".as_ref(), bytes).unwrap_err();
    assert!(
        matches!(*error.problem, LoadProblem::TooLarge { limit: 1_000, size: found } if found == size),
        "{error}"
    );
}

/// A custom section that a hostile author filled by hand.
fn with_docs(mut component: Vec<u8>, docs: &str) -> Vec<u8> {
    let name = b"remit:docs";
    let content = [&[name.len() as u8], &name[..], docs.as_bytes()].concat();
    component.push(0);
    let mut size = content.len();
    while size >= 0x80 {
        component.push(size as u8 | 0x80);
        size >>= 7;
    }
    component.push(size as u8);
    component.extend(content);
    component
}

#[test]
fn documentation_from_a_component_is_inert_or_refused() {
    let stage = Stage::default();
    let echo = std::fs::read(guest("echo")).unwrap();
    for docs in [
        "not JSON at all \u{1b}[2J",
        r#"{"v":1,"functions":{"test:guest/guest@0.1.0#run":{"text":"\u001b[2J\u202eowned"}}}"#,
        "{\"\u{0}\":",
        &"[".repeat(100_000),
        &format!("\"{}\"", "x".repeat(10 << 20)),
    ] {
        match stage.try_load("guest.wasm".as_ref(), with_docs(echo.clone(), docs)) {
            Ok(plugin) => {
                let tool = plugin.tool("guest.run").unwrap();
                let shown =
                    format!("{} {} {}", tool.description, tool.input_schema, plugin.warnings().join(" "));
                assert!(!shown.contains(|letter: char| letter.is_control() && letter != '\n'), "{shown:?}");
                assert!(!shown.contains('\u{202e}') && shown.len() < 1 << 20);
            }
            Err(error) => {
                let shown = error.to_string();
                assert!(!shown.contains(char::is_control) && shown.len() < 2_000, "{shown:?}");
            }
        }
    }
}
