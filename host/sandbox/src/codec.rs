//! JSON ↔ component values.
//!
//! The codec is the check of a tool's arguments: what it decodes fits the function's types, and whatever the
//! [schema](crate::schema) allows can be decoded. Both directions use the same forms, and what is encoded
//! decodes to the same value.
//!
//! | WIT | JSON |
//! |---|---|
//! | `bool`, `string` | as they are |
//! | `s8` … `u64` | a number without a fraction, exact to 64 bits |
//! | `f32`, `f64` | a number, or `"NaN"`, `"Infinity"`, `"-Infinity"` |
//! | `char` | a string of one character |
//! | `list<u8>` | a string of base64 |
//! | `list`, `tuple` | an array |
//! | `record` | an object; names in snake_case here and everywhere |
//! | `enum` | a string |
//! | `flags` | an array of strings |
//! | `variant` | `"case"` without a payload, `{"case": payload}` with one |
//! | `result` | a variant of `ok` and `err` |
//! | `option<T>` | `null`, or the form of `T`; as a field or parameter it may also be left out |
//! | `option<option<T>>` | `null`, or `{"some": …}` around the form of `option<T>` |

mod decode;
mod encode;
mod error;
mod json;

pub(crate) use decode::decode_arguments;
#[cfg(test)]
use encode::ResultText;
pub(crate) use encode::{EncodeError, encode_result};
pub use error::ArgumentError;

/// The key around a value of an option within an option, which would not differ from none without it.
pub(crate) const SOME: &str = "some";

/// The numbers that JSON has no form for.
pub(crate) const NOT_FINITE: [(&str, f64); 3] =
    [("NaN", f64::NAN), ("Infinity", f64::INFINITY), ("-Infinity", f64::NEG_INFINITY)];

#[cfg(test)]
pub(crate) mod tests;
