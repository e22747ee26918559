use serde_json::Value;

/// The most of a server's error message that is kept, in characters.
const MAX_MESSAGE: usize = 600;

/// Kinds of error, as `type` or `code`, that the same request would meet again.
const LASTING: [&str; 8] = [
    "authentication_error",
    "content_policy_violation",
    "context_length_exceeded",
    "insufficient_quota",
    "invalid_api_key",
    "invalid_request_error",
    "not_found_error",
    "permission_error",
];

/// Kinds of error that come with the status of a rate limit and yet do not pass.
const QUOTA: [&str; 2] = ["insufficient_quota", "billing_hard_limit_reached"];

/// What an error body says, whatever its kind, short and on one line.
pub(crate) fn message(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => of_value(&value),
        Err(_) if text.trim().is_empty() => "no further words".to_owned(),
        Err(_) if text.trim_start().starts_with('<') => {
            shortened(&format!("a page and no reply: {}", without_tags(&text)))
        }
        Err(_) => shortened(&text),
    }
}

/// What the value under `error`, or a whole error body, says.
pub(crate) fn of_value(value: &Value) -> String {
    let error = value.get("error").unwrap_or(value);
    let words = [error.get("message"), error.get("detail"), Some(error)]
        .into_iter()
        .flatten()
        .find_map(Value::as_str)
        .map_or_else(|| error.to_string(), str::to_owned);
    shortened(&words)
}

/// Whether an error that came in the middle of a reply may pass by itself.
pub(crate) fn is_passing(error: &Value) -> bool {
    let kinds = [error.get("type"), error.get("code")];
    !kinds.into_iter().flatten().any(|kind| match kind {
        Value::String(kind) => LASTING.contains(&kind.as_str()),
        Value::Number(status) => status
            .as_u64()
            .is_some_and(|status| (400..500).contains(&status) && !matches!(status, 408 | 409 | 429)),
        _ => false,
    })
}

/// Whether an error body says that nothing is left to spend, which no waiting changes.
pub(crate) fn is_out_of_quota(body: &[u8]) -> bool {
    let Ok(value) = serde_json::from_slice::<Value>(body) else { return false };
    let error = value.get("error").unwrap_or(&value);
    let kinds = [error.get("type"), error.get("code")];
    kinds.into_iter().flatten().any(|kind| kind.as_str().is_some_and(|kind| QUOTA.contains(&kind)))
}

fn without_tags(page: &str) -> String {
    let mut inside = false;
    page.chars()
        .filter_map(|char| {
            let hidden = inside || char == '<';
            inside = hidden && char != '>';
            if char == '>' { Some(' ') } else { (!hidden).then_some(char) }
        })
        .collect()
}

/// On one line, without control characters, at most [`MAX_MESSAGE`] characters.
pub(crate) fn shortened(text: &str) -> String {
    let mut short = String::new();
    for word in
        text.split(|char: char| char.is_whitespace() || char.is_control()).filter(|word| !word.is_empty())
    {
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
        if let Some((end, _)) = short.char_indices().nth(MAX_MESSAGE) {
            short.truncate(end);
            short.push('…');
            break;
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_words_are_found_in_every_usual_shape() {
        for body in [
            r#"{"error":{"message":"no such model","type":"invalid_request_error"}}"#,
            r#"{"error":"no such model"}"#,
            r#"{"message":"no such model"}"#,
            r#"{"detail":"no such model"}"#,
            r#""no such model""#,
            "no\r\nsuch\u{1b} model\n",
        ] {
            assert_eq!(message(body.as_bytes()), "no such model", "{body}");
        }
        assert_eq!(
            message(b"<html><h1>502</h1>\nBad  Gateway</html>"),
            "a page and no reply: 502 Bad Gateway"
        );
        assert_eq!(message(b" \n"), "no further words");
        assert_eq!(message(br#"{"error":{"code":7}}"#), r#"{"code":7}"#);
    }

    #[test]
    fn an_empty_account_is_told_from_a_rate_limit() {
        assert!(is_out_of_quota(br#"{"error":{"type":"insufficient_quota","message":"pay"}}"#));
        assert!(!is_out_of_quota(br#"{"error":{"type":"rate_limit_error","message":"wait"}}"#));
        assert!(!is_out_of_quota(b"busy"));
    }

    #[test]
    fn a_long_message_is_cut() {
        assert_eq!(message("字".repeat(5000).as_bytes()).chars().count(), MAX_MESSAGE + 1);
    }

    #[test]
    fn an_overload_passes_and_a_bad_request_does_not() {
        assert!(is_passing(&json!({ "type": "server_error" })));
        assert!(is_passing(&json!({ "code": 529 })));
        assert!(is_passing(&json!("overloaded")));
        assert!(!is_passing(&json!({ "code": "context_length_exceeded" })));
        assert!(!is_passing(&json!({ "code": 401 })));
    }
}
