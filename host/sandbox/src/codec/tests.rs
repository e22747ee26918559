pub(crate) mod any;
mod properties;

use wasmtime::component::Val;

use super::encode::encode;
use super::*;
use crate::shape::{Case, Field, Integer, Name, Shape};

const LIMIT: usize = 1 << 20;

fn field(name: &str, shape: Shape) -> Field {
    Field { name: Name::new(name), shape }
}

fn option(shape: Shape) -> Shape {
    Shape::Option(Box::new(shape))
}

fn case(name: &str, payload: Option<Shape>) -> Case {
    Case { name: Name::new(name), payload }
}

fn names(names: &[&str]) -> Box<[Name]> {
    names.iter().map(|name| Name::new(name)).collect()
}

const U32: Shape = Shape::Integer(Integer::U32);

/// Decodes one parameter `x`.
fn decode(shape: &Shape, json: &str) -> Result<Val, ArgumentError> {
    let params = [field("x", shape.clone())];
    let mut values = decode_arguments(&params, &format!("{{\"x\":{json}}}"))?;
    assert_eq!(values.len(), 1);
    Ok(values.remove(0))
}

fn error(params: &[Field], text: &str) -> String {
    decode_arguments(params, text).unwrap_err().to_string()
}

fn listing() -> Vec<Field> {
    let options = Shape::Record(Box::new([
        field("max-depth", option(U32)),
        field("kinds", Shape::Flags(names(&["file", "sym-link"]))),
    ]));
    vec![field("path", Shape::String), field("options", option(options))]
}

mod errors {
    use super::*;

