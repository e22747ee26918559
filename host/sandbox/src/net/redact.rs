//! Finds secrets in what goes out, and takes them out of what comes in.
//!
//! A secret's value is looked for as it is and in the spellings that servers and libraries give it: base64 at any place, also
//! in lines, hexadecimal, UTF-16, and with any of its characters escaped as in URLs, HTML, JSON and languages like it, several
//! times over; all in either case. A server that knows a secret can always spell it in a way of its own; what is promised is
//! that no usual way of echoing it brings it to a component.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::secret::SecretGrant;
use super::unescape::{MAX_EXPANSION, unescape, unwrap_lines};

/// How many times one escaping over the other is looked through.
const ESCAPED_TIMES: usize = 4;

/// Looks for secrets.
#[derive(Debug)]
pub(crate) struct Redactor {
    automaton: AhoCorasick,
    /// What stands in the place of each pattern's match.
    marks: Vec<Arc<str>>,
    /// The longest spelling, escaped, in bytes.
    longest: usize,
}

/// Takes secrets out of a text that comes in pieces.
#[derive(Debug)]
pub(crate) struct Stream {
    redactor: Arc<Redactor>,
    held: Vec<u8>,
}

/// A piece of it that is through.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) bytes: Vec<u8>,
    /// What stands in it in place of a secret.
    pub(crate) mark: Option<Arc<str>>,
}

impl Redactor {
    /// One for all of these secrets; nothing if there are none.
    ///
    /// # Errors
    ///
    /// When they are too many to look for at once.
    pub(crate) fn new<'s>(
        secrets: impl IntoIterator<Item = &'s SecretGrant>,
    ) -> Result<Option<Arc<Self>>, String> {
        let mut patterns = BTreeMap::new();
        for secret in secrets {
            let mark: Arc<str> = format!("[secret {}]", secret.name()).into();
            for value in secret.values() {
                for spelling in spellings(&value) {
                    patterns.entry(spelling).or_insert_with(|| mark.clone());
                }
            }
        }
        if patterns.is_empty() {
            return Ok(None);
        }
        let longest = patterns.keys().map(Vec::len).max().unwrap_or(0) * MAX_EXPANSION;
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            .build(patterns.keys())
            .map_err(|error| format!("its secrets cannot be looked for: {error}"))?;
        Ok(Some(Arc::new(Self { automaton, marks: patterns.into_values().collect(), longest })))
    }

    /// The mark of a secret that is in the text.
    pub(crate) fn find(&self, text: &[u8]) -> Option<&str> {
        let mut first = None;
        self.each(text, |_, mark| {
            first.get_or_insert(mark);
        });
        first.map(|mark| &**mark)
    }

    /// The text with marks in place of secrets.
    pub(crate) fn redact(self: &Arc<Self>, text: &[u8]) -> Vec<u8> {
        let mut stream = Stream::new(self.clone());
        stream.held = text.to_vec();
        stream.finish().bytes
    }

    /// The same for words of which the bytes are no matter.
    pub(crate) fn redact_text(self: &Arc<Self>, text: &str) -> String {
        String::from_utf8_lossy(&self.redact(text.as_bytes())).into_owned()
    }

    /// Every secret in the text, however it is spelled.
    fn each<'s>(&'s self, text: &[u8], mut found: impl FnMut(Range<usize>, &'s Arc<str>)) {
        let mut search = |text: &[u8], place: &dyn Fn(Range<usize>) -> Range<usize>| {
            for one in self.automaton.find_iter(text) {
                found(place(one.range()), &self.marks[one.pattern()]);
            }
        };
        search(text, &|range| range);
        let lines = unwrap_lines(text);
        search(&lines.bytes, &|range| lines.place(range));
        let Some(mut plain) = unescape(text) else { return };
        for time in 1.. {
            search(&plain.bytes, &|range| plain.place(range));
            match unescape(&plain.bytes).filter(|_| time < ESCAPED_TIMES) {
                Some(deeper) => plain = deeper.of(&plain),
                None => break,
            }
        }
        let lines = unwrap_lines(&plain.bytes);
        search(&lines.bytes, &|range| plain.place(lines.place(range)));
    }
}

