//! Keeps a regular expression within a line, so that a whole file can be searched at once.
//!
//! A class such as `[^)]` or `\s` has the line's end in it. Here it is taken out of every class, so that no match
//! goes beyond the line that it began in, and a search of the whole text finds what one of each line would find.

use regex_syntax::hir::{Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange};
use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

/// The same expression, without matches that a line's end is part of.
pub(crate) fn within_line(expression: Hir) -> Result<Hir, &'static str> {
    let all = |parts: Vec<Hir>| parts.into_iter().map(within_line).collect::<Result<Vec<_>, _>>();
    Ok(match expression.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => {
            if literal.0.contains(&b'\n') {
                return Err("a match lies within one line, and this asks for a line's end");
            }
            Hir::literal(literal.0)
        }
        HirKind::Class(Class::Unicode(mut class)) => {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        // Each line is a text of its own.
        HirKind::Look(Look::Start) => Hir::look(Look::StartCRLF),
        HirKind::Look(Look::End) => Hir::look(Look::EndCRLF),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(Repetition { min, max, greedy, sub }) => {
            Hir::repetition(Repetition { min, max, greedy, sub: Box::new(within_line(*sub)?) })
        }
        HirKind::Capture(Capture { index, name, sub }) => {
            Hir::capture(Capture { index, name, sub: Box::new(within_line(*sub)?) })
        }
        HirKind::Concat(parts) => Hir::concat(all(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)?),
    })
}
