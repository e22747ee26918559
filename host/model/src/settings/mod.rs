//! How a model is asked, whatever it is asked about.

mod body;
mod effort;
mod form;
mod headers;
mod temperature;

use thiserror::Error;

pub use body::{ExtraBody, MAX_BODY_FIELDS};
pub use effort::Effort;
pub use form::ReplyForm;
pub use headers::{ExtraHeaders, MAX_HEADER_BYTES, MAX_HEADERS};
pub use temperature::Temperature;

/// How a model is asked, the same for every request of an agent. Whatever is left out, the provider decides.
///
/// A server that refuses a temperature or an effort is asked without it from then on, and the first reply after that says
/// so; what is in `headers` and `body` is never left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The longest reply to ask for, in tokens.
    pub max_output_tokens: Option<u64>,
    /// How much of a reply is chance.
    pub temperature: Option<Temperature>,
    /// How much the model thinks before it answers.
    pub effort: Option<Effort>,
    /// Header fields besides those of the protocol.
    pub headers: ExtraHeaders,
    /// Fields of the request's body besides those of the protocol.
    pub body: ExtraBody,
}

impl Settings {
    /// Nothing is set.
    pub fn plain() -> &'static Settings {
        static PLAIN: Settings = Settings {
            max_output_tokens: None,
            temperature: None,
            effort: None,
            headers: ExtraHeaders::NONE,
            body: ExtraBody::NONE,
        };
        &PLAIN
    }
}

/// Why a setting can't be one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SettingProblem {
    /// A header field's name with characters that no name has.
    #[error("`{0}` is no name of a header field")]
    HeaderName(String),
    /// A header field that remit sets itself, or that says who asks.
    #[error("`{0}` may not be set here: {1}")]
    HeaderNotFree(String, &'static str),
    /// A header field's value with control characters, or too long.
    #[error("the value of `{0}` must be visible ASCII of at most {MAX_HEADER_BYTES} characters")]
    HeaderValue(String),
    /// Too many header fields.
    #[error("at most {MAX_HEADERS} header fields can be added")]
    TooManyHeaders,
    /// A field of the body that remit sets itself.
    #[error("`{key}` is remit's to set{}", .instead.map(|instead| format!("; {instead}")).unwrap_or_default())]
    BodyNotFree {
        /// The field.
        key: String,
        /// What to do instead.
        instead: Option<&'static str>,
    },
    /// Too many fields.
    #[error("at most {MAX_BODY_FIELDS} fields can be added")]
    TooManyFields,
    /// A temperature out of range.
    #[error("a temperature is a number from 0 to {}", Temperature::MOST)]
    Temperature,
    /// An effort that there is not.
    #[error("expected one of {}, found `{found}`", Effort::ALL.map(Effort::as_str).join(", "))]
    Effort {
        /// What is written.
        found: String,
    },
}
