//! What kind of data an answer is, and its text.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use workspace::text::is_binary;

use crate::exchange::Answer;

/// How far into a page, in bytes, it may say in what encoding it is.
const PRESCANNED: usize = 1024;

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// A page.
    Html,
    /// Other text.
    Text,
    /// Nothing to read.
    Binary,
}

impl Media {
    pub(crate) fn of(answer: &Answer) -> Self {
        let start = &answer.body[..answer.body.len().min(PRESCANNED)];
        let declared = label(answer.header("content-type").unwrap_or_default());
        let is_wide = declared.is_some_and(|encoding| encoding.output_encoding() != encoding);
        let has_mark = is_wide || Encoding::for_bom(start).is_some();
        match essence(answer).as_str() {
            "text/html" | "application/xhtml+xml" => Self::Html,
            _ if is_binary(start) && !has_mark => Self::Binary,
            kind if is_text(kind) => Self::Text,
            // A server that does not know says one of these.
            "" | "application/octet-stream" | "application/x-unknown" => match is_utf8(answer) || has_mark {
                true if looks_like_html(start) => Self::Html,
                true => Self::Text,
                false => Self::Binary,
            },
            _ => Self::Binary,
        }
    }
}

/// The type that the answer says it is, such as `text/html`, in lower case.
pub(crate) fn essence(answer: &Answer) -> String {
    let field = answer.header("content-type").unwrap_or_default();
    field.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The body's text.
pub(crate) fn decode(answer: &Answer, media: Media) -> Cow<'_, str> {
    let declared = || label(answer.header("content-type").unwrap_or_default());
    let in_page = || match media {
        Media::Html => {
            let start = String::from_utf8_lossy(&answer.body[..answer.body.len().min(PRESCANNED)]);
            // A page that can be read so far is in no encoding of two bytes, whatever it says.
            label(&start).map(Encoding::output_encoding)
        }
        _ => None,
    };
    let encoding = match Encoding::for_bom(&answer.body) {
        Some((encoding, _)) => encoding,
        None => declared().or_else(in_page).unwrap_or_else(|| {
            match is_utf8(answer) || essence(answer).ends_with("json") {
                true => UTF_8,
                false => WINDOWS_1252,
            }
        }),
    };
    encoding.decode(&answer.body).0
}

/// The encoding that is named after `charset=`.
fn label(text: &str) -> Option<&'static Encoding> {
    let at = text.to_ascii_lowercase().find("charset")?;
    let rest = text.get(at + "charset".len()..)?.trim_start().strip_prefix('=')?;
    let rest = rest.trim_start().trim_start_matches(['"', '\'']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"-_:.".contains(c)).unwrap_or(rest.len());
    Encoding::for_label(&rest.as_bytes()[..end])
}

fn is_text(kind: &str) -> bool {
    kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || kind.ends_with("+yaml")
        || matches!(
            kind,
            "application/json"
                | "application/ld+json"
                | "application/x-ndjson"
                | "application/jsonl"
                | "application/xml"
                | "application/javascript"
                | "application/x-javascript"
                | "application/ecmascript"
                | "application/typescript"
                | "application/yaml"
                | "application/x-yaml"
                | "application/toml"
                | "application/sql"
                | "application/graphql"
                | "application/x-sh"
                | "application/x-httpd-php"
                | "application/x-tex"
                | "application/x-www-form-urlencoded"
        )
}

/// Whether the body is UTF-8. Where it is cut it may end in the middle of a character.
fn is_utf8(answer: &Answer) -> bool {
    match std::str::from_utf8(&answer.body) {
        Ok(_) => true,
        Err(error) => answer.is_cut && error.error_len().is_none(),
    }
}

fn looks_like_html(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(start).trim_start().to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(kind: &str, body: &[u8]) -> Answer {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Answer { status: 200, headers, body: body.to_vec(), is_cut: false }
    }

    #[test]
    fn what_a_body_is_is_told_by_its_type_and_what_is_in_it() {
        for (kind, body, media) in [
            ("text/html; charset=utf-8", &b"<p>"[..], Media::Html),
            ("Application/XHTML+XML", b"", Media::Html),
            ("text/plain", b"a", Media::Text),
            ("text/plain", b"a\0", Media::Binary),
            ("text/plain", b"\xff\xfea\0", Media::Text),
            ("text/plain; charset=utf-16le", b"a\0", Media::Text),
            ("application/vnd.api+json", b"{}", Media::Text),
            ("application/json", b"{}", Media::Text),
            ("image/png", b"\x89PNG", Media::Binary),
            ("image/svg+xml", b"<svg>", Media::Text),
            ("application/pdf", b"%PDF", Media::Binary),
            ("", b"plain", Media::Text),
            ("", b" <!DOCTYPE html><p>", Media::Html),
            ("application/octet-stream", b"\xff\xd8\xff", Media::Binary),
        ] {
            assert_eq!(Media::of(&answer(kind, body)), media, "{kind} {body:?}");
        }
    }

    #[test]
    fn text_is_decoded_as_the_answer_or_the_page_says() {
        for (kind, body, text) in [
            ("text/html", &b"caf\xc3\xa9"[..], "café"),
            ("text/html", b"caf\xe9", "café"),
            ("text/html; charset=iso-8859-2", b"\xb1", "ą"),
            ("text/html; charset=\"Shift_JIS\"", b"\x93\xfa", "日"),
            ("text/html", b"<meta charset='windows-1251'>\xcf", "<meta charset='windows-1251'>П"),
            ("text/html", b"<meta charset=utf-16>\xc3\xa9", "<meta charset=utf-16>é"),
            ("text/plain; charset=latin1", b"\xef\xbb\xbfa", "a"),
            ("text/plain; charset=nonsense", b"\xc3\xa9", "é"),
            ("text/plain", b"\xff\xfea\0", "a"),
            ("application/json", b"\"\xc3\xa9\xff\"", "\"é\u{fffd}\""),
        ] {
            let answer = answer(kind, body);
            assert_eq!(decode(&answer, Media::of(&answer)), text, "{kind} {body:?}");
        }
    }
}
