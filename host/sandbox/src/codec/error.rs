use std::fmt::Write;

use remit_pack::inert;

use crate::shape::{Name, Shape};

/// How many of a list of names an error repeats.
const MAX_LISTED: usize = 20;

/// How many characters of what was found an error repeats.
const MAX_FOUND: usize = 40;

/// Why a tool's arguments cannot be used. Its text is for the model that sent them: where, what was expected,
/// and what was found instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The text is not JSON.
    #[error("the arguments are not valid JSON: {problem} at line {line}, column {column}")]
    Syntax {
        /// What was expected.
        problem: &'static str,
        /// Counted from 1.
        line: usize,
        /// In characters, counted from 1.
        column: usize,
    },
    /// A value is not of the parameter's type.
    #[error("{path}: expected {expected}, found {found}")]
    Mismatch {
        /// For example `options.kinds[0]`.
        path: String,
        /// For example `an integer from 0 to 255`.
        expected: String,
        /// The beginning of the value, as it was written.
        found: String,
    },
    /// A required parameter or field is not there.
    #[error("{path}: missing, expected {expected}")]
    Missing {
        /// Its place.
        path: String,
        /// What it should have been.
        expected: String,
    },
    /// A key that stands for nothing.
    #[error("{path}: unknown, {hint}")]
    Unknown {
        /// Its place.
        path: String,
        /// The nearest key that is known, or all of them.
        hint: String,
    },
    /// A key that is there twice.
    #[error("{path}: given more than once")]
    Duplicate {
        /// Its place.
        path: String,
    },
    /// The text is longer than anything that a call may bring.
    #[error("the arguments take {size} bytes, and {limit} are allowed")]
    TooLarge {
        /// The text's size in bytes.
        size: usize,
        /// The size that is allowed.
        limit: usize,
    },
    /// The text is short enough, and what it stands for is not.
    #[error("the arguments hold more than {limit} values")]
    TooManyValues {
        /// How many are allowed.
        limit: usize,
    },
}

/// Boxed, because results that carry it are moved at every value.
pub(super) type Failure = Box<ArgumentError>;

/// Where in a value something is. Paths are put together from the inside out, once something has failed.
#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl ArgumentError {
    pub(super) fn mismatch(shape: &Shape, found: String) -> Failure {
        Box::new(ArgumentError::Mismatch { path: String::new(), expected: expected(shape), found })
    }

    pub(super) fn missing(name: &Name, shape: &Shape) -> Failure {
        Box::new(ArgumentError::Missing { path: name.json.to_string(), expected: expected(shape) })
    }

    pub(super) fn duplicate(name: &Name) -> Failure {
        Box::new(ArgumentError::Duplicate { path: name.json.to_string() })
    }

    pub(super) fn unknown<'a>(key: &str, known: impl Iterator<Item = &'a Name>) -> Failure {
        let known: Vec<&str> = known.map(|name| &*name.json).collect();
        let hint = match nearest(key, &known) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None if known.is_empty() => "nothing is expected here".to_owned(),
            None => format!("expected {}", one_of(known.iter().map(|name| format!("`{name}`")))),
        };
        Box::new(ArgumentError::Unknown { path: excerpt(key), hint })
    }

    /// The same error, seen from one level further out.
    pub(super) fn within(mut self: Box<Self>, step: Step<'_>) -> Failure {
        if let ArgumentError::Mismatch { path, .. }
        | ArgumentError::Missing { path, .. }
        | ArgumentError::Unknown { path, .. }
        | ArgumentError::Duplicate { path } = &mut *self
        {
            let mut outer = match step {
                Step::Key(key) => key.to_owned(),
                Step::Index(index) => format!("[{index}]"),
            };
            if !path.is_empty() && !path.starts_with('[') {
                outer.push('.');
            }
            outer.push_str(path);
            *path = outer;
        }
        self
    }
}

/// The beginning of what a model wrote, safe to show.
pub(super) fn excerpt(text: &str) -> String {
    let mut shown = match text.char_indices().nth(MAX_FOUND) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    if let std::borrow::Cow::Owned(harmless) = inert(&shown) {
        shown = harmless;
    }
    // An error is one line.
    shown.replace('\n', "\\n")
}

fn expected(shape: &Shape) -> String {
    match shape {
        Shape::Bool => "true or false".into(),
        Shape::Integer(kind) => {
            let (min, max) = kind.bounds();
            format!("an integer from {min} to {max}")
        }
        Shape::F32 => "a number that fits in 32 bits".into(),
        Shape::F64 => "a number that fits in 64 bits".into(),
        Shape::Char => "a string of one character".into(),
        Shape::String => "a string".into(),
        Shape::Bytes => "a string of base64".into(),
        Shape::List(_) => "an array".into(),
        Shape::Record(_) => "an object".into(),
        Shape::Tuple(shapes) => format!("an array of {}", shapes.len()),
        Shape::Enum(names) => one_of(names.iter().map(|name| format!("\"{}\"", name.json))),
        Shape::Variant(cases) | Shape::Result(cases) => one_of(cases.iter().map(|case| match case.payload {
            None => format!("\"{}\"", case.name.json),
            Some(_) => format!("{{\"{}\": …}}", case.name.json),
        })),
        Shape::Flags(names) => {
            format!("an array of any of {}", listed(names.iter().map(|name| format!("\"{}\"", name.json))))
        }
        Shape::Option(inner) => match **inner {
            Shape::Option(_) => "null or {\"some\": …}".into(),
            ref inner => format!("{} or null", expected(inner)),
        },
    }
}

fn one_of(forms: impl ExactSizeIterator<Item = String>) -> String {
    let only = forms.len() == 1;
    let forms = listed(forms);
    if only { forms } else { format!("one of {forms}") }
}

fn listed(items: impl ExactSizeIterator<Item = String>) -> String {
    let more = items.len().saturating_sub(MAX_LISTED);
    let mut list = items.take(MAX_LISTED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        // Writing to a string cannot fail.
        let _ = write!(list, " and {more} more");
    }
    list
}

/// The known name that a mistyped one most likely means.
fn nearest<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    // Comparing takes the product of both lengths.
    if key.len() > 64 {
        return None;
    }
    let plain = |name: &str| name.replace(['_', '-', ' '], "").to_lowercase();
    let key = plain(key);
    let near = key.chars().count() / 3;
    known
        .iter()
        .filter(|name| name.len() <= 64)
        .map(|name| (strsim::osa_distance(&key, &plain(name)), *name))
        .filter(|&(distance, _)| distance <= near.max(1))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}
