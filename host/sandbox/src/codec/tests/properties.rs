use proptest::prelude::*;

use super::any::{any_shape, shape_and_value};
use super::*;

/// JSON that need not fit anything.
fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
        "the_name[0-4]|ok|err|some|NaN|/w==".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::btree_map("the_name[0-4]|ok|err|some|.", inner, 0..4)
                .prop_map(|entries| serde_json::Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_encoded_decodes_to_the_same_value((shape, value) in shape_and_value()) {
        let json = encode(&value, &shape, LIMIT).unwrap();
        prop_assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{}", json);
        prop_assert!(!json.chars().any(remit_pack::is_active));
        prop_assert_eq!(decode(&shape, &json), Ok(value), "{}", json);
    }

    #[test]
    fn what_decodes_was_json_and_encodes_to_the_same_value(shape in any_shape(), json in any_json()) {
        let text = json.to_string();
        if let Ok(value) = decode(&shape, &text) {
            let again = encode(&value, &shape, LIMIT).unwrap();
            prop_assert_eq!(decode(&shape, &again), Ok(value));
        }
    }

    #[test]
    fn strings_are_read_as_another_reader_reads_them(text in any::<String>(), escaped in any::<bool>()) {
        let json = serde_json::to_string(&text).unwrap();
        let json = if escaped { ascii_only(&json) } else { json };
        prop_assert_eq!(decode(&Shape::String, &json), Ok(Val::String(text)));
    }

    #[test]
    fn numbers_are_read_as_they_are_written(text in "-?[0-9]{1,25}(\\.[0-9]{1,25})?([eE][-+]?[0-9]{1,3})?") {
        let value = text.parse().ok().map(Val::Float64);
        let expected = serde_json::from_str::<f64>(&text).ok().and(value);
        prop_assert_eq!(decode(&Shape::F64, &text).ok(), expected);
    }

    #[test]
    fn text_that_is_no_json_is_an_error_and_never_a_panic(shape in any_shape(), text in "[\\PC\\\\\"{}:,0-9 ]{0,40}") {
        let params = [field("x", shape)];
        if decode_arguments(&params, &text).is_ok() {
            prop_assert!(text.trim().is_empty() || serde_json::from_str::<serde_json::Value>(&text).is_ok());
        }
    }

    #[test]
    fn a_cut_or_changed_text_never_panics((shape, value) in shape_and_value(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut json = format!("{{\"x\":{}}}", encode(&value, &shape, LIMIT).unwrap()).into_bytes();
        let at = at.index(json.len());
        json[at] = byte;
        let params = [field("x", shape)];
        for bytes in [&json[..], &json[..at]] {
            if let Ok(text) = std::str::from_utf8(bytes)
                && decode_arguments(&params, text).is_ok()
                && !text.is_empty()
            {
                prop_assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{}", text);
            }
        }
    }

    #[test]
    fn nothing_is_built_beyond_the_limit((shape, value) in shape_and_value(), limit in 0..64_usize) {
        let whole = encode(&value, &shape, LIMIT).unwrap();
        match encode(&value, &shape, limit) {
            Ok(json) => prop_assert_eq!(json, whole),
            Err(error) => {
                prop_assert_eq!(error, EncodeError::TooLarge { limit });
                prop_assert!(whole.len() > limit);
            }
        }
    }
}

fn ascii_only(json: &str) -> String {
    let mut text = String::new();
    for c in json.chars() {
        if c.is_ascii() {
            text.push(c);
        } else {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| text.push_str(&format!("\\u{unit:04X}")));
        }
    }
    text
}
