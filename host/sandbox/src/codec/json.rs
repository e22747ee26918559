//! A reader of JSON text (RFC 8259) that knows at each step what it expects, and makes no values of its own.

use std::borrow::Cow;

use super::error::{ArgumentError, Failure};

pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// What a value begins as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Reader<'a> {
        Reader { text, at: 0 }
    }

    /// What the next value is, without reading it.
    pub(super) fn peek(&mut self) -> Result<Kind, Failure> {
        match self.next_byte() {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b'"') => Ok(Kind::String),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b't') => Ok(Kind::True),
            Some(b'f') => Ok(Kind::False),
            Some(b'n') => Ok(Kind::Null),
            _ => Err(self.fail("expected a value")),
        }
    }

    /// Reads `true`, `false` or `null`, as [`peek`](Self::peek) announced it.
    pub(super) fn word(&mut self, word: &'static str) -> Result<(), Failure> {
        self.next_byte();
        if !self.text[self.at..].starts_with(word) {
            return Err(self.fail("expected a value"));
        }
        self.at += word.len();
        match self.byte() {
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_') => Err(self.fail("expected a value")),
            _ => Ok(()),
        }
    }

    /// Reads a number and returns it as it is written.
    pub(super) fn number(&mut self) -> Result<&'a str, Failure> {
        self.next_byte();
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        match self.byte() {
            Some(b'0'..=b'9') => Err(self.fail("a number must not begin with 0")),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'_') => Err(self.fail("expected the end of the number")),
            _ => Ok(&self.text[start..self.at]),
        }
    }

    fn digits(&mut self) -> Result<(), Failure> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
        if self.at == start { Err(self.fail("expected a digit")) } else { Ok(()) }
    }

    /// Reads a string. It is borrowed where it is written without escapes.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Failure> {
        if self.next_byte() != Some(b'"') {
            return Err(self.fail("expected a string"));
        }
        self.at += 1;
        let start = self.at;
        self.plain_characters();
        if self.eat(b'"') {
            return Ok(Cow::Borrowed(&self.text[start..self.at - 1]));
        }
        let mut string = self.text[start..self.at].to_owned();
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(string));
                }
                Some(b'\\') => string.push(self.escape()?),
                Some(_) => return Err(self.fail("a control character in a string must be escaped")),
                None => return Err(self.fail("the string does not end")),
            }
            let start = self.at;
            self.plain_characters();
            string.push_str(&self.text[start..self.at]);
        }
    }

    /// Goes on to the next quote, escape or control character. Those are single bytes that occur in no other
    /// character, so the text can be cut there.
    fn plain_characters(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let plain = rest.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20);
        self.at += plain.unwrap_or(rest.len());
    }

    fn escape(&mut self) -> Result<char, Failure> {
        let start = self.at;
        self.at += 1;
        let escaped = match self.byte() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(start);
            }
            _ => return Err(self.fail_at(start, "no such escape in a string")),
        };
        self.at += 1;
        Ok(escaped)
    }

    /// Reads on behind `\u`. A character beyond the first 65,536 is written as two of them.
    fn unicode_escape(&mut self, start: usize) -> Result<char, Failure> {
        let mut code = u32::from(self.four_digits(start)?);
        if (0xd800..0xdc00).contains(&code) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let low = u32::from(self.four_digits(start)?);
            if (0xdc00..0xe000).contains(&low) {
                code = 0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            }
        }
        char::from_u32(code).ok_or_else(|| self.fail_at(start, "half of a surrogate pair in a string"))
    }

    fn four_digits(&mut self, start: usize) -> Result<u16, Failure> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| !digits.starts_with('+'));
        let code = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        self.at += 4;
        code.ok_or_else(|| self.fail_at(start, "expected four hexadecimal digits behind \\u"))
    }

    /// Enters an object.
    pub(super) fn open_object(&mut self) -> Result<(), Failure> {
        self.expect(b'{', "expected an object")
    }

    /// Goes on to the value of the object's key number `index`, counted from 0, or out of the object. The
    /// value of the key before it has to be read.
    pub(super) fn next_key(&mut self, index: usize) -> Result<Option<Cow<'a, str>>, Failure> {
        if self.eat_next(b'}') {
            return Ok(None);
        }
        if index > 0 {
            self.expect(b',', "expected `,` or `}`")?;
        }
        if self.next_byte() != Some(b'"') {
            return Err(self.fail("expected a key in double quotes"));
        }
        let key = self.string()?;
        self.expect(b':', "expected `:` behind a key")?;
        Ok(Some(key))
    }

    /// Enters an array.
    pub(super) fn open_array(&mut self) -> Result<(), Failure> {
        self.expect(b'[', "expected an array")
    }

    /// Goes on to the array's element number `index`, counted from 0, or out of the array. The element before
    /// it has to be read.
    pub(super) fn has_element(&mut self, index: usize) -> Result<bool, Failure> {
        if self.eat_next(b']') {
            return Ok(false);
        }
        if index > 0 {
            self.expect(b',', "expected `,` or `]`")?;
        }
        Ok(true)
    }

    /// Makes sure that nothing follows.
    pub(super) fn end(&mut self) -> Result<(), Failure> {
        match self.next_byte() {
            None => Ok(()),
            Some(_) => Err(self.fail("expected the end of the arguments")),
        }
    }

    fn expect(&mut self, byte: u8, problem: &'static str) -> Result<(), Failure> {
        if self.eat_next(byte) { Ok(()) } else { Err(self.fail(problem)) }
    }

    fn eat_next(&mut self, byte: u8) -> bool {
        self.next_byte();
        self.eat(byte)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.byte() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// The next byte that is no white space.
    fn next_byte(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fail(&self, problem: &'static str) -> Failure {
        self.fail_at(self.at, problem)
    }

    fn fail_at(&self, at: usize, problem: &'static str) -> Failure {
        let before = &self.text[..self.text.floor_char_boundary(at)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Box::new(ArgumentError::Syntax {
            problem,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        })
    }
}
