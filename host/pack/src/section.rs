//! The outermost custom sections of a component.
//!
//! Only section headers are read: a Python component holds megabytes of core modules, and none of them
//! matters here.

use std::ops::Range;

use wasmparser::BinaryReader;

use crate::PackError;

/// Magic and version: what every component starts with.
const HEADER: [u8; 8] = [0, b'a', b's', b'm', 0x0d, 0, 1, 0];
const CUSTOM: u8 = 0;

/// A custom section, by ranges into the component.
struct Custom {
    /// Its header, name and data.
    whole: Range<usize>,
    name: Range<usize>,
    data: Range<usize>,
}

/// The data of the first custom section of that name, if there is one.
pub(crate) fn find<'a>(component: &'a [u8], name: &str) -> Result<Option<&'a [u8]>, PackError> {
    let found =
        customs(component)?.into_iter().find(|custom| &component[custom.name.clone()] == name.as_bytes());
    Ok(found.map(|custom| &component[custom.data]))
}

/// Puts a custom section at the component's end, in place of those that had its name.
pub(crate) fn replace(mut component: Vec<u8>, name: &str, data: &[u8]) -> Result<Vec<u8>, PackError> {
    for custom in customs(&component)?.into_iter().rev() {
        if &component[custom.name.clone()] == name.as_bytes() {
            component.drain(custom.whole);
        }
    }
    let mut body = Vec::with_capacity(name.len() + data.len() + 5);
    push_length(&mut body, name.len());
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(data);
    component.push(CUSTOM);
    push_length(&mut component, body.len());
    component.append(&mut body);
    Ok(component)
}

fn customs(component: &[u8]) -> Result<Vec<Custom>, PackError> {
    check_header(component)?;
    let mut customs = Vec::new();
    let mut reader = BinaryReader::new(&component[HEADER.len()..], HEADER.len());
    while !reader.eof() {
        let start = reader.original_position();
        read_section(&mut reader, start, &mut customs)
            .map_err(|_| PackError::BadSection { offset: start })?;
    }
    Ok(customs)
}

fn read_section(
    reader: &mut BinaryReader<'_>,
    start: usize,
    customs: &mut Vec<Custom>,
) -> wasmparser::Result<()> {
    let id = reader.read_u8()?;
    let size = reader.read_var_u32()? as usize;
    let body = reader.original_position();
    let bytes = reader.read_bytes(size)?;
    if id == CUSTOM {
        let mut inner = BinaryReader::new(bytes, body);
        let length = inner.read_var_u32()? as usize;
        let name = inner.original_position();
        inner.read_bytes(length)?;
        let end = body + size;
        customs.push(Custom { whole: start..end, name: name..name + length, data: name + length..end });
    }
    Ok(())
}

fn check_header(bytes: &[u8]) -> Result<(), PackError> {
    let found = match bytes {
        [] => "an empty file",
        _ if bytes.starts_with(&HEADER) => return Ok(()),
        _ if bytes.starts_with(b"\0asm\x01\0\0\0") => "a core module",
        _ if bytes.starts_with(b"\0asm") => "WebAssembly of another kind or version",
        _ => "something else",
    };
    Err(PackError::NotAComponent { found })
}

/// Appends an unsigned LEB128 number. Section lengths are 32 bits wide, and `Docs` are far smaller.
fn push_length(bytes: &mut Vec<u8>, mut length: usize) {
    loop {
        let low = (length & 0x7f) as u8;
        length >>= 7;
        bytes.push(if length == 0 { low } else { low | 0x80 });
        if length == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(sections: &[u8]) -> Vec<u8> {
        [HEADER.as_slice(), sections].concat()
    }

    #[test]
    fn a_section_is_replaced_and_others_stay() {
        // A custom section `x` with one byte of data, and a section of another kind.
        let others = [0, 3, 1, b'x', 7, 4, 2, 9, 9];
        let first = replace(component(&others), "name", b"one").unwrap();
        let long = vec![b'z'; 300];
        let second = replace(first, "name", &long).unwrap();
        assert_eq!(find(&second, "name").unwrap(), Some(long.as_slice()));
        assert_eq!(find(&second, "x").unwrap(), Some([7].as_slice()));
        assert_eq!(find(&second, "y").unwrap(), None);
        let third = replace(second, "name", b"").unwrap();
        assert_eq!(third, component(&[&others[..], &[0, 5, 4, b'n', b'a', b'm', b'e']].concat()));
    }

    #[test]
    fn what_is_no_component_is_named() {
        for (bytes, found) in [
            (&b""[..], "an empty file"),
            (b"hello", "something else"),
            (b"\0asm\x01\0\0\0", "a core module"),
            (b"\0asm\x0e\0\x01\0", "WebAssembly of another kind or version"),
        ] {
            assert_eq!(
                find(bytes, "x").unwrap_err().to_string(),
                format!("expected a WebAssembly component, found {found}")
            );
        }
    }

    #[test]
    fn a_component_that_is_cut_off_is_an_error_at_its_last_section() {
        let whole = component(&[4, 1, 9, 0, 3, 1, b'x', 7]);
        for end in [9, 10, 12, 13, 14, 15] {
            let error = find(&whole[..end], "x").unwrap_err();
            let offset = if end < 11 { 8 } else { 11 };
            assert!(matches!(error, PackError::BadSection { offset: at } if at == offset), "{end}: {error}");
        }
        // A name that is longer than its section.
        assert!(find(&component(&[0, 2, 9, b'x']), "x").is_err());
    }
}
