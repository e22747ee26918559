use std::borrow::Cow;
use std::fmt::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use remit_pack::{inert, is_active};
use wasmtime::component::Val;

use super::{NOT_FINITE, SOME};
use crate::shape::{Case, Field, Name, Shape};

/// What a function that returns nothing says.
const NOTHING: &str = "ok";

/// What a function that fails without a reason says.
const FAILED: &str = "the function failed and does not say why";

/// A call's result as a model reads it.
#[derive(Debug, PartialEq)]
pub(crate) struct ResultText {
    /// A string as it is, everything else as JSON.
    pub(crate) text: String,
    /// Whether the function returned the `err` of its `result`.
    pub(crate) is_error: bool,
}

/// Why a result has no text.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub(crate) enum EncodeError {
    /// The text would be longer than it may be. At most that much was ever built.
    #[error("the result takes more than {limit} bytes")]
    TooLarge { limit: usize },
    /// The value is not of the type that it was said to have.
    #[error("the result is not of the function's type")]
    NotOfType,
}

/// Encodes what a function returned, in at most `limit` bytes.
///
/// Characters that act on a terminal are inert in the text: escaped as JSON does it where the text is JSON, and
/// as [`inert`] does it where it is a string.
pub(crate) fn encode_result(result: Option<(Val, &Shape)>, limit: usize) -> Result<ResultText, EncodeError> {
    let (payload, is_error) = match result {
        None => (None, false),
        Some((Val::Result(result), Shape::Result(cases))) => {
            let (payload, case, is_error) = match result {
                Ok(payload) => (payload, cases.first(), false),
                Err(payload) => (payload, cases.get(1), true),
            };
            (payload.map(|payload| *payload).zip(case.and_then(|case| case.payload.as_ref())), is_error)
        }
        Some(other) => (Some(other), false),
    };
    let text = match payload {
        None if is_error => FAILED.to_owned(),
        None => NOTHING.to_owned(),
        Some((Val::String(text), Shape::String)) => plain(text, limit)?,
        Some((value, shape)) => encode(&value, shape, limit)?,
    };
    Ok(ResultText { text, is_error })
}

fn plain(mut text: String, limit: usize) -> Result<String, EncodeError> {
    if text.len() <= limit
        && let Cow::Owned(harmless) = inert(&text)
    {
        text = harmless;
    }
    if text.len() > limit { Err(EncodeError::TooLarge { limit }) } else { Ok(text) }
}

/// Encodes a value as JSON in at most `limit` bytes.
pub(super) fn encode(value: &Val, shape: &Shape, limit: usize) -> Result<String, EncodeError> {
    let mut encoder = Encoder { text: String::new(), limit };
    encoder.value(value, shape)?;
    Ok(encoder.text)
}

struct Encoder {
    text: String,
    limit: usize,
}

impl Encoder {
    fn value(&mut self, value: &Val, shape: &Shape) -> Result<(), EncodeError> {
        match (value, shape) {
            (Val::Bool(value), Shape::Bool) => self.push(if *value { "true" } else { "false" }),
            (Val::S8(value), Shape::Integer(_)) => self.display(value),
            (Val::U8(value), Shape::Integer(_)) => self.display(value),
            (Val::S16(value), Shape::Integer(_)) => self.display(value),
            (Val::U16(value), Shape::Integer(_)) => self.display(value),
            (Val::S32(value), Shape::Integer(_)) => self.display(value),
            (Val::U32(value), Shape::Integer(_)) => self.display(value),
            (Val::S64(value), Shape::Integer(_)) => self.display(value),
            (Val::U64(value), Shape::Integer(_)) => self.display(value),
            (Val::Float32(value), Shape::F32) => self.float(value, f64::from(*value)),
            (Val::Float64(value), Shape::F64) => self.float(value, *value),
            (Val::Char(value), Shape::Char) => self.string(value.encode_utf8(&mut [0; 4])),
            (Val::String(value), Shape::String) => self.string(value),
            (Val::List(values), Shape::Bytes) => self.bytes(values),
            (Val::List(values), Shape::List(element)) => {
                self.array(values.iter().map(|value| (value, &**element)))
            }
            (Val::Tuple(values), Shape::Tuple(shapes)) if values.len() == shapes.len() => {
                self.array(values.iter().zip(shapes))
            }
            (Val::Record(values), Shape::Record(fields)) if values.len() == fields.len() => {
                self.record(values, fields)
            }
            (Val::Enum(name), Shape::Enum(names)) => self.string(json_name(name, names)?),
            (Val::Flags(set), Shape::Flags(names)) => self.flags(set, names),
            (Val::Variant(name, payload), Shape::Variant(cases)) => {
                let case = cases.iter().find(|case| *case.name.wit == **name);
                self.case(case, payload.as_deref())
            }
            (Val::Result(Ok(payload)), Shape::Result(cases)) => self.case(cases.first(), payload.as_deref()),
            (Val::Result(Err(payload)), Shape::Result(cases)) => self.case(cases.get(1), payload.as_deref()),
            (Val::Option(None), Shape::Option(_)) => self.push("null"),
            (Val::Option(Some(value)), Shape::Option(inner)) => match **inner {
                Shape::Option(_) => self.wrapped(SOME, value, inner),
                _ => self.value(value, inner),
            },
            _ => Err(EncodeError::NotOfType),
        }
    }

