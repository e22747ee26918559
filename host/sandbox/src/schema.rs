//! JSON Schema for a function's parameters, from their types.
//!
//! The schema tells a model which arguments the [codec](crate::codec) takes. It keeps to what model APIs have
//! in common: no references, every array with `items`, alternatives as `anyOf`.

use remit_pack::{FunctionDocs, Place};
use serde_json::{Map, Value, json};

use crate::codec::SOME;
use crate::shape::{Case, Field, MAX_SIZE, Name, Shape};

/// A function's input schema, and whether the documentation had to be left out of it for its size.
pub(crate) struct InputSchema {
    pub(crate) schema: Value,
    pub(crate) is_stripped: bool,
}

/// The schema of the object that holds a call's arguments, of at most [`MAX_SIZE`] bytes of documentation.
pub(crate) fn input_schema(params: &[Field], docs: Option<FunctionDocs<'_>>) -> InputSchema {
    let place = |name: &Name| docs.map(|docs| docs.param(&name.wit)).unwrap_or_default();
    let mut writer = Writer { left: Some(MAX_SIZE) };
    let schema = writer.object(params, place);
    if writer.left.is_some() {
        return InputSchema { schema, is_stripped: false };
    }
    InputSchema { schema: Writer { left: None }.object(params, |_| Place::default()), is_stripped: true }
}

struct Writer {
    /// How many more bytes of documentation may be copied; none once it was more.
    left: Option<usize>,
}

impl Writer {
    fn object<'d>(&mut self, fields: &[Field], place: impl Fn(&Name) -> Place<'d>) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for Field { name, shape } in fields {
            // A field that may be left out need not be null as well.
            let present = match shape {
                Shape::Option(inner) => self.present(inner, place(name)),
                shape => {
                    required.push(json!(name.json));
                    self.schema(shape, place(name))
                }
            };
            properties.insert(name.json.to_string(), present);
        }
        let mut object = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            object["required"] = Value::Array(required);
        }
        object["additionalProperties"] = json!(false);
        object
    }

    fn schema(&mut self, shape: &Shape, place: Place<'_>) -> Value {
        match shape {
            Shape::Bool => self.described(json!({ "type": "boolean" }), place),
            Shape::Integer(integer) => {
                let (min, max) = integer.bounds();
                // Bounds of 64 bits fit one of both types.
                let number = |bound: i128| match u64::try_from(bound) {
                    Ok(bound) => json!(bound),
                    Err(_) => json!(i64::try_from(bound).unwrap_or(i64::MIN)),
                };
                let schema = json!({ "type": "integer", "minimum": number(min), "maximum": number(max) });
                self.described(schema, place)
            }
            Shape::F32 | Shape::F64 => self.described(json!({ "type": "number" }), place),
            Shape::Char => self.described(json!({ "type": "string", "minLength": 1, "maxLength": 1 }), place),
            Shape::String => self.described(json!({ "type": "string" }), place),
            Shape::Bytes => {
                let mut schema = json!({ "type": "string", "contentEncoding": "base64" });
                let description = match self.text(place) {
                    Some(text) => format!("{text} (bytes, in base64)"),
                    None => "Bytes, in base64.".to_owned(),
                };
                schema["description"] = json!(description);
                schema
            }
            Shape::List(element) => {
                let items = self.schema(element, place.element());
                let schema = json!({ "type": "array", "items": items });
                self.described(schema, place)
            }
            Shape::Record(fields) => {
                let schema = self.object(fields, |name| place.part(&name.wit));
                self.described(schema, place)
            }
            Shape::Tuple(shapes) => {
                let schema = self.tuple(shapes, place);
                self.described(schema, place)
            }
            Shape::Enum(names) => self.one_of(names, place),
            Shape::Flags(names) => {
                let items = self.one_of(names, place.element());
                let schema = json!({ "type": "array", "items": items, "uniqueItems": true });
                self.described(schema, place)
            }
            Shape::Variant(cases) | Shape::Result(cases) => self.variant(cases, place),
            Shape::Option(inner) => {
                let present = self.present(inner, place.element());
                self.described(json!({ "anyOf": [present, { "type": "null" }] }), place)
            }
        }
    }

    /// An option's value, where it has one.
    fn present(&mut self, inner: &Shape, place: Place<'_>) -> Value {
        let value = self.schema(inner, place);
        if matches!(inner, Shape::Option(_)) { keyed(SOME, value) } else { value }
    }

    /// The elements of a tuple have no name, so each is described by its place. `items` stands beside
    /// `prefixItems`, because some APIs know only the first.
    fn tuple(&mut self, shapes: &[Shape], place: Place<'_>) -> Value {
        let length = shapes.len();
        let mut elements: Vec<Value> = Vec::with_capacity(length);
        for (index, shape) in shapes.iter().enumerate() {
            elements.push(self.schema(shape, place.part(&index.to_string())));
        }
        if let Some(first) = elements.first()
            && elements.iter().all(|element| element == first)
        {
            return json!({ "type": "array", "items": first, "minItems": length, "maxItems": length });
        }
        json!({ "type": "array", "prefixItems": elements, "items": {}, "minItems": length, "maxItems": length })
    }

    fn variant(&mut self, cases: &[Case], place: Place<'_>) -> Value {
        let bare: Vec<&Name> =
            cases.iter().filter(|case| case.payload.is_none()).map(|case| &case.name).collect();
        if bare.len() == cases.len() {
            return self.one_of(bare, place);
        }
        let mut forms = Vec::new();
        if !bare.is_empty() {
            forms.push(self.one_of(bare, place.element().element()));
        }
        for Case { name, payload } in cases {
            if let Some(payload) = payload {
                let payload = self.schema(payload, place.part(&name.wit));
                forms.push(keyed(&name.json, payload));
            }
        }
        let schema = if forms.len() == 1 { forms.remove(0) } else { json!({ "anyOf": forms }) };
        self.described(schema, place)
    }

    /// One of several strings. What is said about each is added to the description.
    fn one_of<'n>(&mut self, names: impl IntoIterator<Item = &'n Name>, place: Place<'_>) -> Value {
        let names: Vec<&Name> = names.into_iter().collect();
        let values: Vec<&str> = names.iter().map(|name| &*name.json).collect();
        let mut schema = json!({ "type": "string", "enum": values });
        let mut lines: Vec<String> = self.text(place).map(str::to_owned).into_iter().collect();
        for name in names {
            if let Some(text) = self.text(place.part(&name.wit)) {
                lines.push(format!("- `{}`: {text}", name.json));
            }
        }
        if !lines.is_empty() {
            schema["description"] = json!(lines.join("\n"));
        }
        schema
    }

    fn described(&mut self, mut schema: Value, place: Place<'_>) -> Value {
        if let Some(text) = self.text(place) {
            schema["description"] = json!(text);
        }
        schema
    }

    /// What is said about a place, as long as the allowance lasts.
    fn text<'d>(&mut self, place: Place<'d>) -> Option<&'d str> {
        let text = place.text()?;
        self.left = self.left?.checked_sub(text.len());
        self.left.map(|_| text)
    }
}

/// An object of one key.
fn keyed(key: &str, value: Value) -> Value {
    json!({
        "type": "object",
        "properties": { key: value },
        "required": [key],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests;
