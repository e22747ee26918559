use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use wasmtime::component::Val;

use super::error::{ArgumentError, Failure, Step, excerpt};
use super::json::{Kind, Reader};
use super::{NOT_FINITE, SOME};
use crate::shape::{Case, Field, Integer, Name, Shape};

/// The longest text of arguments that is looked at, in bytes.
const MAX_TEXT: usize = 4 << 20;

/// How many values one call's arguments may hold, each byte of a `list<u8>` counted. Three bytes of JSON are
/// enough for a record of a thousand absent options, so the text's length alone is no bound on memory.
const MAX_VALUES: usize = 1 << 20;

/// Models leave the padding out as often as not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Decodes a call's arguments, the text of a JSON object, to one value for each parameter in the order of the
/// signature. Empty text is an object without keys.
pub(crate) fn decode_arguments(params: &[Field], text: &str) -> Result<Vec<Val>, ArgumentError> {
    if text.len() > MAX_TEXT {
        return Err(ArgumentError::TooLarge { size: text.len(), limit: MAX_TEXT });
    }
    let text = if text.trim().is_empty() { "{}" } else { text };
    let mut decoder = Decoder { reader: Reader::new(text), left: MAX_VALUES };
    decoder.arguments(params).map_err(|failure| *failure)
}

struct Decoder<'a> {
    reader: Reader<'a>,
    /// How many more values there may be.
    left: usize,
}

