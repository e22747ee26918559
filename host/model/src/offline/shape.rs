//! What a line of a program does, as far as its beginning and its signs tell.

/// What a line is, besides its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// It goes on only if one quantity is larger than another.
    Bound,
    /// Another condition.
    Condition,
    /// An error is made.
    Refusal,
    Definition,
    Comment,
    Import,
    /// What a test says.
    Assertion,
    Other,
}

const COMMENTS: [&str; 10] = ["//", "# ", "#!", "#:", "/*", "* ", "\"\"\"", "<!--", "-- ", ":param"];
const IMPORTS: [&str; 6] = ["use ", "pub use ", "import ", "from ", "mod ", "pub mod "];
const ASSERTIONS: [&str; 7] = ["assert", "debug_assert", "expect(", "it(", "test(", "describe(", "def test_"];
const CONDITIONS: [&str; 9] =
    ["if ", "if(", "} else if ", "elif ", "while ", "while(", "unless ", "ensure!(", "|| "];
const REFUSALS: [&str; 5] = ["raise ", "throw ", "bail!", "return Err(", "Err("];
const MODIFIERS: [&str; 11] = [
    "pub(crate) ",
    "pub(super) ",
    "pub ",
    "export ",
    "default ",
    "static ",
    "async ",
    "private ",
    "public ",
    "protected ",
    "abstract ",
];
const DEFINITIONS: [&str; 13] = [
    "fn ",
    "struct ",
    "enum ",
    "trait ",
    "const ",
    "type ",
    "def ",
    "class ",
    "function ",
    "interface ",
    "func ",
    "macro_rules!",
    "impl ",
];

impl Shape {
    pub(super) fn of(line: &str) -> Shape {
        let text = line.trim_start();
        let starts = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
        let holds = |texts: &[&str]| texts.iter().any(|other| text.contains(other));
        if starts(&COMMENTS) {
            return Shape::Comment;
        }
        if starts(&IMPORTS) {
            return Shape::Import;
        }
        if starts(&ASSERTIONS) {
            return Shape::Assertion;
        }
        let decides =
            starts(&CONDITIONS) || holds(&[" if ", " && ", " || "]) || starts(&["&& ", "and ", "or "]);
        if decides || starts(&["return "]) {
            if holds(&[">=", "<=", " > ", " < "]) {
                return Shape::Bound;
            }
            if decides {
                return Shape::Condition;
            }
        }
        if starts(&REFUSALS) || holds(&["Exceeded", "exhausted(", "Err("]) && !text.starts_with("class ") {
            return Shape::Refusal;
        }
        if is_prose(text) {
            return Shape::Comment;
        }
        let mut head = text;
        while let Some(rest) = MODIFIERS.iter().find_map(|modifier| head.strip_prefix(modifier)) {
            head = rest;
        }
        if DEFINITIONS.iter().any(|start| head.starts_with(start)) {
            return if is_sentence(head) { Shape::Assertion } else { Shape::Definition };
        }
        let name = head.split(['=', ':']).next().unwrap_or_default().trim();
        let constant = |char: char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_';
        match name.len() > 2 && name.chars().all(constant) && head.contains('=') {
            true => Shape::Definition,
            false => Shape::Other,
        }
    }
}

/// Whether a line has the look of a sentence, as within a comment that began further up.
fn is_prose(text: &str) -> bool {
    text.split_whitespace().count() >= 5 && !text.contains(['(', ')', '{', '}', '[', ']', '=', ';', '<', '>'])
}

/// Whether a function's name is a sentence, as tests are called.
fn is_sentence(head: &str) -> bool {
    head.starts_with("fn ")
        && head.split('(').next().is_some_and(|name| name.matches('_').count() >= 4)
        && head.contains("()")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_known_by_its_beginning_and_its_signs() {
        for (line, shape) in [
            ("    if self.turns >= self.limits.max_turns {", Shape::Bound),
            ("if (turn >= maxTurns) {", Shape::Bound),
            ("        elif turns > limit:", Shape::Bound),
            ("if name == \"x\" {", Shape::Condition),
            ("let more = a > b;", Shape::Other),
            ("raise MaxTurnsExceeded(turns)", Shape::Refusal),
            ("class MaxTurnsExceeded(Exception):", Shape::Definition),
            ("pub(crate) async fn run_loop(limits: Limits) {", Shape::Definition),
            ("export const DEFAULT_MAX = 10;", Shape::Definition),
            ("MAX_TURNS = 10", Shape::Definition),
            ("fn the_turn_limit_is_enforced() {", Shape::Assertion),
            ("assert!(turns <= max);", Shape::Assertion),
            ("/// The turn limit.", Shape::Comment),
            ("#[test]", Shape::Other),
            ("when the turn limit is reached, the loop ends.", Shape::Comment),
            ("from .loop import run", Shape::Import),
            ("turns += 1;", Shape::Other),
        ] {
            assert_eq!(Shape::of(line), shape, "{line}");
        }
    }
}
