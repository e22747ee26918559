//! Gives back what it is given, in every type that an interface can name.

#[path = "../src/bindings/menagerie.rs"]
mod bindings;

use bindings::exports::test::guest::zoo::{Abilities, Animal, Diet, Guest, Point, Shape};

struct Zoo;

/// A function that returns its argument.
macro_rules! echo {
    ($($name:ident: $kind:ty;)*) => {
        $(fn $name(value: $kind) -> $kind {
            value
        })*
    };
}

impl Guest for Zoo {
    echo! {
        echo_bool: bool;
        echo_u8: u8;
        echo_u16: u16;
        echo_u32: u32;
        echo_u64: u64;
        echo_s8: i8;
        echo_s16: i16;
        echo_s32: i32;
        echo_s64: i64;
        echo_f32: f32;
        echo_f64: f64;
        echo_char: char;
        echo_string: String;
        echo_bytes: Vec<u8>;
        echo_numbers: Vec<u16>;
        echo_strings: Vec<String>;
        echo_tuple: (bool, String, u8);
        echo_option: Option<String>;
        echo_nested_option: Option<Option<String>>;
        echo_point: Point;
        echo_diet: Diet;
        echo_abilities: Abilities;
        echo_shape: Shape;
        echo_animal: Animal;
        echo_animals: Vec<Animal>;
    }

    fn echo_result(value: Result<String, u8>) -> (Result<String, u8>,) {
        (value,)
    }

    fn echo_empty_result(value: Result<(), ()>) -> (Result<(), ()>,) {
        (value,)
    }

    fn several(first: String, second: Option<u32>, third: Vec<Diet>) -> String {
        format!("{first} {second:?} {third:?}")
    }

    fn nothing() {}

    fn fail(value: Animal) -> Result<u32, Animal> {
        Err(value)
    }
}

bindings::export!(Zoo with_types_in bindings);
