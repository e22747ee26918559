use serde_json::Value;

use crate::SettingProblem;

/// The most fields that can be added.
pub const MAX_BODY_FIELDS: usize = 32;

/// The fields that are set here for any of the protocols, and what to use instead. A role may be asked through each of them,
/// and a field of two meanings would be a trap.
const OWN: [(&str, Option<&str>); 22] = [
    ("model", Some("set the role's `model`")),
    ("messages", None),
    ("system", Some("set the role's `prompt`")),
    ("instructions", Some("set the role's `prompt`")),
    ("input", None),
    ("stream", None),
    ("stream_options", None),
    ("include", None),
    ("store", None),
    ("tools", Some("name the role's `tools`")),
    ("functions", Some("name the role's `tools`")),
    ("tool_choice", None),
    ("function_call", None),
    ("max_tokens", Some("set `max_output_tokens`")),
    ("max_completion_tokens", Some("set `max_output_tokens`")),
    ("max_output_tokens", Some("set it as a key of the role")),
    ("temperature", Some("set it as a key of the role")),
    ("reasoning_effort", Some("set `effort`")),
    ("reasoning", Some("set `effort`")),
    ("output_config", Some("set `effort`")),
    ("response_format", None),
    ("text", None),
];

/// Fields by which a provider is told to act by itself: to call servers, to search, to run code, to go on with a
/// conversation or prompt that is kept elsewhere, or to ask another model. What an agent can reach is the grant's to say.
const ACTING: [&str; 12] = [
    "background",
    "container",
    "conversation",
    "fallbacks",
    "mcp_servers",
    "models",
    "n",
    "plugins",
    "previous_response_id",
    "prompt",
    "route",
    "web_search_options",
];

/// Fields of the request's body besides those of the protocol, such as `service_tier` or `top_p`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtraBody(Vec<(String, Value)>);

impl ExtraBody {
    pub(super) const NONE: ExtraBody = ExtraBody(Vec::new());

    /// Adds a field.
    ///
    /// # Errors
    ///
    /// For one that remit sets itself, that is there already, or by which a provider would act on its own.
    pub fn add(&mut self, key: &str, value: Value) -> Result<(), SettingProblem> {
        let not_free = |instead| Err(SettingProblem::BodyNotFree { key: key.to_owned(), instead });
        if let Some((_, instead)) = OWN.iter().find(|(own, _)| *own == key) {
            return not_free(*instead);
        }
        if ACTING.contains(&key) {
            return not_free(Some("what an agent can reach is what its role grants"));
        }
        if self.0.iter().any(|(there, _)| there == key) {
            return not_free(None);
        }
        if self.0.len() == MAX_BODY_FIELDS {
            return Err(SettingProblem::TooManyFields);
        }
        self.0.push((key.to_owned(), value));
        Ok(())
    }

    /// Key and value of each, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_that_is_set_here_can_be_said_twice() {
        let mut body = ExtraBody::default();
        body.add("top_p", json!(0.5)).unwrap();
        for key in ["tools", "messages", "max_tokens", "store", "top_p", "mcp_servers", "n"] {
            let error = body.add(key, json!(1)).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{key}` is remit's to set")), "{error}");
        }
        let error = body.add("max_tokens", json!(1)).unwrap_err().to_string();
        assert_eq!(error, "`max_tokens` is remit's to set; set `max_output_tokens`");
        assert_eq!(body.iter().count(), 1);
    }
}