    /// What a model reads when its arguments do not fit.
    #[test]
    fn an_error_says_where_what_was_expected_and_what_was_found() {
        let filter = Shape::Variant(Box::new([case("all", None), case("by-name", Some(Shape::String))]));
        let everything = vec![
            field("flag", option(Shape::Bool)),
            field("small", option(Shape::Integer(Integer::S8))),
            field("number", option(Shape::F32)),
            field("letter", option(Shape::Char)),
            field("data", option(Shape::Bytes)),
            field("items", option(Shape::List(Box::new(U32)))),
            field("pair", option(Shape::Tuple(Box::new([U32, Shape::String])))),
            field("mode", option(Shape::Enum(names(&["read-only", "write"])))),
            field("flags", option(Shape::Flags(names(&["a", "b"])))),
            field("filter", option(filter)),
            field("twice", option(option(U32))),
        ];
        let listing = listing();
        let mut report = String::new();
        let cases: [(&[Field], &str); 44] = [
            (&listing, r#"{"path":"a","options":{"max_depth":"3","kinds":[]}}"#),
            (&listing, r#"{"path":"a","options":{"max_depth":4294967296,"kinds":[]}}"#),
            (&listing, r#"{"path":"a","options":{"max_depht":3,"kinds":[]}}"#),
            (&listing, r#"{"path":"a","options":{"maxDepth":3,"kinds":[]}}"#),
            (&listing, r#"{"path":"a","options":{"color":3}}"#),
            (&listing, r#"{"path":"a","options":{"kinds":["file","pipe"]}}"#),
            (&listing, r#"{"path":"a","options":{"kinds":["file","file"]}}"#),
            (&listing, r#"{"path":"a","options":{"kinds":"file"}}"#),
            (&listing, r#"{"path":"a","options":{}}"#),
            (&listing, r#"{"path":"a","path":"b"}"#),
            (&listing, "{}"),
            (&listing, ""),
            (&listing, " \n"),
            (&listing, "[]"),
            (&listing, "null"),
            (&listing, r#""path""#),
            (&listing, r#"{"path":null}"#),
            (&listing, r#"{"path":"a"} and more"#),
            (&listing, r#"{"path":"a""#),
            (&listing, r#"{"path":"a"#),
            (&listing, r#"{"path":"a",}"#),
            (&listing, "{\n  'path': 1}"),
            (&listing, "{\"path\":\n \"é\u{1}\"}"),
            (&listing, r#"{"path":"\ud800"}"#),
            (&listing, r#"{"path":"\x"}"#),
            (&listing, r#"{"\u001b[2J\u202e":1}"#),
            (&[], r#"{"x":1}"#),
            (&everything, r#"{"flag":"yes"}"#),
            (&everything, r#"{"flag":tru}"#),
            (&everything, r#"{"small":-129}"#),
            (&everything, r#"{"small":1.5}"#),
            (&everything, r#"{"number":1e40}"#),
            (&everything, r#"{"number":"inf"}"#),
            (&everything, r#"{"letter":"ab"}"#),
            (&everything, r#"{"data":"*"}"#),
            (&everything, r#"{"items":[1,2,{"a":1}]}"#),
            (&everything, r#"{"pair":[1]}"#),
            (&everything, r#"{"pair":[1,"a",2]}"#),
            (&everything, r#"{"mode":"append and a lot more than anyone would want to read again"}"#),
            (&everything, r#"{"flags":[1]}"#),
            (&everything, r#"{"filter":"by_name"}"#),
            (&everything, r#"{"filter":{"by_name":7}}"#),
            (&everything, r#"{"filter":{"all":null}}"#),
            (&everything, r#"{"twice":3}"#),
        ];
        for (params, text) in cases {
            let shown = remit_pack::inert(text);
            report.push_str(&format!("{shown}\n  {}\n", error(params, text)));
        }
        insta::assert_snapshot!(report);
    }

    #[test]
    fn the_place_is_the_full_path() {
        let inner = Shape::Record(Box::new([field("depth", U32)]));
        let list = Shape::List(Box::new(Shape::List(Box::new(inner))));
        let error = error(&[field("grid", list)], r#"{"grid":[[],[{"depth":0},{"depth":"3"}]]}"#);
        assert_eq!(error, "grid[1][1].depth: expected an integer from 0 to 4294967295, found \"3\"");
    }

    #[test]
    fn short_text_cannot_stand_for_a_huge_value() {
        let fields: Box<[Field]> = (0..1000).map(|index| field(&format!("f{index}"), option(U32))).collect();
        let list = Shape::List(Box::new(Shape::Record(fields)));
        let text = format!("[{}{{}}]", "{},".repeat(100_000));
        assert!(matches!(decode(&list, &text), Err(ArgumentError::TooManyValues { .. })));
        let text = format!("\"{}\"", "A".repeat(4 << 20));
        assert!(matches!(decode(&Shape::String, &text), Err(ArgumentError::TooLarge { .. })));
    }
}

mod forms {
    use super::*;

    #[test]
    fn integers_are_exact_to_the_last_bit() {
        let (s64, u64) = (Shape::Integer(Integer::S64), Shape::Integer(Integer::U64));
        assert_eq!(decode(&u64, "18446744073709551615"), Ok(Val::U64(u64::MAX)));
        assert_eq!(decode(&s64, "-9223372036854775808"), Ok(Val::S64(i64::MIN)));
        assert_eq!(encode(&Val::U64(u64::MAX), &u64, LIMIT).unwrap(), "18446744073709551615");
        assert_eq!(decode(&U32, "3.0"), Ok(Val::U32(3)));
        assert_eq!(decode(&U32, "1e3"), Ok(Val::U32(1000)));
        assert_eq!(decode(&U32, "-0"), Ok(Val::U32(0)));
        for text in ["18446744073709551616", "99999999999999999999999999999999999999999999", "-1", "1e300"] {
            assert!(decode(&u64, text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_option_that_is_left_out_is_none() {
        let params = listing();
        let expected = [Val::String("a".into()), Val::Option(None)];
        for text in [r#"{"path":"a"}"#, r#"{"path":"a","options":null}"#, " { \"path\" : \"\\u0061\" } \n"] {
            assert_eq!(decode_arguments(&params, text).unwrap(), expected, "{text}");
        }
        assert_eq!(decode_arguments(&[], "").unwrap(), []);
    }

    #[test]
    fn an_option_within_an_option_keeps_its_three_kinds_of_value() {
        let shape = option(option(U32));
        let some = |value| Val::Option(Some(Box::new(value)));
        let none = Val::Option(None);
        for (text, value) in [
            ("null", none.clone()),
            ("{\"some\":null}", some(none)),
            ("{\"some\":3}", some(some(Val::U32(3)))),
        ] {
            assert_eq!(decode(&shape, text), Ok(value.clone()));
            assert_eq!(encode(&value, &shape, LIMIT).unwrap(), text);
        }
    }

    #[test]
    fn flags_come_in_the_order_of_their_type() {
        let shape = Shape::Flags(names(&["a-b", "c", "d"]));
        assert_eq!(decode(&shape, r#"["d","a_b"]"#), Ok(Val::Flags(vec!["a-b".into(), "d".into()])));
    }

    #[test]
    fn bytes_are_base64_with_or_without_padding() {
        let value = Val::List(vec![Val::U8(255)]);
        for text in ["\"/w==\"", "\"/w\""] {
            assert_eq!(decode(&Shape::Bytes, text), Ok(value.clone()), "{text}");
        }
        assert_eq!(encode(&value, &Shape::Bytes, LIMIT).unwrap(), "\"/w==\"");
    }

    #[test]
    fn fields_may_come_in_any_order() {
        let shape = Shape::Record(Box::new([field("a", U32), field("b", U32), field("c", U32)]));
        let expected = decode(&shape, r#"{"a":1,"b":2,"c":3}"#).unwrap();
        assert_eq!(decode(&shape, r#"{"c":3,"a":1,"b":2}"#), Ok(expected));
    }
}

mod results {
    use super::*;

    fn text(value: Val, shape: &Shape) -> ResultText {
        encode_result(Some((value, shape)), LIMIT).unwrap()
    }

    fn string_or_u32() -> Shape {
        Shape::Result(Box::new([case("ok", Some(Shape::String)), case("err", Some(U32))]))
    }

    #[test]
    fn a_string_is_the_text_and_an_err_is_an_error() {
        let shape = string_or_u32();
        let ok = Val::Result(Ok(Some(Box::new(Val::String("two\nlines \u{1b}[0m".into())))));
        assert_eq!(text(ok, &shape), ResultText { text: "two\nlines \\u{1b}[0m".into(), is_error: false });
        let err = Val::Result(Err(Some(Box::new(Val::U32(7)))));
        assert_eq!(text(err, &shape), ResultText { text: "7".into(), is_error: true });
        let bare = Shape::Result(Box::new([case("ok", None), case("err", None)]));
        assert_eq!(text(Val::Result(Ok(None)), &bare), ResultText { text: "ok".into(), is_error: false });
        assert!(text(Val::Result(Err(None)), &bare).is_error);
        assert_eq!(encode_result(None, LIMIT).unwrap().text, "ok");
    }

    #[test]
    fn json_is_inert_and_loses_nothing() {
        let hostile = "\u{1b}[2J\u{202e}\u{e0041}\u{9b}\u{feff}\0\"\\\r";
        let shape = Shape::List(Box::new(Shape::String));
        let value = Val::List(vec![Val::String(hostile.into())]);
        let json = text(value.clone(), &shape).text;
        assert!(!json.chars().any(remit_pack::is_active), "{json}");
        assert_eq!(decode(&shape, &json), Ok(value));
    }

    #[test]
    fn a_result_over_the_limit_is_an_error_that_says_the_limit() {
        let too_large = Err(EncodeError::TooLarge { limit: 100 });
        let shape = Shape::List(Box::new(Shape::String));
        let value = Val::List(vec![Val::String("x".repeat(30)); 1000]);
        assert_eq!(encode_result(Some((value, &shape)), 100), too_large);
        assert_eq!(encode_result(Some((Val::String("x".repeat(101)), &Shape::String)), 100), too_large);
        assert_eq!(encode_result(Some((Val::String("\0".repeat(30)), &Shape::String)), 100), too_large);
        let bytes = Val::List(vec![Val::U8(0); 1000]);
        assert_eq!(encode_result(Some((bytes, &Shape::Bytes)), 100), too_large);
        assert!(encode_result(Some((Val::String("x".repeat(100)), &Shape::String)), 100).is_ok());
    }

    #[test]
    fn a_value_of_another_type_is_an_error() {
        let record = Shape::Record(Box::new([field("a", U32)]));
        let other = Val::Record(vec![("b".into(), Val::U32(1))]);
        assert_eq!(encode(&other, &record, LIMIT), Err(EncodeError::NotOfType));
        assert_eq!(encode(&Val::Bool(true), &U32, LIMIT), Err(EncodeError::NotOfType));
    }
}
