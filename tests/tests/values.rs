//! Arguments and results of every type, through a real component.

use remit_tests::{Stage, guest};
use serde_json::{Value, json};

#[tokio::test]
async fn every_type_comes_back_as_it_went() {
    let stage = Stage::default();
    let zoo = stage.load(guest("zoo"));
    let animal = json!({
        "name": "duck\u{0}\u{1f986}", "age": 3, "weight_in_kg": 1.25, "tags": ["", "wet"], "home": {"x": -1, "y": i32::MAX},
        "diet": "everything_else", "abilities": ["swims", "digs_holes"], "shape": {"bent": [{"x": 1, "y": 2}]}
    });
    for (function, value) in [
        ("echo_bool", json!(true)),
        ("echo_u8", json!(255)),
        ("echo_u64", json!(u64::MAX)),
        ("echo_s64", json!(i64::MIN)),
        ("echo_f64", json!(0.1)),
        ("echo_char", json!("🦀")),
        ("echo_bytes", json!("AP8=")),
        ("echo_numbers", json!([0, 65535])),
        ("echo_strings", json!([])),
        ("echo_tuple", json!([false, "x", 7])),
        ("echo_option", Value::Null),
        ("echo_point", json!({"x": 0, "y": -5})),
        ("echo_diet", json!("meat")),
        ("echo_abilities", json!([])),
    ] {
        let arguments = json!({ "value": value }).to_string();
        let output = stage
            .call(&zoo, function, &arguments)
            .await
            .unwrap_or_else(|error| panic!("{function}: {error}"));
        assert_eq!(
            serde_json::from_str::<Value>(&output.text).unwrap_or(json!(output.text)),
            value,
            "{function}"
        );
    }
    let output = stage.call(&zoo, "echo_animal", &json!({ "value": animal }).to_string()).await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&output.text).unwrap(), animal);
}

#[tokio::test]
async fn a_wrong_argument_names_its_place_and_nothing_runs() {
    let stage = Stage::default();
    let zoo = stage.load(guest("zoo"));
    for (function, arguments, told) in [
        ("echo_u8", r#"{"value": 256}"#, "value"),
        ("echo_u8", r#"{"value": "3"}"#, "value"),
        ("echo_u8", "{}", "value"),
        ("echo_u8", r#"{"value": 1, "other": 2}"#, "other"),
        ("echo_point", r#"{"value": {"x": 1}}"#, "value.y"),
        ("echo_animals", r#"{"value": [{"name": 1}]}"#, "value[0]"),
        ("echo_diet", r#"{"value": "meet"}"#, "meat"),
        ("echo_u8", "{\"value\": ", "JSON"),
        ("echo_u8", "", "value"),
        ("echo_u8", "[]", "object"),
    ] {
        let error = stage.call(&zoo, function, arguments).await.unwrap_err();
        assert!(matches!(error, remit_sandbox::CallError::Arguments(_)), "{error:?}");
        assert!(error.to_string().contains(told), "{function} {arguments}: {error}");
    }
}