impl Stream {
    pub(crate) fn new(redactor: Arc<Redactor>) -> Self {
        Self { redactor, held: Vec::new() }
    }

    /// Whether something is kept back that may be the beginning of a secret.
    pub(crate) fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Takes a further piece, and gives what can be told of. What is held is looked through anew each time, so that it is let
    /// grow first.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Piece {
        self.held.extend_from_slice(bytes);
        if self.held.len() < 2 * self.redactor.longest {
            return Piece::default();
        }
        // A match that begins before here lies wholly within what is there.
        let decided = (self.held.len() + 1).saturating_sub(self.redactor.longest);
        self.give(decided)
    }

    /// Gives what is left: no more comes.
    pub(crate) fn finish(&mut self) -> Piece {
        self.give(self.held.len())
    }

    fn give(&mut self, decided: usize) -> Piece {
        let mut piece = Piece::default();
        let mut found = Vec::new();
        self.redactor.each(&self.held, |range, mark| {
            if range.start < decided {
                found.push((range, mark.clone()));
            }
        });
        found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let mut done = 0;
        for (range, mark) in found {
            if range.start < done {
                continue;
            }
            piece.bytes.extend_from_slice(&self.held[done..range.start]);
            piece.bytes.extend_from_slice(mark.as_bytes());
            piece.mark = Some(mark);
            done = range.end;
        }
        let end = decided.max(done);
        piece.bytes.extend_from_slice(&self.held[done..end]);
        self.held.drain(..end);
        piece
    }
}

/// The ways in which a value is usually written, escapes aside.
fn spellings(value: &str) -> Vec<Vec<u8>> {
    let mut all = vec![value.to_owned().into_bytes(), value.replace(' ', "+").into_bytes()];
    all.push(value.bytes().map(|byte| format!("{byte:02x}")).collect::<String>().into_bytes());
    all.push(value.encode_utf16().flat_map(u16::to_le_bytes).collect());
    all.push(value.encode_utf16().flat_map(u16::to_be_bytes).collect());
    for offset in 0..3 {
        let mut bytes = vec![0; offset];
        bytes.extend_from_slice(value.as_bytes());
        // Of the letters at the edges some bits are the neighbours'.
        let (start, end) = ((8 * offset).div_ceil(6), 8 * bytes.len() / 6);
        for encoded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            all.push(encoded.as_bytes()[start..end].to_vec());
        }
    }
    all
}

