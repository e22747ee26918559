//! Which commands a role may run, as patterns of arguments.

use std::fmt;
use std::iter::Peekable;
use std::str::{Chars, FromStr};

use thiserror::Error;

/// What a shell would act on, and what a reader of a pattern might therefore expect to be acted on. There is no shell.
const SHELL: &str = "|&;<>$`()";

/// A pattern of commands, such as `cargo test **`: words, of which `*` stands for exactly one argument and a `**` at the
/// end for any rest, nothing included. It matches a program's arguments one by one; no shell ever sees them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CommandPattern {
    words: Vec<Word>,
    /// It ends with `**`.
    is_open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Word {
    Literal(String),
    /// `*`.
    Any,
}

/// Why a text is no pattern of commands.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{pattern:?} is not a pattern of commands: {reason}")]
pub struct CommandProblem {
    /// The pattern as it was written.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl CommandPattern {
    /// Reads a pattern. Words are split and quoted as in a shell, with `'…'`, `"…"` and `\`; a star that is quoted is
    /// a star.
    ///
    /// # Errors
    ///
    /// When there is no program, it is a wildcard, `**` is not at the end, a quote is not closed, or there is something
    /// that only a shell understands.
    pub fn parse(pattern: &str) -> Result<Self, CommandProblem> {
        let fail = |reason: String| CommandProblem { pattern: pattern.to_owned(), reason };
        let mut words = Vec::new();
        let mut is_open = false;
        for word in split(pattern).map_err(fail)? {
            if is_open {
                return Err(fail("`**` stands for the rest, so nothing can follow it".to_owned()));
            }
            match word {
                Split::Word(word) => words.push(Word::Literal(word)),
                Split::Star => words.push(Word::Any),
                Split::TwoStars => is_open = true,
            }
        }
        match words.first() {
            Some(Word::Literal(program)) if !program.is_empty() => Ok(Self { words, is_open }),
            Some(Word::Literal(_)) => Err(fail("the program's name is empty".to_owned())),
            Some(Word::Any) => {
                Err(fail("it has to name a program: a wildcard there would allow every one".to_owned()))
            }
            None if is_open => {
                Err(fail("it has to name a program: `**` alone would allow every one".to_owned()))
            }
            None => Err(fail(
                "it is empty; write a program and its arguments, such as `cargo test **`".to_owned(),
            )),
        }
    }

    /// The program, as the pattern names it: a name that is looked up, or a path.
    #[must_use]
    pub fn program(&self) -> &str {
        match self.words.first() {
            Some(Word::Literal(program)) => program,
            Some(Word::Any) | None => "",
        }
    }

    /// Whether the pattern allows this command: a program and its arguments.
    #[must_use]
    pub fn matches(&self, argv: &[String]) -> bool {
        let fits = if self.is_open { argv.len() >= self.words.len() } else { argv.len() == self.words.len() };
        fits && self.words.iter().zip(argv).all(|(word, argument)| match word {
            Word::Literal(literal) => literal == argument,
            Word::Any => true,
        })
    }

    /// Whether this pattern allows every command that `other` allows.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let fits = if self.is_open {
            other.words.len() >= self.words.len()
        } else {
            !other.is_open && other.words.len() == self.words.len()
        };
        fits && self.words.iter().zip(&other.words).all(|(own, other)| *own == Word::Any || own == other)
    }
}

impl FromStr for CommandPattern {
    type Err = CommandProblem;

    fn from_str(pattern: &str) -> Result<Self, CommandProblem> {
        Self::parse(pattern)
    }
}

/// In a form that can be read back.
impl fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, word) in self.words.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            match word {
                Word::Literal(literal) => f.write_str(&quoted(literal))?,
                Word::Any => f.write_str("*")?,
            }
        }
        if self.is_open { f.write_str(" **") } else { Ok(()) }
    }
}

