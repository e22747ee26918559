//! The body of a request, put together so that what does not change between turns comes first: whatever the protocol, the
//! next request of an agent begins byte for byte like its last one, up to the end of that one's messages.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::Protocol;
use crate::chat::{Request, ToolChoice};
use crate::refusals::{Refused, Wish};

/// What a body has besides messages, tools and prompt, in bytes; about.
const REST: usize = 1024;

/// A JSON object whose fields are appended.
pub(crate) struct Body(Vec<u8>);

impl Body {
    /// With the fields that every protocol begins with, and room for those of `request`.
    pub(crate) fn begin(model: &str, request: &Request<'_>, tools: &Bytes, messages: &[Bytes]) -> Body {
        let length: usize = messages.iter().map(|message| message.len() + 40).sum();
        let bytes = Vec::with_capacity(length + tools.len() + 2 * request.system.len() + REST);
        let mut body = Body(bytes);
        body.0.extend_from_slice(b"{\"model\":");
        body.append(json!(model).to_string());
        body.field("stream", "true");
        body
    }

    /// Appends bytes as they are.
    pub(crate) fn append(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.extend_from_slice(bytes.as_ref());
    }

    /// Appends a field. `key` needs no escape.
    pub(crate) fn field(&mut self, key: &str, json: impl AsRef<[u8]>) {
        self.append(format!(",\"{key}\":"));
        self.append(json);
    }

    /// The tools, if there are any.
    pub(crate) fn tools(&mut self, request: &Request<'_>, tools: &Bytes) {
        if !request.tools.specs().is_empty() {
            self.field("tools", tools);
        }
    }

    /// An array of JSON values.
    pub(crate) fn array<'a>(&mut self, key: &str, values: impl Iterator<Item = &'a [u8]>) {
        self.field(key, "[");
        for (place, value) in values.enumerate() {
            if place > 0 {
                self.append(",");
            }
            self.append(value);
        }
        self.append("]");
    }

    /// That nothing may be called, in a protocol's words. An API refuses a choice where there is nothing to choose from.
    pub(crate) fn tool_choice(&mut self, request: &Request<'_>, none: &str) {
        if request.tool_choice == ToolChoice::None && !request.tools.specs().is_empty() {
            self.field("tool_choice", none);
        }
    }

    /// What the settings say and every protocol calls the same.
    pub(crate) fn settings(&mut self, request: &Request<'_>, refused: Refused) {
        if let Some(temperature) = request.settings.temperature.filter(|_| !refused.has(Wish::Temperature)) {
            self.field("temperature", temperature.to_string());
        }
        for (key, value) in request.settings.body.iter() {
            self.append(",");
            self.append(json!(key).to_string());
            self.append(":");
            self.append(value.to_string());
        }
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.append("}");
        self.0
    }
}

/// The effort to ask for, in the words of `protocol`.
pub(crate) fn effort(request: &Request<'_>, protocol: Protocol, refused: Refused) -> Option<&'static str> {
    let effort = request.settings.effort.filter(|_| !refused.has(Wish::Effort))?;
    Some(effort.on_the_wire(protocol))
}

/// The form to ask for: its name and schema.
pub(crate) fn form<'a>(
    request: &Request<'a>,
    is_own: bool,
    refused: Refused,
) -> Option<(&'static str, &'a Value)> {
    let form = request.form.filter(|_| !refused.has(Wish::Form))?;
    let can_call = request.tool_choice == ToolChoice::Auto && !request.tools.specs().is_empty();
    (is_own || !can_call).then_some((form.name, &form.schema))
}

