//! The types of a tool's parameters and result, as the schema and the codec need them.
//!
//! A component's own type handles convert names and count references with each look. A [`Shape`] is made
//! once, when the component is loaded; whatever cannot cross between JSON and a component is refused then.

use wasmtime::component::{Type, types};

/// How deep types may nest. The codec and the schema recurse that deep.
pub(crate) const MAX_DEPTH: usize = 32;

/// How many bytes the names and parts of one function's types may take. A type that is named twice is written
/// out twice in a schema, so a few lines of WIT can describe gigabytes.
pub(crate) const MAX_SIZE: usize = 256 << 10;

/// What a part costs of [`MAX_SIZE`] beside its name: about what `{"type":"string"}` takes.
const PART_SIZE: usize = 16;

/// A type whose values have a form in JSON; the module [`codec`](crate::codec) says which.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Bool,
    Integer(Integer),
    F32,
    F64,
    Char,
    String,
    /// `list<u8>`
    Bytes,
    List(Box<Shape>),
    Record(Box<[Field]>),
    Tuple(Box<[Shape]>),
    Variant(Box<[Case]>),
    Enum(Box<[Name]>),
    Option(Box<Shape>),
    /// The cases `ok` and `err`, in this order.
    Result(Box<[Case]>),
    Flags(Box<[Name]>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Integer {
    S8,
    U8,
    S16,
    U16,
    S32,
    U32,
    S64,
    U64,
}

/// A field of a record, or a parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) shape: Shape,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) name: Name,
    pub(crate) payload: Option<Shape>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Name {
    /// As in the WIT: `max-lines`.
    pub(crate) wit: Box<str>,
    /// As a model sees it: `max_lines`. Names in WIT differ in more than case and have no `_`, so two of them
    /// never become one.
    pub(crate) json: Box<str>,
}

/// Why a function cannot be a tool.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Unsupported {
    #[error("its signature has {0}, which cannot cross between JSON and a component")]
    Kind(&'static str),
    #[error("its types nest deeper than {MAX_DEPTH} levels")]
    TooDeep,
    #[error("its types take more than {} KiB to describe", MAX_SIZE >> 10)]
    TooLarge,
}

impl Name {
    pub(crate) fn new(wit: &str) -> Name {
        Name { wit: wit.into(), json: snake_case(wit).into() }
    }
}

/// `read-file` as `read_file`.
pub(crate) fn snake_case(kebab: &str) -> String {
    kebab.chars().map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

impl Integer {
    /// The least and the greatest value.
    pub(crate) fn bounds(self) -> (i128, i128) {
        match self {
            Integer::S8 => (i8::MIN.into(), i8::MAX.into()),
            Integer::U8 => (0, u8::MAX.into()),
            Integer::S16 => (i16::MIN.into(), i16::MAX.into()),
            Integer::U16 => (0, u16::MAX.into()),
            Integer::S32 => (i32::MIN.into(), i32::MAX.into()),
            Integer::U32 => (0, u32::MAX.into()),
            Integer::S64 => (i64::MIN.into(), i64::MAX.into()),
            Integer::U64 => (0, u64::MAX.into()),
        }
    }
}

/// Makes the shapes of one function's types, within one allowance.
pub(crate) struct Shaper {
    left: usize,
}

impl Shaper {
    pub(crate) fn new() -> Shaper {
        Shaper { left: MAX_SIZE }
    }

    pub(crate) fn field(&mut self, name: &str, ty: &Type) -> Result<Field, Unsupported> {
        self.field_at(name, ty, 0)
    }

    pub(crate) fn shape(&mut self, ty: &Type) -> Result<Shape, Unsupported> {
        self.shape_at(ty, 0)
    }

    fn shape_at(&mut self, ty: &Type, depth: usize) -> Result<Shape, Unsupported> {
        if depth == MAX_DEPTH {
            return Err(Unsupported::TooDeep);
        }
        let inner = depth + 1;
        self.take(PART_SIZE)?;
        Ok(match ty {
            Type::Bool => Shape::Bool,
            Type::S8 => Shape::Integer(Integer::S8),
            Type::U8 => Shape::Integer(Integer::U8),
            Type::S16 => Shape::Integer(Integer::S16),
            Type::U16 => Shape::Integer(Integer::U16),
            Type::S32 => Shape::Integer(Integer::S32),
            Type::U32 => Shape::Integer(Integer::U32),
            Type::S64 => Shape::Integer(Integer::S64),
            Type::U64 => Shape::Integer(Integer::U64),
            Type::Float32 => Shape::F32,
            Type::Float64 => Shape::F64,
            Type::Char => Shape::Char,
            Type::String => Shape::String,
            Type::List(list) => match list.ty() {
                Type::U8 => Shape::Bytes,
                element => Shape::List(Box::new(self.shape_at(&element, inner)?)),
            },
            Type::Record(record) => Shape::Record(
                record
                    .fields()
                    .map(|field| self.field_at(field.name, &field.ty, inner))
                    .collect::<Result<_, _>>()?,
            ),
            Type::Tuple(tuple) => {
                Shape::Tuple(tuple.types().map(|ty| self.shape_at(&ty, inner)).collect::<Result<_, _>>()?)
            }
            Type::Variant(variant) => Shape::Variant(
                variant
                    .cases()
                    .map(|case| self.case_at(case.name, case.ty, inner))
                    .collect::<Result<_, _>>()?,
            ),
            Type::Enum(cases) => Shape::Enum(self.names(cases.names())?),
            Type::Flags(flags) => Shape::Flags(self.names(flags.names())?),
            Type::Option(option) => Shape::Option(Box::new(self.shape_at(&option.ty(), inner)?)),
            Type::Result(result) => Shape::Result(self.result_cases(result, inner)?),
            Type::Own(_) | Type::Borrow(_) => return Err(Unsupported::Kind("a resource")),
            Type::Stream(_) => return Err(Unsupported::Kind("a stream")),
            Type::Future(_) => return Err(Unsupported::Kind("a future")),
            Type::ErrorContext => return Err(Unsupported::Kind("an error context")),
            Type::Map(_) => return Err(Unsupported::Kind("a map")),
            Type::FixedLengthList(_) => return Err(Unsupported::Kind("a list of fixed length")),
        })
    }

    fn field_at(&mut self, name: &str, ty: &Type, depth: usize) -> Result<Field, Unsupported> {
        Ok(Field { name: self.name(name)?, shape: self.shape_at(ty, depth)? })
    }

    fn case_at(&mut self, name: &str, ty: Option<Type>, depth: usize) -> Result<Case, Unsupported> {
        let payload = ty.map(|ty| self.shape_at(&ty, depth)).transpose()?;
        Ok(Case { name: self.name(name)?, payload })
    }

    fn result_cases(&mut self, ty: &types::ResultType, depth: usize) -> Result<Box<[Case]>, Unsupported> {
        Ok(Box::new([self.case_at("ok", ty.ok(), depth)?, self.case_at("err", ty.err(), depth)?]))
    }

    fn names<'a>(&mut self, names: impl Iterator<Item = &'a str>) -> Result<Box<[Name]>, Unsupported> {
        names.map(|name| self.name(name)).collect()
    }

    fn name(&mut self, wit: &str) -> Result<Name, Unsupported> {
        self.take(wit.len())?;
        Ok(Name::new(wit))
    }

    fn take(&mut self, size: usize) -> Result<(), Unsupported> {
        self.left = self.left.checked_sub(size).ok_or(Unsupported::TooLarge)?;
        Ok(())
    }
}