    /// Debug formatting writes the shortest form that reads back as the same number, with an exponent where
    /// that is shorter.
    fn float(&mut self, value: impl fmt::Debug, wide: f64) -> Result<(), EncodeError> {
        if wide.is_finite() {
            return self.display(format_args!("{value:?}"));
        }
        let same = |named: f64| named == wide || (named.is_nan() && wide.is_nan());
        let (name, _) =
            NOT_FINITE.into_iter().find(|(_, named)| same(*named)).ok_or(EncodeError::NotOfType)?;
        self.string(name)
    }

    fn bytes(&mut self, values: &[Val]) -> Result<(), EncodeError> {
        // Each three bytes become four, so too many are seen before they are copied.
        if values.len() / 3 > self.left() / 4 {
            return Err(self.too_large());
        }
        let bytes = values.iter().map(|value| match value {
            Val::U8(byte) => Ok(*byte),
            _ => Err(EncodeError::NotOfType),
        });
        let text = STANDARD.encode(bytes.collect::<Result<Vec<u8>, _>>()?);
        self.string(&text)
    }

    fn array<'a>(&mut self, elements: impl Iterator<Item = (&'a Val, &'a Shape)>) -> Result<(), EncodeError> {
        self.push("[")?;
        for (index, (value, shape)) in elements.enumerate() {
            self.separate(index)?;
            self.value(value, shape)?;
        }
        self.push("]")
    }

    /// Fields that are none are left out.
    fn record(&mut self, values: &[(String, Val)], fields: &[Field]) -> Result<(), EncodeError> {
        self.push("{")?;
        let mut written = 0;
        for ((name, value), field) in values.iter().zip(fields) {
            if *field.name.wit != **name {
                return Err(EncodeError::NotOfType);
            }
            if matches!(value, Val::Option(None)) {
                continue;
            }
            self.separate(written)?;
            self.string(&field.name.json)?;
            self.push(":")?;
            self.value(value, &field.shape)?;
            written += 1;
        }
        self.push("}")
    }

    fn flags(&mut self, set: &[String], names: &[Name]) -> Result<(), EncodeError> {
        self.push("[")?;
        for (index, name) in set.iter().enumerate() {
            self.separate(index)?;
            self.string(json_name(name, names)?)?;
        }
        self.push("]")
    }

    fn case(&mut self, case: Option<&Case>, payload: Option<&Val>) -> Result<(), EncodeError> {
        let Case { name, payload: shape } = case.ok_or(EncodeError::NotOfType)?;
        match (payload, shape) {
            (None, None) => self.string(&name.json),
            (Some(payload), Some(shape)) => self.wrapped(&name.json, payload, shape),
            _ => Err(EncodeError::NotOfType),
        }
    }

    /// An object of one key.
    fn wrapped(&mut self, key: &str, value: &Val, shape: &Shape) -> Result<(), EncodeError> {
        self.push("{")?;
        self.string(key)?;
        self.push(":")?;
        self.value(value, shape)?;
        self.push("}")
    }

    fn string(&mut self, text: &str) -> Result<(), EncodeError> {
        self.push("\"")?;
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| must_be_escaped(c)) {
            self.push(&rest[..at])?;
            self.escape(c)?;
            rest = &rest[at + c.len_utf8()..];
        }
        self.push(rest)?;
        self.push("\"")
    }

    fn escape(&mut self, c: char) -> Result<(), EncodeError> {
        match c {
            '"' => self.push("\\\""),
            '\\' => self.push("\\\\"),
            '\n' => self.push("\\n"),
            '\r' => self.push("\\r"),
            '\t' => self.push("\\t"),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    self.display(format_args!("\\u{unit:04x}"))?;
                }
                Ok(())
            }
        }
    }

    fn separate(&mut self, index: usize) -> Result<(), EncodeError> {
        if index > 0 { self.push(",") } else { Ok(()) }
    }

    fn display(&mut self, value: impl fmt::Display) -> Result<(), EncodeError> {
        write!(self, "{value}").map_err(|fmt::Error| self.too_large())
    }

    fn push(&mut self, text: &str) -> Result<(), EncodeError> {
        if text.len() > self.left() {
            return Err(self.too_large());
        }
        self.text.push_str(text);
        Ok(())
    }

    fn left(&self) -> usize {
        self.limit - self.text.len()
    }

    fn too_large(&self) -> EncodeError {
        EncodeError::TooLarge { limit: self.limit }
    }
}

impl Write for Encoder {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text).map_err(|_| fmt::Error)
    }
}

fn must_be_escaped(c: char) -> bool {
    c == '"' || c == '\\' || c < ' ' || is_active(c)
}

fn json_name<'a>(wit: &str, names: &'a [Name]) -> Result<&'a str, EncodeError> {
    names.iter().find(|name| *name.wit == *wit).map(|name| &*name.json).ok_or(EncodeError::NotOfType)
}
