//! Standard output.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Stdout, Write};

use remit_pack::is_active;
use serde::Serialize;

/// What a command writes for its caller, by itself and in order.
pub(crate) struct Output(BufWriter<Stdout>);

impl Output {
    pub(crate) fn new() -> Output {
        Output(BufWriter::new(io::stdout()))
    }

    /// Writes a text, which ends in a line break.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(text.as_bytes())?;
        if text.ends_with('\n') { Ok(()) } else { self.0.write_all(b"\n") }
    }

    /// Writes a value as one line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.json_line(&serde_json::to_string(value)?)
    }

    /// Writes a value as JSON for people too, in several lines.
    pub(crate) fn pretty(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.json_line(&serde_json::to_string_pretty(value)?)
    }

    /// Writes what is JSON already.
    pub(crate) fn json_line(&mut self, json: &str) -> io::Result<()> {
        self.text(&shown_json(json))
    }

    /// Hands over what was written.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The same JSON with every character escaped that would act on a terminal. JSON itself asks that only of some.
fn shown_json(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_active) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_active(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same_and_acts_on_nothing() {
        let value = "a\u{1b}[2J\u{9b}\u{202e}\u{e0041}测试\n";
        let json = serde_json::to_string(value).unwrap();
        let shown = shown_json(&json);
        assert_eq!(shown, r#""a\u001b[2J\u009b\u202e\udb40\udc41测试\n""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), value);
        assert!(matches!(shown_json("\"plain\""), Cow::Borrowed(_)));
    }
}
