//! What the escapes of a text stand for: those of URLs, of HTML and of JSON and languages like it, mixed as they come.

use std::ops::Range;

use memchr::memchr3;

/// A text without its escapes, and where each byte of it was.
#[derive(Debug, Default)]
pub(super) struct Plain {
    pub(super) bytes: Vec<u8>,
    /// Where in the text what each byte stands for begins and ends.
    from: Vec<(usize, usize)>,
}

/// The most that one byte takes in the longest way of writing it that is understood, in bytes.
pub(super) const MAX_EXPANSION: usize = 16;

/// The names of HTML for what URLs, tokens and passwords are made of.
const NAMED: [(&str, u8); 45] = [
    ("Hat", b'^'),
    ("NewLine", b'\n'),
    ("Tab", b'\t'),
    ("UnderBar", b'_'),
    ("VerticalLine", b'|'),
    ("amp", b'&'),
    ("AMP", b'&'),
    ("apos", b'\''),
    ("ast", b'*'),
    ("bsol", b'\\'),
    ("colon", b':'),
    ("comma", b','),
    ("commat", b'@'),
    ("dash", b'-'),
    ("dollar", b'$'),
    ("equals", b'='),
    ("excl", b'!'),
    ("grave", b'`'),
    ("gt", b'>'),
    ("GT", b'>'),
    ("hyphen", b'-'),
    ("lbrace", b'{'),
    ("lbrack", b'['),
    ("lcub", b'{'),
    ("lowbar", b'_'),
    ("lpar", b'('),
    ("lsqb", b'['),
    ("lt", b'<'),
    ("LT", b'<'),
    ("midast", b'*'),
    ("num", b'#'),
    ("percnt", b'%'),
    ("period", b'.'),
    ("plus", b'+'),
    ("quest", b'?'),
    ("quot", b'"'),
    ("QUOT", b'"'),
    ("rbrace", b'}'),
    ("rbrack", b']'),
    ("rcub", b'}'),
    ("rpar", b')'),
    ("rsqb", b']'),
    ("semi", b';'),
    ("sol", b'/'),
    ("verbar", b'|'),
];

/// The text without its escapes, one time: what they stand for may be escapes again. Nothing if it has none.
pub(super) fn unescape(text: &[u8]) -> Option<Plain> {
    let mut plain = Plain::default();
    let mut at = 0;
    let mut is_any = false;
    while let Some(next) = memchr3(b'%', b'&', b'\\', &text[at..]) {
        plain.keep(text, at, at + next);
        at += next;
        match escape(&text[at..]) {
            Some((length, character)) => {
                let mut buffer = [0; 4];
                let bytes: &[u8] = match character {
                    Stands::Byte(byte) => {
                        buffer[0] = byte;
                        &buffer[..1]
                    }
                    Stands::Char(c) => c.encode_utf8(&mut buffer).as_bytes(),
                };
                plain.bytes.extend_from_slice(bytes);
                plain.from.extend(bytes.iter().map(|_| (at, at + length)));
                at += length;
                is_any = true;
            }
            None => {
                plain.keep(text, at, at + 1);
                at += 1;
            }
        }
    }
    if !is_any {
        return None;
    }
    plain.keep(text, at, text.len());
    Some(plain)
}

/// The text without white space, in which long encodings are wrapped.
pub(super) fn unwrap_lines(text: &[u8]) -> Plain {
    let kept = text.iter().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace());
    let (bytes, from) = kept.map(|(place, byte)| (*byte, (place, place + 1))).unzip();
    Plain { bytes, from }
}

impl Plain {
    /// Where in the text these bytes are, of which there is one at least.
    pub(super) fn place(&self, range: Range<usize>) -> Range<usize> {
        self.from[range.start].0..self.from[range.end - 1].1
    }

    /// The same, where this is made of what `above` has made of a text.
    pub(super) fn of(self, above: &Self) -> Self {
        let from = self.from.iter().map(|(begin, end)| (above.from[*begin].0, above.from[*end - 1].1));
        Self { from: from.collect(), bytes: self.bytes }
    }

    fn keep(&mut self, text: &[u8], begin: usize, end: usize) {
        self.bytes.extend_from_slice(&text[begin..end]);
        self.from.extend((begin..end).map(|place| (place, place + 1)));
    }
}

