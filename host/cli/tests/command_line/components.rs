//! Components, seen from outside.

use serde_json::Value;

use crate::stage::Stage;

/// Says something that would clear a terminal.
pub(crate) const SAY: &str = r#"
(component
  (core module $m
    (memory (export "mem") 1)
    (data (i32.const 0) "\08\00\00\00\08\00\00\00\1b[2Jgone")
    (func (export "say") (result i32) i32.const 0))
  (core instance $i (instantiate $m))
  (func (export "say") (result string) (canon lift (core func $i "say") (memory $i "mem"))))
"#;

/// Never returns.
pub(crate) const SPIN: &str = r#"
(component
  (core module $m (func (export "spin") (loop br 0)))
  (core instance $i (instantiate $m))
  (func (export "spin") (canon lift (core func $i "spin"))))
"#;

/// Has a function that can be a tool and one that can't, and imports what only sounds dangerous.
const MIXED: &str = r#"
(component
  (import "wasi:random/random@0.2.0" (instance
    (export "get-random-u64" (func (result u64)))))
  (type $thing (resource (rep i32)))
  (core module $m
    (func (export "double") (param i32) (result i32) local.get 0)
    (func (export "open") (result i32) i32.const 0))
  (core instance $i (instantiate $m))
  (export $exported "thing" (type $thing))
  (func (export "double") (param "number" u32) (result u32) (canon lift (core func $i "double")))
  (func (export "open") (result (own $exported)) (canon lift (core func $i "open"))))
"#;

#[test]
fn a_component_says_what_it_offers_and_what_it_could_touch() {
    let stage = Stage::new();
    stage.write("Mixed_tools.wasm", wat::parse_str(MIXED).unwrap());
    let said = stage.say(&["inspect", "Mixed_tools.wasm"]).fine();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "Mixed_tools.wasm · a component of ",
        "random random numbers",
        "no files it imports none, whatever a role grants",
        "no network it imports none",
        "wasi:random/random@0.2.0",
        "mixed-tools.double mixed-tools__double",
        "number integer",
        "mixed-tools.open skipped: its signature has a resource",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let json: Value =
        serde_json::from_str(&stage.say(&["inspect", "--json", "Mixed_tools.wasm"]).fine()).unwrap();
    assert_eq!(json["tools"][0]["input_schema"]["required"], serde_json::json!(["number"]));
    assert_eq!(json["skipped"].as_array().unwrap().len(), 1);
    assert_eq!(json["imports"][0]["could_touch"], "random numbers");

    stage.write("pure.wasm", wat::parse_str(SPIN).unwrap());
    let said = stage.say(&["inspect", "pure.wasm"]).fine();
    assert!(said.contains("nothing: it computes"), "{said}");
}

#[test]
fn a_built_in_plugin_can_be_looked_at_like_any_other() {
    let stage = Stage::new();
    let said = stage.say(&["inspect", "search"]).fine();
    for expected in ["files and directories that its role grants", "no network", "search.grep", "pattern"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    stage.write("search", "a file of the user's");
    assert!(
        stage.say(&["inspect", "search"]).refused().starts_with("error: search: this is not WebAssembly")
    );
}

#[test]
fn what_is_no_component_is_told_apart() {
    let stage = Stage::new();
    let component = wat::parse_str(SAY).unwrap();
    stage.write("text.wasm", "hello\u{1b}[2J");
    stage.write("empty.wasm", "");
    stage.write("module.wasm", b"\0asm\x01\0\0\0");
    stage.write("short.wasm", &component[..component.len() / 2]);
    let made =
        std::process::Command::new("mkfifo").arg(stage.workspace().join("pipe.wasm")).status().unwrap();
    assert!(made.success());
    for (file, expected) in [
        ("text.wasm", "text.wasm: this is not WebAssembly"),
        ("empty.wasm", "empty.wasm: the file is empty"),
        ("module.wasm", "module.wasm: this is a core module, and a plugin is a component"),
        ("short.wasm", "short.wasm: the file is cut short"),
        ("missing.wasm", "cannot read missing.wasm: "),
        ("pipe.wasm", "pipe.wasm is not a file"),
        (".", ". is not a file"),
    ] {
        let error = stage.say(&["inspect", file]).refused();
        assert!(error.starts_with(&format!("error: {expected}")), "{file}: {error}");
    }
}