/// What a `Basic` credential is made of, where it is one: `user:password`, and the password.
pub(crate) fn parts_of_basic(value: &str) -> Vec<String> {
    let decoded = STANDARD.decode(value).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(pair) = decoded else { return Vec::new() };
    let password = pair.split_once(':').map(|(_, password)| password.to_owned());
    [Some(pair), password].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::secret::SecretValue;
    use super::*;

    const VALUE: &str = "hunter2/\"&' x+z";

    fn redactor() -> Arc<Redactor> {
        let grant = SecretGrant::new(
            "key",
            SecretValue::new(VALUE.to_owned()),
            "https://api.example.org",
            "X-Key: {}",
        );
        Redactor::new(&[grant.unwrap()]).unwrap().unwrap()
    }

    fn redacted(text: &str) -> String {
        String::from_utf8(redactor().redact(text.as_bytes())).unwrap()
    }

    #[test]
    fn every_usual_spelling_is_taken_out() {
        let hex: String = VALUE.bytes().map(|byte| format!("{byte:02X}")).collect();
        let all: String = VALUE.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let form: String = url::form_urlencoded::byte_serialize(VALUE.as_bytes()).collect();
        let json = serde_json::to_string(VALUE).unwrap();
        for spelling in [VALUE, &VALUE.to_uppercase(), &hex, &all, &form, json.trim_matches('"')] {
            assert_eq!(redacted(&format!("a {spelling} b")), "a [secret key] b", "{spelling}");
        }
        for escaped in [
            "hunter2/&quot;&amp;&#39; x+z",
            "hunter2/\"&amp;' x+z",
            "hunter2&sol;&quot;&amp;&#X27; x&#43;z",
            "hunter2&#x2f;&#34;&#00038;&apos;&#32;x&plus;z",
            "&#104;&#x75;nter2/\"&' x+z",
            r#"hunter2\u002F\u0022\u0026\u0027\u0020x\u002bz"#,
            r#"hunter2\/\"\u0026' x\x2Bz"#,
            r#"hunter2\\\\/\\\"&' x+z"#,
            r#"\u0068\u0075nter2/\"&' x+z"#,
            "hunter2%25252F%22%26' x%2Bz",
            "hunter2/&amp;quot;&amp;amp;&amp;#39; x+z",
        ] {
            assert_eq!(redacted(escaped), "[secret key]", "{escaped}");
        }
        let wide: Vec<u8> = VALUE.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(redactor().redact(&wide), b"[secret key]");
        let long = format!("{}{VALUE}{}", "a".repeat(40), "b".repeat(80));
        let mut wrapped = STANDARD.encode(long);
        wrapped.insert_str(76, "\r\n");
        assert!(redacted(&wrapped).contains("[secret key]"), "{wrapped}");
        assert!(redacted(&wrapped.replace("\r\n", r"\n")).contains("[secret key]"), "{wrapped}");
        for before in ["", "a", "ab", "abc", "Bearer "] {
            for after in ["", "z", "zy", "\n"] {
                let text = format!("{before}{VALUE}{after}");
                for encoded in [STANDARD.encode(&text), URL_SAFE_NO_PAD.encode(&text)] {
                    assert!(redacted(&encoded).contains("[secret key]"), "{before:?} {after:?} {encoded}");
                }
            }
        }
        assert_eq!(redacted("hunter2 is no secret"), "hunter2 is no secret");
    }

    #[test]
    fn a_url_that_hides_it_behind_escapes_is_found() {
        let redactor = redactor();
        for url in [
            "/?q=%68unter2%2f%22%26%27%20x%2bz",
            "/?q=%2568unter2%252f%2522%2526%2527%2520x%252bz",
            "/hunter2%2F%22%26'%20x+z",
        ] {
            assert_eq!(redactor.find(url.as_bytes()), Some("[secret key]"), "{url}");
        }
        assert_eq!(redactor.find(b"/?q=hunter2"), None);
    }

    #[test]
    fn both_halves_of_a_basic_credential_are_secret() {
        let credential = STANDARD.encode("someone:open-sesame");
        let value = SecretValue::new(credential.clone());
        let grant =
            SecretGrant::new("login", value, "https://api.example.org", "Authorization: Basic {}").unwrap();
        let redactor = Redactor::new(&[grant]).unwrap().unwrap();
        for text in [credential.as_str(), "someone:open-sesame", "open-sesame"] {
            assert_eq!(redactor.redact(text.as_bytes()), b"[secret login]", "{text}");
        }
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(
            parts in prop::collection::vec(prop_oneof![Just(VALUE.to_owned()), "[a-z\"/ %]{0,12}"], 0..8),
            cuts in prop::collection::vec(1_usize..9, 1..20),
        ) {
            let text = parts.concat();
            let mut stream = Stream::new(redactor());
            let (mut rest, mut joined) = (text.as_bytes(), Vec::new());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, after) = rest.split_at((*cut).min(rest.len()));
                joined.extend(stream.push(piece).bytes);
                rest = after;
            }
            joined.extend(stream.finish().bytes);
            prop_assert_eq!(String::from_utf8(joined).unwrap(), text.replace(VALUE, "[secret key]"));
        }
    }
}