/// A command in one line, each argument quoted where it has to be: what the patterns are written in.
#[must_use]
pub fn shown(argv: &[String]) -> String {
    argv.iter().map(|argument| quoted(argument)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain =
        |c: char| !c.is_whitespace() && !matches!(c, '\'' | '"' | '\\' | '*' | '~') && !SHELL.contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

enum Split {
    Word(String),
    Star,
    TwoStars,
}

fn split(text: &str) -> Result<Vec<Split>, String> {
    if let Some(control) = text.chars().find(|c| c.is_control() && !c.is_whitespace()) {
        return Err(format!("it holds the control character {control:?}"));
    }
    let mut words = Vec::new();
    let mut rest = text.chars().peekable();
    loop {
        while rest.next_if(|c| c.is_whitespace()).is_some() {}
        if rest.peek().is_none() {
            return Ok(words);
        }
        words.push(word(&mut rest)?);
    }
}

fn word(rest: &mut Peekable<Chars<'_>>) -> Result<Split, String> {
    let mut word = String::new();
    let mut stars = 0;
    let mut is_quoted = false;
    if rest.peek() == Some(&'~') {
        return Err("`~` is not expanded; write the path, or quote it".to_owned());
    }
    while let Some(c) = rest.next_if(|c| !c.is_whitespace()) {
        match c {
            '\'' | '"' => {
                is_quoted = true;
                quotation(c, rest, &mut word)?;
            }
            '\\' => {
                is_quoted = true;
                word.push(rest.next().ok_or("it ends with a backslash, which quotes nothing")?);
            }
            '*' => stars += 1,
            c if SHELL.contains(c) => {
                return Err(format!(
                    "`{c}` means something to a shell, and there is none; quote it if it is meant"
                ));
            }
            c => word.push(c),
        }
    }
    match (stars, word.is_empty() && !is_quoted) {
        (0, _) => Ok(Split::Word(word)),
        (1, true) => Ok(Split::Star),
        (2, true) => Ok(Split::TwoStars),
        _ => Err("a wildcard stands for whole arguments: `*` for one, `**` for the rest; quote a star that is meant as \
                  one"
        .to_owned()),
    }
}

fn quotation(mark: char, rest: &mut Peekable<Chars<'_>>, word: &mut String) -> Result<(), String> {
    while let Some(c) = rest.next() {
        match c {
            c if c == mark => return Ok(()),
            '\\' if mark == '"' => match rest.next_if(|c| matches!(c, '"' | '\\' | '$' | '`')) {
                Some(escaped) => word.push(escaped),
                None => word.push('\\'),
            },
            c => word.push(c),
        }
    }
    Err(format!("the quotation that begins with {mark} has no end"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(text: &str) -> CommandPattern {
        CommandPattern::parse(text).unwrap()
    }

    fn argv(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_pattern_allows_the_commands_that_it_names_and_no_other() {
        for (text, allowed, others) in [
            (
                "cargo test",
                vec!["cargo test"],
                vec!["cargo", "cargo test --lib", "cargo build", "cargo Test"],
            ),
            ("cargo test **", vec!["cargo test", "cargo test --lib -- a"], vec!["cargo", "cargo build"]),
            ("pytest -q *", vec!["pytest -q a.py"], vec!["pytest -q", "pytest -q a b", "pytest a.py -q"]),
            ("make * **", vec!["make a", "make a b"], vec!["make"]),
        ] {
            let split = |line: &str| argv(&line.split(' ').collect::<Vec<_>>());
            for line in allowed {
                assert!(pattern(text).matches(&split(line)), "{text} must allow {line}");
            }
            for line in others {
                assert!(!pattern(text).matches(&split(line)), "{text} must not allow {line}");
            }
        }
        assert!(!pattern("cargo **").matches(&[]));
    }

    #[test]
    fn words_are_quoted_as_in_a_shell_and_nothing_is_expanded() {
        let pattern = pattern(r#"echo 'a b' "c \"d\" \n" e\ f '*' '' *"#);
        assert!(pattern.matches(&argv(&["echo", "a b", "c \"d\" \\n", "e f", "*", "", "anything at all"])));
        assert!(!pattern.matches(&argv(&["echo", "a b", "c \"d\" \\n", "e f", "x", "", "y"])));
    }

    #[test]
    fn what_only_a_shell_understands_is_refused() {
        for (text, reason) in [
            ("", "it is empty"),
            ("  ", "it is empty"),
            ("''", "name is empty"),
            ("*", "has to name a program"),
            ("**", "has to name a program"),
            ("cargo ** test", "nothing can follow"),
            ("cargo test a*", "whole arguments"),
            ("cargo ***", "whole arguments"),
            ("cargo '*'*", "whole arguments"),
            ("cargo test && rm", "`&` means something to a shell"),
            ("cargo test | tee", "`|` means something to a shell"),
            ("echo $HOME", "`$` means something to a shell"),
            ("~/bin/tool", "`~` is not expanded"),
            ("echo 'a", "has no end"),
            ("echo a\\", "ends with a backslash"),
            ("echo \u{1b}[2J", "control character"),
        ] {
            let error = CommandPattern::parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_wider_pattern_covers_a_narrower_one() {
        for (wide, narrow) in [
            ("cargo test **", "cargo test"),
            ("cargo test **", "cargo test --lib *"),
            ("cargo test **", "cargo test * **"),
            ("pytest *", "pytest a"),
            ("pytest *", "pytest *"),
        ] {
            assert!(pattern(wide).covers(&pattern(narrow)), "{wide} covers {narrow}");
        }
        for (narrow, wide) in [
            ("cargo test", "cargo test **"),
            ("cargo test * **", "cargo test **"),
            ("pytest a", "pytest *"),
            ("pytest * *", "pytest *"),
            ("cargo test **", "cargo **"),
        ] {
            assert!(!pattern(narrow).covers(&pattern(wide)), "{narrow} does not cover {wide}");
        }
    }

    fn words() -> impl Strategy<Value = Vec<String>> {
        // Few words, so that patterns and commands often agree.
        prop::collection::vec(prop::sample::select(vec!["a", "b", "*", "it's", "", "x y"]), 0..4)
            .prop_map(|words| words.into_iter().map(str::to_owned).collect())
    }

    prop_compose! {
        fn patterns()(words in words(), any in prop::collection::vec(any::<bool>(), 4), is_open in any::<bool>())
            -> CommandPattern {
            let literal = |word| Word::Literal(word);
            let rest = words.into_iter().zip(any).map(|(word, any)| if any { Word::Any } else { literal(word) });
            let words = std::iter::once(literal("a".to_owned())).chain(rest).collect();
            CommandPattern { words, is_open }
        }
    }

    proptest! {
        #[test]
        fn what_covers_allows_all_that_the_covered_allows(
            wide in patterns(), narrow in patterns(), rest in words(),
        ) {
            let argv: Vec<String> = std::iter::once("a".to_owned()).chain(rest).collect();
            if wide.covers(&narrow) && narrow.matches(&argv) {
                prop_assert!(wide.matches(&argv), "{wide} | {narrow} | {argv:?}");
            }
        }

        #[test]
        fn a_pattern_covers_itself_and_reads_back_as_it_is_shown(pattern in patterns()) {
            prop_assert!(pattern.covers(&pattern));
            prop_assert_eq!(CommandPattern::parse(&pattern.to_string()).unwrap(), pattern);
        }

        #[test]
        fn a_command_as_it_is_shown_is_the_pattern_of_itself(rest in prop::collection::vec("[^\\p{Cc}]{0,5}", 0..4)) {
            let argv: Vec<String> = std::iter::once("a".to_owned()).chain(rest).collect();
            prop_assert!(CommandPattern::parse(&shown(&argv)).unwrap().matches(&argv));
        }
    }
}