impl Decoder<'_> {
    fn arguments(&mut self, params: &[Field]) -> Result<Vec<Val>, Failure> {
        if self.reader.peek()? != Kind::Object {
            let object = Shape::Record(Box::default());
            return Err(self.mismatch(&object).within(Step::Key("arguments")));
        }
        let values = self.fields(params)?;
        self.reader.end()?;
        Ok(values)
    }

    fn value(&mut self, shape: &Shape) -> Result<Val, Failure> {
        self.count(1)?;
        let kind = self.reader.peek()?;
        match (shape, kind) {
            (Shape::Bool, Kind::True) => self.reader.word("true").map(|()| Val::Bool(true)),
            (Shape::Bool, Kind::False) => self.reader.word("false").map(|()| Val::Bool(false)),
            (Shape::Integer(integer), Kind::Number) => self.integer(shape, *integer),
            (Shape::F32 | Shape::F64, Kind::Number | Kind::String) => self.float(shape),
            (Shape::Char, Kind::String) => {
                let text = self.reader.string()?;
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(only), None) => Ok(Val::Char(only)),
                    _ => Err(ArgumentError::mismatch(shape, quoted(&text))),
                }
            }
            (Shape::String, Kind::String) => Ok(Val::String(self.reader.string()?.into_owned())),
            (Shape::Bytes, Kind::String) => self.bytes(shape),
            (Shape::List(element), Kind::Array) => self.list(element),
            (Shape::Tuple(shapes), Kind::Array) => self.tuple(shape, shapes),
            (Shape::Record(fields), Kind::Object) => {
                let values = self.fields(fields)?;
                let names = fields.iter().map(|field| field.name.wit.to_string());
                Ok(Val::Record(names.zip(values).collect()))
            }
            (Shape::Enum(names), Kind::String) => {
                let text = self.reader.string()?;
                let name = names.iter().find(|name| *name.json == *text);
                let name = name.ok_or_else(|| ArgumentError::mismatch(shape, quoted(&text)))?;
                Ok(Val::Enum(name.wit.to_string()))
            }
            (Shape::Flags(names), Kind::Array) => self.flags(shape, names),
            (Shape::Variant(cases), Kind::String | Kind::Object) => {
                let (index, payload) = self.case(shape, cases, kind)?;
                Ok(Val::Variant(cases[index].name.wit.to_string(), payload.map(Box::new)))
            }
            (Shape::Result(cases), Kind::String | Kind::Object) => {
                let (index, payload) = self.case(shape, cases, kind)?;
                let payload = payload.map(Box::new);
                Ok(Val::Result(if index == 0 { Ok(payload) } else { Err(payload) }))
            }
            (Shape::Option(_), Kind::Null) => self.reader.word("null").map(|()| Val::Option(None)),
            (Shape::Option(inner), _) => {
                let inner = match **inner {
                    Shape::Option(_) => self.wrapped(shape, inner, kind)?,
                    _ => self.value(inner)?,
                };
                Ok(Val::Option(Some(Box::new(inner))))
            }
            _ => Err(self.mismatch(shape)),
        }
    }

    fn integer(&mut self, shape: &Shape, integer: Integer) -> Result<Val, Failure> {
        let text = self.reader.number()?;
        let value = match text.parse::<i128>() {
            Ok(value) => Some(value),
            // Some models write every number with a point.
            Err(_) => whole(text),
        };
        let value = value.and_then(|value| {
            Some(match integer {
                Integer::S8 => Val::S8(value.try_into().ok()?),
                Integer::U8 => Val::U8(value.try_into().ok()?),
                Integer::S16 => Val::S16(value.try_into().ok()?),
                Integer::U16 => Val::U16(value.try_into().ok()?),
                Integer::S32 => Val::S32(value.try_into().ok()?),
                Integer::U32 => Val::U32(value.try_into().ok()?),
                Integer::S64 => Val::S64(value.try_into().ok()?),
                Integer::U64 => Val::U64(value.try_into().ok()?),
            })
        });
        value.ok_or_else(|| ArgumentError::mismatch(shape, excerpt(text)))
    }

    fn float(&mut self, shape: &Shape) -> Result<Val, Failure> {
        let is_wide = *shape == Shape::F64;
        if self.reader.peek()? == Kind::String {
            let text = self.reader.string()?;
            let named = NOT_FINITE.iter().find(|(name, _)| *name == text);
            let &(_, value) = named.ok_or_else(|| ArgumentError::mismatch(shape, quoted(&text)))?;
            // NaN and the infinities are in both types.
            return Ok(if is_wide { Val::Float64(value) } else { Val::Float32(value as f32) });
        }
        let text = self.reader.number()?;
        // Each is parsed from the text: by way of the wider type it would be rounded twice.
        let value = if is_wide {
            text.parse().ok().filter(|value: &f64| value.is_finite()).map(Val::Float64)
        } else {
            text.parse().ok().filter(|value: &f32| value.is_finite()).map(Val::Float32)
        };
        value.ok_or_else(|| ArgumentError::mismatch(shape, excerpt(text)))
    }

    fn bytes(&mut self, shape: &Shape) -> Result<Val, Failure> {
        let text = self.reader.string()?;
        let bytes = BASE64.decode(&*text).map_err(|_| ArgumentError::mismatch(shape, quoted(&text)))?;
        self.count(bytes.len())?;
        Ok(Val::List(bytes.into_iter().map(Val::U8).collect()))
    }

    fn list(&mut self, element: &Shape) -> Result<Val, Failure> {
        let mut values = Vec::new();
        self.reader.open_array()?;
        while self.reader.has_element(values.len())? {
            values.push(self.value(element).map_err(|failure| failure.within(Step::Index(values.len())))?);
        }
        Ok(Val::List(values))
    }

    fn tuple(&mut self, shape: &Shape, shapes: &[Shape]) -> Result<Val, Failure> {
        let mut values = Vec::with_capacity(shapes.len());
        self.reader.open_array()?;
        while self.reader.has_element(values.len())? {
            let index = values.len();
            let Some(element) = shapes.get(index) else {
                return Err(ArgumentError::mismatch(shape, "a longer one".to_owned()));
            };
            values.push(self.value(element).map_err(|failure| failure.within(Step::Index(index)))?);
        }
        match values.len() {
            length if length == shapes.len() => Ok(Val::Tuple(values)),
            length => Err(ArgumentError::mismatch(shape, format!("an array of {length}"))),
        }
    }

    fn flags(&mut self, shape: &Shape, names: &[Name]) -> Result<Val, Failure> {
        let mut is_set = vec![false; names.len()];
        let mut index = 0;
        self.reader.open_array()?;
        while self.reader.has_element(index)? {
            let flag = self.flag(names).map_err(|failure| failure.within(Step::Index(index)))?;
            if std::mem::replace(&mut is_set[flag], true) {
                let found = format!("\"{}\" twice", names[flag].json);
                return Err(ArgumentError::mismatch(shape, found));
            }
            index += 1;
        }
        let set = names.iter().zip(is_set).filter(|(_, is_set)| *is_set);
        Ok(Val::Flags(set.map(|(name, _)| name.wit.to_string()).collect()))
    }

    fn flag(&mut self, names: &[Name]) -> Result<usize, Failure> {
        let one = || Shape::Enum(names.into());
        if self.reader.peek()? != Kind::String {
            return Err(self.mismatch(&one()));
        }
        let text = self.reader.string()?;
        let flag = names.iter().position(|name| *name.json == *text);
        flag.ok_or_else(|| ArgumentError::mismatch(&one(), quoted(&text)))
    }

    /// Which case it is, and its payload.
    fn case(&mut self, shape: &Shape, cases: &[Case], kind: Kind) -> Result<(usize, Option<Val>), Failure> {
        if kind == Kind::String {
            let text = self.reader.string()?;
            let case = cases.iter().position(|case| *case.name.json == *text && case.payload.is_none());
            let case = case.ok_or_else(|| ArgumentError::mismatch(shape, quoted(&text)))?;
            return Ok((case, None));
        }
        let find = |key: &str| {
            let index = cases.iter().position(|case| *case.name.json == *key)?;
            Some((index, cases[index].payload.as_ref()?))
        };
        let (index, payload) = self.only_key(shape, find)?;
        Ok((index, Some(payload)))
    }

    /// The value of an option within an option.
    fn wrapped(&mut self, shape: &Shape, inner: &Shape, kind: Kind) -> Result<Val, Failure> {
        if kind != Kind::Object {
            return Err(self.mismatch(shape));
        }
        let ((), value) = self.only_key(shape, |key| (key == SOME).then_some(((), inner)))?;
        Ok(value)
    }

    /// Reads an object of one key. `find` knows the keys that there may be, and what is expected there.
    fn only_key<'s, K>(
        &mut self,
        shape: &Shape,
        find: impl FnOnce(&str) -> Option<(K, &'s Shape)>,
    ) -> Result<(K, Val), Failure> {
        self.reader.open_object()?;
        let Some(key) = self.reader.next_key(0)? else {
            return Err(ArgumentError::mismatch(shape, "an empty object".to_owned()));
        };
        let Some((found, inner)) = find(&key) else {
            return Err(ArgumentError::mismatch(shape, format!("{{{}: …}}", quoted(&key))));
        };
        let value = self.value(inner).map_err(|failure| failure.within(Step::Key(&key)))?;
        match self.reader.next_key(1)? {
            None => Ok((found, value)),
            Some(_) => Err(ArgumentError::mismatch(shape, "an object with several keys".to_owned())),
        }
    }

    /// The values of a record's fields, in the record's order, whatever order they came in.
    fn fields(&mut self, fields: &[Field]) -> Result<Vec<Val>, Failure> {
        self.count(fields.len())?;
        let mut values: Vec<Option<Val>> = Vec::new();
        values.resize_with(fields.len(), || None);
        let mut read = 0;
        // Keys mostly come in the order in which they are declared.
        let mut likely = 0;
        self.reader.open_object()?;
        while let Some(key) = self.reader.next_key(read)? {
            let is_it = |field: &Field| *field.name.json == *key;
            let index = match fields.get(likely) {
                Some(field) if is_it(field) => likely,
                _ => fields
                    .iter()
                    .position(is_it)
                    .ok_or_else(|| ArgumentError::unknown(&key, fields.iter().map(|field| &field.name)))?,
            };
            let Field { name, shape } = &fields[index];
            if values[index].is_some() {
                return Err(ArgumentError::duplicate(name));
            }
            let value = self.value(shape).map_err(|failure| failure.within(Step::Key(&name.json)))?;
            values[index] = Some(value);
            likely = index + 1;
            read += 1;
        }
        let or_none = |(value, field): (Option<Val>, &Field)| match (value, &field.shape) {
            (Some(value), _) => Ok(value),
            (None, Shape::Option(_)) => Ok(Val::Option(None)),
            (None, shape) => Err(ArgumentError::missing(&field.name, shape)),
        };
        values.into_iter().zip(fields).map(or_none).collect()
    }

    fn mismatch(&mut self, shape: &Shape) -> Failure {
        match self.found() {
            Ok(found) => ArgumentError::mismatch(shape, found),
            Err(failure) => failure,
        }
    }

    /// The next value in a few words.
    fn found(&mut self) -> Result<String, Failure> {
        Ok(match self.reader.peek()? {
            Kind::Object => "an object".to_owned(),
            Kind::Array => "an array".to_owned(),
            Kind::String => quoted(&self.reader.string()?),
            Kind::Number => excerpt(self.reader.number()?),
            Kind::True => self.reader.word("true").map(|()| "true".to_owned())?,
            Kind::False => self.reader.word("false").map(|()| "false".to_owned())?,
            Kind::Null => self.reader.word("null").map(|()| "null".to_owned())?,
        })
    }

    fn count(&mut self, values: usize) -> Result<(), Failure> {
        match self.left.checked_sub(values) {
            Some(left) => self.left = left,
            None => return Err(Box::new(ArgumentError::TooManyValues { limit: MAX_VALUES })),
        }
        Ok(())
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", excerpt(text))
}

/// A number that is written with a fraction or an exponent and has none. Beyond 2⁵³ it could not be told.
fn whole(text: &str) -> Option<i128> {
    const EXACT: f64 = (1_u64 << 53) as f64;
    let value: f64 = text.parse().ok()?;
    (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i128)
}
