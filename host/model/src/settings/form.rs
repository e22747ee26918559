use serde_json::Value;

/// The form that a reply's words are to have: JSON of one schema. It binds the last word, not a turn that calls tools.
///
/// A provider's own API holds a model to it. Another server is asked only where nothing can be called: some hold the whole
/// reply to it, and their models could then call nothing. Where a server refuses it, it is left out, and what the prompt
/// says of the form has to do.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyForm {
    /// What it is called, `[a-zA-Z0-9_-]{1,64}`.
    pub name: &'static str,
    /// Its JSON Schema, an object in which every property is required and no other is allowed, as each API asks of one that
    /// it holds a model to.
    pub schema: Value,
}