/// How long the reply may be, in tokens: as the settings say, or less where less is left.
pub(crate) fn longest(request: &Request<'_>, refused: Refused) -> Option<u64> {
    let left = request.max_output_tokens.filter(|_| !refused.has(Wish::Length));
    [request.settings.max_output_tokens, left].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Message, ToolSet, ToolSpec, Transcript};
    use crate::{Effort, Endpoint, ReplyForm, Settings, Temperature, anthropic, openai, responses};

    fn settings() -> Settings {
        let mut settings = Settings {
            max_output_tokens: Some(900),
            temperature: Some(Temperature::new(0.2).unwrap()),
            effort: Some(Effort::Max),
            ..Settings::default()
        };
        settings.body.add("service_tier", json!("flex")).unwrap();
        settings.body.add("metadata", json!({ "team": "a\"b" })).unwrap();
        settings
    }

    fn report() -> ReplyForm {
        ReplyForm { name: "report", schema: json!({ "type": "object" }) }
    }

    fn tools() -> ToolSet {
        let input_schema = json!({ "type": "object" });
        ToolSet::new(vec![ToolSpec { name: "one".into(), description: "Does.".into(), input_schema }])
    }

    fn body_at(endpoint: &Endpoint, refused: Refused, request: &Request<'_>) -> Vec<u8> {
        match endpoint.protocol() {
            Protocol::ChatCompletions => openai::body("m", endpoint, refused, request),
            Protocol::Messages => anthropic::body("m", endpoint, refused, request),
            Protocol::Responses => responses::body("m", endpoint, refused, request),
        }
    }

    fn own(protocol: Protocol) -> Endpoint {
        Endpoint::own(protocol).unwrap()
    }

    fn elsewhere(protocol: Protocol) -> Endpoint {
        Endpoint::at(protocol, "http://127.0.0.1:1/v1").unwrap()
    }

    fn request<'a>(
        (transcript, tools): (&'a Transcript, &'a ToolSet),
        settings: &'a Settings,
        form: &'a ReplyForm,
    ) -> Request<'a> {
        Request {
            agent: "root/explorer#1",
            role: "explorer",
            system: "",
            transcript,
            tools,
            tool_choice: ToolChoice::Auto,
            max_output_tokens: None,
            settings,
            form: Some(form),
        }
    }

    #[test]
    fn each_protocol_is_told_the_settings_in_its_own_words() {
        let (settings, form, tools) = (settings(), report(), tools());
        let mut transcript = Transcript::new();
        transcript.push(Message::user("go"));
        let schema = json!({ "type": "object" });
        for (protocol, words) in [
            (
                Protocol::ChatCompletions,
                json!({ "max_completion_tokens": 900, "reasoning_effort": "xhigh",
                    "response_format": { "type": "json_schema",
                        "json_schema": { "name": "report", "strict": true, "schema": schema } } }),
            ),
            (
                Protocol::Messages,
                json!({ "max_tokens": 900, "output_config": { "effort": "max",
                    "format": { "type": "json_schema", "schema": schema } } }),
            ),
            (
                Protocol::Responses,
                json!({ "max_output_tokens": 900, "reasoning": { "effort": "xhigh" },
                    "text": { "format": { "type": "json_schema", "name": "report", "strict": true,
                        "schema": schema } } }),
            ),
        ] {
            let request = request((&transcript, &tools), &settings, &form);
            let bytes = body_at(&own(protocol), Refused::default(), &request);
            let body: Value = serde_json::from_slice(&bytes).unwrap();
            for (key, value) in words.as_object().unwrap() {
                assert_eq!(&body[key], value, "{protocol}: {key}");
            }
            assert_eq!(body["temperature"], json!(0.2));
            assert_eq!(body["service_tier"], json!("flex"));
            assert_eq!(body["metadata"], json!({ "team": "a\"b" }));
        }
    }

    #[test]
    fn settings_and_form_change_nothing_of_what_a_provider_has_kept() {
        let (settings, form, tools) = (settings(), report(), tools());
        let mut transcript = Transcript::new();
        transcript.push(Message::user("go"));
        for protocol in Protocol::ALL {
            let mut plain = request((&transcript, &tools), Settings::plain(), &form);
            plain.form = None;
            let plain = body_at(&own(protocol), Refused::default(), &plain);
            let full = request((&transcript, &tools), &settings, &form);
            let full = body_at(&own(protocol), Refused::default(), &full);
            let end = plain.iter().rposition(|byte| *byte == b']').unwrap();
            assert_eq!(full[..=end], plain[..=end], "{protocol}");
        }
    }

    #[test]
    fn another_server_is_asked_for_a_form_only_where_nothing_can_be_called() {
        let (form, tools, none) = (report(), tools(), ToolSet::default());
        let mut transcript = Transcript::new();
        transcript.push(Message::user("go"));
        let keys = ["response_format", "output_config", "text"];
        for protocol in Protocol::ALL {
            let asks = |tools: &ToolSet, tool_choice| {
                let request =
                    Request { tool_choice, ..request((&transcript, tools), Settings::plain(), &form) };
                let bytes = body_at(&elsewhere(protocol), Refused::default(), &request);
                let body: Value = serde_json::from_slice(&bytes).unwrap();
                keys.iter().any(|key| body.get(key).is_some())
            };
            assert!(!asks(&tools, ToolChoice::Auto), "{protocol}");
            assert!(asks(&tools, ToolChoice::None) && asks(&none, ToolChoice::Auto), "{protocol}");
        }
    }

    #[test]
    fn a_reply_is_never_longer_than_what_is_left() {
        let mut settings = settings();
        let (form, tools) = (report(), tools());
        let transcript = Transcript::new();
        for (set, left, longest_now) in [
            (Some(900), None, Some(900)),
            (Some(900), Some(50), Some(50)),
            (Some(900), Some(5000), Some(900)),
            (None, Some(50), Some(50)),
            (None, None, None),
        ] {
            settings.max_output_tokens = set;
            let mut request = request((&transcript, &tools), &settings, &form);
            request.max_output_tokens = left;
            assert_eq!(longest(&request, Refused::default()), longest_now);
        }
    }
}
