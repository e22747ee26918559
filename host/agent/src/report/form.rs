use std::sync::LazyLock;

use remit_model::ReplyForm;
use serde_json::json;

/// A report as a model is told to write it: what the prompt asks for, as a schema. A key that an entry has nothing for is
/// `null`, because what holds a model to a schema wants every key.
pub(crate) fn form() -> &'static ReplyForm {
    static FORM: LazyLock<ReplyForm> = LazyLock::new(|| {
        let sentences = json!({ "type": "array", "items": { "type": "string" } });
        let evidence = json!({
            "type": "object",
            "properties": {
                "path": { "type": ["string", "null"] },
                "url": { "type": ["string", "null"] },
                "line": { "type": ["integer", "null"] },
                "reason": { "type": "string" },
            },
            "required": ["path", "url", "line", "reason"],
            "additionalProperties": false,
        });
        ReplyForm {
            name: "report",
            schema: json!({
                "type": "object",
                "properties": {
                    "summary": { "type": "string" },
                    "evidence": { "type": "array", "items": evidence },
                    "warnings": sentences,
                    "open_questions": sentences,
                },
                "required": ["summary", "evidence", "warnings", "open_questions"],
                "additionalProperties": false,
            }),
        }
    });
    &FORM
}

#[cfg(test)]
mod tests {
    use super::super::Findings;
    use super::*;

    #[test]
    fn a_report_of_that_form_is_read_without_a_remark() {
        let reply = r#"{"summary": "It uses pytest.",
            "evidence": [{"path": "a.py", "url": null, "line": 3, "reason": "import"},
                         {"path": null, "url": "https://example.org", "line": null, "reason": "says so"}],
            "warnings": [], "open_questions": ["Which version?"]}"#;
        let findings = Findings::parse(reply);
        assert_eq!(findings.warnings, Vec::<String>::new());
        let keys = form().schema["properties"].as_object().unwrap();
        assert_eq!(keys.keys().collect::<Vec<_>>(), ["summary", "evidence", "warnings", "open_questions"]);
        let places: Vec<_> =
            findings.evidence.iter().map(|place| (&place.path, &place.url, place.line)).collect();
        assert_eq!(
            places,
            [
                (&Some("a.py".to_owned()), &None, Some(3)),
                (&None, &Some("https://example.org".to_owned()), None),
            ]
        );
    }
}
