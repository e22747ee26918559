use proptest::prelude::*;
use proptest::strategy::Union;
use serde_json::json;

use super::*;
use crate::codec::decode_arguments;
use crate::codec::tests::any::any_shape;

/// Any JSON that a schema allows, as far as the schemas made here go.
fn allowed(schema: &Value) -> BoxedStrategy<Value> {
    if let Some(forms) = schema["anyOf"].as_array() {
        return Union::new(forms.iter().map(allowed)).boxed();
    }
    if let Some(values) = schema["enum"].as_array() {
        return proptest::sample::select(values.clone()).boxed();
    }
    match schema["type"].as_str().unwrap() {
        "null" => Just(Value::Null).boxed(),
        "boolean" => any::<bool>().prop_map(Into::into).boxed(),
        "integer" => {
            let bound = |key: &str| {
                let bound = &schema[key];
                bound.as_i64().map(i128::from).or(bound.as_u64().map(i128::from)).unwrap()
            };
            let (min, max) = (bound("minimum"), bound("maximum"));
            (min..=max)
                .prop_map(|value| match u64::try_from(value) {
                    Ok(value) => json!(value),
                    Err(_) => json!(i64::try_from(value).unwrap()),
                })
                .boxed()
        }
        "number" => (-1e30..1e30_f64).prop_map(Into::into).boxed(),
        "string" if schema["contentEncoding"] == "base64" => {
            "([a-zA-Z0-9+/]{4}){0,3}".prop_map(Into::into).boxed()
        }
        "string" if schema["maxLength"] == 1 => any::<char>().prop_map(|c| c.to_string().into()).boxed(),
        "string" => any::<String>().prop_map(Into::into).boxed(),
        "array" => array(schema),
        "object" => object(schema),
        other => panic!("no such type: {other}"),
    }
}

fn array(schema: &Value) -> BoxedStrategy<Value> {
    if let Some(elements) = schema["prefixItems"].as_array() {
        return elements.iter().map(allowed).collect::<Vec<_>>().prop_map(Into::into).boxed();
    }
    let length = |key: &str, default: u64| schema[key].as_u64().unwrap_or(default) as usize;
    let lengths = length("minItems", 0)..=length("maxItems", 3);
    let is_set = schema["uniqueItems"] == true;
    proptest::collection::vec(allowed(&schema["items"]), lengths)
        .prop_map(move |mut items: Vec<Value>| {
            if is_set {
                items.sort_by_key(Value::to_string);
                items.dedup();
            }
            items.into()
        })
        .boxed()
}

fn object(schema: &Value) -> BoxedStrategy<Value> {
    assert_eq!(schema["additionalProperties"], false);
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap()).collect();
    let entries: Vec<_> = schema["properties"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, schema)| {
            let is_present =
                if required.contains(&name.as_str()) { Just(true).boxed() } else { any::<bool>().boxed() };
            (Just(name.clone()), allowed(schema), is_present)
        })
        .collect();
    entries
        .prop_map(|entries| {
            let present = entries.into_iter().filter(|(_, _, is_present)| *is_present);
            Value::Object(present.map(|(name, value, _)| (name, value)).collect())
        })
        .boxed()
}

fn schema_and_arguments() -> impl Strategy<Value = (Vec<Field>, Value)> {
    proptest::collection::vec(any_shape(), 0..4).prop_flat_map(|shapes| {
        let params: Vec<Field> = shapes
            .into_iter()
            .enumerate()
            .map(|(index, shape)| Field { name: Name::new(&format!("the-param{index}")), shape })
            .collect();
        let arguments = allowed(&input_schema(&params, None).schema);
        (Just(params), arguments)
    })
}

proptest! {
    #[test]
    fn whatever_the_schema_allows_can_be_decoded((params, arguments) in schema_and_arguments()) {
        let text = arguments.to_string();
        let decoded = decode_arguments(&params, &text);
        prop_assert!(decoded.is_ok(), "{}\n{}", decoded.unwrap_err(), text);
    }
}
