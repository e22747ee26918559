//! Any shape, and any value of it.

use proptest::prelude::*;
use proptest::sample::subsequence;
use wasmtime::component::Val;

use crate::shape::{Case, Field, Integer, Name, Shape};

pub(crate) fn any_shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::Bool),
        prop_oneof![
            Just(Integer::S8),
            Just(Integer::U8),
            Just(Integer::S16),
            Just(Integer::U16),
            Just(Integer::S32),
            Just(Integer::U32),
            Just(Integer::S64),
            Just(Integer::U64),
        ]
        .prop_map(Shape::Integer),
        Just(Shape::F32),
        Just(Shape::F64),
        Just(Shape::Char),
        Just(Shape::String),
        Just(Shape::Bytes),
        (1..5_usize).prop_map(|count| Shape::Enum(numbered(count))),
        (1..40_usize).prop_map(|count| Shape::Flags(numbered(count))),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        let cases = |payloads: Vec<Option<Shape>>| -> Box<[Case]> {
            let cases = payloads.into_iter().zip(numbered(9));
            cases.map(|(payload, name)| Case { name, payload }).collect()
        };
        let payload = prop::option::of(inner.clone());
        prop_oneof![
            inner.clone().prop_map(|element| match element {
                Shape::Integer(Integer::U8) => Shape::Bytes,
                element => Shape::List(Box::new(element)),
            }),
            inner.clone().prop_map(|inner| Shape::Option(Box::new(inner))),
            prop::collection::vec(inner.clone(), 1..5).prop_map(|shapes| Shape::Tuple(shapes.into())),
            prop::collection::vec(inner, 1..5).prop_map(|shapes| {
                let fields = shapes.into_iter().zip(numbered(9));
                Shape::Record(fields.map(|(shape, name)| Field { name, shape }).collect())
            }),
            prop::collection::vec(payload.clone(), 1..5)
                .prop_map(move |payloads| Shape::Variant(cases(payloads))),
            (payload.clone(), payload).prop_map(|(ok, err)| {
                let case = |name, payload| Case { name: Name::new(name), payload };
                Shape::Result(Box::new([case("ok", ok), case("err", err)]))
            }),
        ]
    })
}

fn numbered(count: usize) -> Box<[Name]> {
    (0..count).map(|index| Name::new(&format!("the-name{index}"))).collect()
}

/// A value of that shape, as a component would take or return it.
pub(super) fn any_value(shape: &Shape) -> BoxedStrategy<Val> {
    match shape.clone() {
        Shape::Bool => any::<bool>().prop_map(Val::Bool).boxed(),
        Shape::Integer(Integer::S8) => any::<i8>().prop_map(Val::S8).boxed(),
        Shape::Integer(Integer::U8) => any::<u8>().prop_map(Val::U8).boxed(),
        Shape::Integer(Integer::S16) => any::<i16>().prop_map(Val::S16).boxed(),
        Shape::Integer(Integer::U16) => any::<u16>().prop_map(Val::U16).boxed(),
        Shape::Integer(Integer::S32) => any::<i32>().prop_map(Val::S32).boxed(),
        Shape::Integer(Integer::U32) => any::<u32>().prop_map(Val::U32).boxed(),
        Shape::Integer(Integer::S64) => any::<i64>().prop_map(Val::S64).boxed(),
        Shape::Integer(Integer::U64) => any::<u64>().prop_map(Val::U64).boxed(),
        Shape::F32 => prop::num::f32::ANY.prop_map(Val::Float32).boxed(),
        Shape::F64 => prop::num::f64::ANY.prop_map(Val::Float64).boxed(),
        Shape::Char => any::<char>().prop_map(Val::Char).boxed(),
        Shape::String => any::<String>().prop_map(Val::String).boxed(),
        Shape::Bytes => {
            prop::collection::vec(any::<u8>().prop_map(Val::U8), 0..9).prop_map(Val::List).boxed()
        }
        Shape::List(element) => prop::collection::vec(any_value(&element), 0..4).prop_map(Val::List).boxed(),
        Shape::Tuple(shapes) => all(shapes.iter()).prop_map(Val::Tuple).boxed(),
        Shape::Record(fields) => all(fields.iter().map(|field| &field.shape))
            .prop_map(move |values| {
                let names = fields.iter().map(|field| field.name.wit.to_string());
                Val::Record(names.zip(values).collect())
            })
            .boxed(),
        Shape::Enum(names) => {
            (0..names.len()).prop_map(move |index| Val::Enum(names[index].wit.to_string())).boxed()
        }
        Shape::Flags(names) => {
            let names: Vec<String> = names.iter().map(|name| name.wit.to_string()).collect();
            let count = 0..=names.len();
            subsequence(names, count).prop_map(Val::Flags).boxed()
        }
        Shape::Variant(cases) => (0..cases.len())
            .prop_flat_map(move |index| {
                let name = cases[index].name.wit.to_string();
                any_payload(&cases[index]).prop_map(move |payload| Val::Variant(name.clone(), payload))
            })
            .boxed(),
        Shape::Result(cases) => prop_oneof![
            any_payload(&cases[0]).prop_map(|ok| Val::Result(Ok(ok))),
            any_payload(&cases[1]).prop_map(|err| Val::Result(Err(err))),
        ]
        .boxed(),
        Shape::Option(inner) => {
            prop::option::of(any_value(&inner).prop_map(Box::new)).prop_map(Val::Option).boxed()
        }
    }
}

fn any_payload(case: &Case) -> BoxedStrategy<Option<Box<Val>>> {
    match &case.payload {
        Some(shape) => any_value(shape).prop_map(|value| Some(Box::new(value))).boxed(),
        None => Just(None).boxed(),
    }
}

/// One value for each shape.
fn all<'a>(shapes: impl Iterator<Item = &'a Shape>) -> BoxedStrategy<Vec<Val>> {
    shapes.map(any_value).collect::<Vec<_>>().boxed()
}

pub(super) fn shape_and_value() -> impl Strategy<Value = (Shape, Val)> {
    any_shape().prop_flat_map(|shape| (Just(shape.clone()), any_value(&shape)))
}