/// What an escape stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    Byte(u8),
    Char(char),
}

/// The length of the escape that the text begins with, and what it stands for.
fn escape(text: &[u8]) -> Option<(usize, Stands)> {
    let (first, rest) = text.split_first()?;
    let (length, stands) = match first {
        b'%' => (2, Stands::Byte(u8::try_from(number(rest.get(..2)?, 16)?).ok()?)),
        b'&' => entity(rest)?,
        b'\\' => backslash(rest)?,
        _ => return None,
    };
    Some((1 + length, stands))
}

fn entity(rest: &[u8]) -> Option<(usize, Stands)> {
    let with_end = |length: usize| length + usize::from(rest.get(length) == Some(&b';'));
    if let Some(digits) = rest.strip_prefix(b"#") {
        let is_hex = matches!(digits.first(), Some(b'x' | b'X'));
        let (radix, begin) = if is_hex { (16, 1) } else { (10, 0) };
        let digits = &digits[begin..];
        let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
        let count = digits.iter().take(8).take_while(is_digit).count();
        let stands = char::from_u32(number(&digits[..count], radix)?)?;
        return Some((with_end(1 + begin + count), Stands::Char(stands)));
    }
    let count = rest.iter().take(12).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (_, stands) = NAMED.iter().find(|(name, _)| name.as_bytes() == &rest[..count])?;
    Some((with_end(count), Stands::Byte(*stands)))
}

fn backslash(rest: &[u8]) -> Option<(usize, Stands)> {
    let (kind, rest) = rest.split_first()?;
    Some(match kind {
        b'u' if rest.first() == Some(&b'{') => {
            let count = rest[1..].iter().take(8).take_while(|byte| byte.is_ascii_hexdigit()).count();
            let stands = char::from_u32(number(&rest[1..=count], 16)?)?;
            (rest.get(1 + count) == Some(&b'}')).then_some((count + 3, Stands::Char(stands)))?
        }
        b'u' => {
            let unit = number(rest.get(..4)?, 16)?;
            match char::from_u32(unit) {
                Some(stands) => (5, Stands::Char(stands)),
                // A character in two halves.
                None => {
                    let low = number(rest.get(4..)?.strip_prefix(b"\\u")?.get(..4)?, 16)?;
                    let pair = [u16::try_from(unit).ok()?, u16::try_from(low).ok()?];
                    (11, Stands::Char(char::decode_utf16(pair).next()?.ok()?))
                }
            }
        }
        b'x' => (3, Stands::Byte(u8::try_from(number(rest.get(..2)?, 16)?).ok()?)),
        b'n' => (1, Stands::Byte(b'\n')),
        b'r' => (1, Stands::Byte(b'\r')),
        b't' => (1, Stands::Byte(b'\t')),
        other if other.is_ascii_punctuation() => (1, Stands::Byte(*other)),
        _ => return None,
    })
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok()?;
    let is_plain = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    is_plain.then(|| u32::from_str_radix(digits, radix).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_understood_and_their_places_kept() {
        for (text, plain) in [
            ("a%2Fb%2fc%zz%", "a/b/c%zz%"),
            ("&#47;&#x2f;&#X0000002F;&#x2f-&sol;&solx;&;&#;", "////-/&solx;&;&#;"),
            (r"\/\u002f\u{2f}\x2F\\\q\uD83D\uDE00\u12", r"////\\q😀\u12"),
            (r"\n&NewLine;%0a", "\n\n\n"),
        ] {
            assert_eq!(String::from_utf8(unescape(text.as_bytes()).unwrap().bytes).unwrap(), plain, "{text}");
        }
        assert!(unescape(b"plain & simple 100% \\").is_none());
        let plain = unescape(b"ab%252Fcd").unwrap();
        assert_eq!(plain.place(2..5), 2..7);
        assert_eq!(unescape(&plain.bytes).unwrap().of(&plain).place(2..3), 2..7);
        let unwrapped = unwrap_lines(b"a \r\nb ");
        assert_eq!((&unwrapped.bytes[..], unwrapped.place(0..2)), (&b"ab"[..], 0..5));
    }
}
