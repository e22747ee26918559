//! Finds secrets in what goes out, and takes them out of what comes in.
//!
//! A secret's value is looked for as it is and in the spellings that servers and libraries give it: base64 at any place,
//! percent-encoding, hexadecimal, escapes of JSON and of HTML, all in either case. A server that knows a secret can always
//! spell it in a way of its own; what is promised is that no usual way of echoing it brings it to a component.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};

use super::secret::SecretGrant;

/// How many percent-encodings, one over the other, are looked through.
const ENCODED_TIMES: usize = 2;

/// Looks for secrets.
#[derive(Debug)]
pub(crate) struct Redactor {
    automaton: AhoCorasick,
    /// What stands in the place of each pattern's match.
    marks: Vec<Arc<str>>,
    /// The longest pattern, in bytes.
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
    pub(crate) fn new(secrets: &[SecretGrant]) -> Result<Option<Arc<Self>>, String> {
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
        let longest = patterns.keys().map(Vec::len).max().unwrap_or(0);
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            .build(patterns.keys())
            .map_err(|error| format!("its secrets cannot be looked for: {error}"))?;
        Ok(Some(Arc::new(Self { automaton, marks: patterns.into_values().collect(), longest })))
    }

    /// The mark of a secret that is in the text, percent-encoded ones found too.
    pub(crate) fn find(&self, text: &[u8]) -> Option<&str> {
        let mut text = Cow::Borrowed(text);
        for _ in 0..=ENCODED_TIMES {
            if let Some(found) = self.automaton.find(&*text) {
                return Some(&self.marks[found.pattern()]);
            }
            match percent_decode(&text).into() {
                Cow::Owned(decoded) => text = Cow::Owned(decoded),
                Cow::Borrowed(_) => break,
            }
        }
        None
    }

    /// The text with marks in place of secrets; a mark alone where one is hidden in it in a way that cannot be cut out.
    pub(crate) fn redact(self: &Arc<Self>, text: &[u8]) -> Vec<u8> {
        let mut stream = Stream::new(self.clone());
        stream.held = text.to_vec();
        let redacted = stream.finish().bytes;
        match self.find(&redacted) {
            Some(mark) => mark.into(),
            None => redacted,
        }
    }

    /// The same for words of which the bytes are no matter.
    pub(crate) fn redact_text(self: &Arc<Self>, text: &str) -> String {
        String::from_utf8_lossy(&self.redact(text.as_bytes())).into_owned()
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

    /// Takes a further piece, and gives what can be told of.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Piece {
        self.held.extend_from_slice(bytes);
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
        let mut done = 0;
        for found in self.redactor.automaton.find_iter(&self.held) {
            if found.start() >= decided {
                break;
            }
            let mark = &self.redactor.marks[found.pattern()];
            piece.bytes.extend_from_slice(&self.held[done..found.start()]);
            piece.bytes.extend_from_slice(mark.as_bytes());
            piece.mark = Some(mark.clone());
            done = found.end();
        }
        let end = decided.max(done);
        piece.bytes.extend_from_slice(&self.held[done..end]);
        self.held.drain(..end);
        piece
    }
}

/// The ways in which a value is usually written.
fn spellings(value: &str) -> Vec<Vec<u8>> {
    let mut all = vec![value.to_owned()];
    let component = utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
    all.push(component.replace("%2D", "-").replace("%2E", ".").replace("%5F", "_").replace("%7E", "~"));
    all.push(component.replace("%20", "+"));
    all.push(component);
    all.push(value.bytes().map(|byte| format!("%{byte:02x}")).collect());
    all.push(value.bytes().map(|byte| format!("{byte:02x}")).collect());
    let json = value.replace('\\', "\\\\").replace('"', "\\\"");
    all.push(json.replace('/', "\\/"));
    let careful = json.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e");
    all.extend([json, careful]);
    let least = value.replace('&', "&amp;").replace('<', "&lt;");
    for html in [least.replace('>', "&gt;"), least] {
        let quoted = html.replace('"', "&quot;");
        all.extend(["&#39;", "&#x27;", "&apos;"].map(|quote| quoted.replace('\'', quote)));
        all.extend([html, quoted]);
    }
    for offset in 0..3 {
        let mut bytes = vec![0; offset];
        bytes.extend_from_slice(value.as_bytes());
        // Of the letters at the edges some bits are the neighbours'.
        let (start, end) = ((8 * offset).div_ceil(6), 8 * bytes.len() / 6);
        for encoded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            all.push(encoded[start..end].to_owned());
        }
    }
    all.into_iter().map(String::into_bytes).collect()
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
        for html in ["hunter2/&quot;&amp;&#39; x+z", "hunter2/\"&amp;' x+z", "hunter2/&quot;&amp;&#X27; x+z"]
        {
            assert_eq!(redacted(html), "[secret key]", "{html}");
        }
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
