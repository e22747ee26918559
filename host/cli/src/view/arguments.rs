//! The arguments of a call in a few words, whatever tool it is.

use serde_json::{Map, Value};

use crate::screen::{cut, line, width};

/// How many columns one value may take, so that the first does not hide the others.
const VALUE_COLUMNS: usize = 48;

/// The arguments in at most `columns` columns: `"max_turns" in host/ limit=5`.
///
/// The first text is shown by itself, for it is what the call is about; a path behind it is where; whatever else there
/// is has its name.
pub(crate) fn call(arguments: &str, columns: usize) -> String {
    let words = match serde_json::from_str::<Map<String, Value>>(arguments) {
        Ok(arguments) => in_words(&arguments),
        // Not an object: it is shown as the model sent it.
        Err(_) => line(arguments),
    };
    cut(&words, columns)
}

fn in_words(arguments: &Map<String, Value>) -> String {
    let is_telling = |(_, value): &(&String, &Value)| value.is_string();
    let all = || arguments.iter().filter(|(_, value)| !value.is_null());
    let first = all().filter(|entry| !is_place(entry.0)).find(is_telling).or_else(|| all().find(is_telling));
    let subject = first.map(|(key, value)| subject(key, value));
    let rest = all().filter(|(key, _)| Some(*key) != first.map(|(key, _)| key)).map(|(key, value)| {
        let (key, shown) = (line(key), shown(value));
        match value {
            Value::String(_) if is_place(&key) => format!("in {shown}"),
            Value::Bool(true) => key,
            _ => format!("{key}={shown}"),
        }
    });
    let words: Vec<String> = subject.into_iter().chain(rest).collect();
    words.join(" ")
}

/// What a call is about: a path as it is, other words in quotes.
fn subject(key: &str, value: &Value) -> String {
    if is_place(key) { shown(value) } else { format!("\"{}\"", shown(value)) }
}

/// Whether a parameter of this name says where.
fn is_place(key: &str) -> bool {
    ["path", "paths", "dir", "directory", "file", "cwd", "folder"].contains(&key)
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => line(text),
        other => line(&other.to_string()),
    };
    // The end of a path says more than its beginning.
    if width(&text) > VALUE_COLUMNS && text.contains('/') && !text.contains(' ') {
        let kept = text.char_indices().rev().take(VALUE_COLUMNS - 1).last().map_or(0, |(at, _)| at);
        return format!("…{}", &text[kept..]);
    }
    cut(&text, VALUE_COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::call;

    #[test]
    fn what_a_call_is_about_comes_first() {
        for (arguments, expected) in [
            (r#"{"path": "host/", "pattern": "max_turns", "limit": 5}"#, "\"max_turns\" in host/ limit=5"),
            (r#"{"path": "src/main.rs", "start": 10}"#, "src/main.rs start=10"),
            (r#"{"pattern": "x", "ignore_case": true, "glob": null}"#, "\"x\" ignore_case"),
            (r#"{"n": 3, "deep": {"a": [1]}}"#, r#"n=3 deep={"a":[1]}"#),
            ("{}", ""),
            ("not JSON\n\u{1b}[2J", "not JSON \\u{1b}[2J"),
            (r#"{"a\u001b": "b\u001b"}"#, "\"b\\u{1b}\""),
        ] {
            assert_eq!(call(arguments, 80), expected);
        }
    }

    #[test]
    fn long_values_are_cut_and_long_paths_keep_their_end() {
        let long = format!(r#"{{"q": "{}", "path": "{}/end.rs"}}"#, "w ".repeat(60), "deep/".repeat(20));
        let words = call(&long, 200);
        assert!(
            words.starts_with("\"w w w") && words.contains("…\" in …") && words.ends_with("/end.rs"),
            "{words}"
        );
        assert!(call(&long, 20).ends_with('…'));
    }
}
