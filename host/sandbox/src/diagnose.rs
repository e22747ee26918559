//! What a file is that is no usable component.

use wasmparser::{Chunk, Parser, Payload};

use crate::error::LoadProblem;

const MAGIC: &[u8] = b"\0asm";
/// Version and layer, bytes 4 to 7.
const MODULE: &[u8] = &[1, 0, 0, 0];
const COMPONENT: &[u8] = &[0x0d, 0, 1, 0];

/// What can be told from the first bytes, before anything is compiled.
pub(crate) fn check_header(bytes: &[u8]) -> Result<(), LoadProblem> {
    if bytes.is_empty() {
        return Err(LoadProblem::Empty);
    }
    let magic = &bytes[..bytes.len().min(4)];
    if !MAGIC.starts_with(magic) {
        return Err(LoadProblem::NotWasm { found: hex(magic) });
    }
    match bytes.get(4..8) {
        None => Err(LoadProblem::Truncated { offset: 0 }),
        Some(MODULE) => Err(LoadProblem::CoreModule),
        Some(COMPONENT) => Ok(()),
        Some(other) => Err(LoadProblem::UnknownFormat { found: hex(other) }),
    }
}

/// Why the compiler refused it.
pub(crate) fn diagnose(bytes: &[u8], error: &wasmtime::Error) -> LoadProblem {
    if let Some(offset) = cut_at(bytes) {
        return LoadProblem::Truncated { offset };
    }
    let reason = format!("{error:#}");
    // The validator has no type for it; a test holds its words.
    if reason.contains("requires the component model async") {
        LoadProblem::Async
    } else {
        LoadProblem::Invalid(reason)
    }
}

/// Where a part begins that the file does not hold the end of.
fn cut_at(bytes: &[u8]) -> Option<u64> {
    let mut parsers = vec![Parser::new(0)];
    let mut rest = bytes;
    loop {
        let parser = parsers.last_mut()?;
        let offset = (bytes.len() - rest.len()) as u64;
        match parser.parse(rest, false) {
            Ok(Chunk::NeedMoreData(_)) if rest.is_empty() && parsers.len() == 1 => return None,
            Ok(Chunk::NeedMoreData(_)) => return Some(offset),
            Ok(Chunk::Parsed { consumed, payload }) => {
                rest = rest.get(consumed..)?;
                match payload {
                    Payload::ModuleSection { parser, .. } | Payload::ComponentSection { parser, .. } => {
                        parsers.push(parser);
                    }
                    Payload::End(_) => {
                        parsers.pop();
                    }
                    _ => {}
                }
            }
            Err(_) => return None,
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}
