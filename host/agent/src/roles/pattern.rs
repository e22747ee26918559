use ignore::gitignore::GitignoreBuilder;
use thiserror::Error;

/// Why a text is no pattern for `hidden` or `reveal`.
///
/// Several of these a `.gitignore` would take and silently match nothing with. Here that would be a file that somebody
/// believes hidden.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternProblem {
    /// Nothing is left of it to match with.
    #[error("the pattern matches nothing")]
    Nothing,
    /// It begins with `!`.
    #[error("a pattern is not negated with `!`")]
    Negated,
    /// It begins with `#`, which would make it a comment.
    #[error("a pattern that begins with `#` is a comment")]
    Comment,
    /// One of its parts is `.`, `..`, or empty between two slashes.
    #[error("no path of the workspace has a part `.`, `..` or an empty one, so the pattern matches nothing")]
    Dots,
    /// It has a NUL, a newline or another control character.
    #[error("a pattern has no control characters")]
    Control,
    /// The pattern's own syntax is broken; the words are the matcher's.
    #[error("{0}")]
    Syntax(String),
}

impl PatternProblem {
    pub(super) fn help(&self) -> Option<&'static str> {
        match self {
            Self::Nothing => {
                Some("patterns are written as in a .gitignore: \"secrets/\", \"*.pem\", \"/config/*.local\"")
            }
            Self::Negated => Some("[ceiling] `reveal` names what is taken from the built-in list"),
            Self::Comment => Some("write \"\\\\#…\" for a name that begins with `#`"),
            Self::Dots => Some("patterns are relative to the workspace: \"/src/x\" is one at its top"),
            Self::Control | Self::Syntax(_) => None,
        }
    }
}

/// Checks that `pattern` is one that a gitignore matcher understands and that can match something.
pub(super) fn check_pattern(pattern: &str) -> Result<(), PatternProblem> {
    if pattern.chars().any(char::is_control) {
        return Err(PatternProblem::Control);
    }
    if pattern.starts_with('!') {
        return Err(PatternProblem::Negated);
    }
    if pattern.starts_with('#') {
        return Err(PatternProblem::Comment);
    }
    let inner = pattern.trim().trim_start_matches('/').trim_end_matches('/');
    if inner.is_empty() {
        return Err(PatternProblem::Nothing);
    }
    if inner.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(PatternProblem::Dots);
    }
    let syntax = |error: ignore::Error| {
        let text = match error {
            ignore::Error::Glob { err, .. } => err,
            other => other.to_string(),
        };
        PatternProblem::Syntax(super::shown::shown_words(&text))
    };
    let mut builder = GitignoreBuilder::new("");
    // A bracket that is left open would be taken for a letter of the name.
    builder.case_insensitive(true).map_err(syntax)?.allow_unclosed_class(false);
    builder.add_line(None, pattern).map_err(syntax)?;
    let rules = builder.build().map_err(syntax)?;
    if rules.is_empty() { Err(PatternProblem::Nothing) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gitignore_patterns_are_taken() {
        for pattern in
            ["secrets/", "*.pem", "/config/*.local", "**/private/**", "a b", "\\#x", "\\!x", "[ab].txt"]
        {
            assert_eq!(check_pattern(pattern), Ok(()), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_would_hide_nothing_is_refused() {
        for (pattern, problem) in [
            ("", PatternProblem::Nothing),
            ("  ", PatternProblem::Nothing),
            ("/", PatternProblem::Nothing),
            ("./", PatternProblem::Dots),
            ("./secrets", PatternProblem::Dots),
            ("a//b", PatternProblem::Dots),
            ("!x", PatternProblem::Negated),
            ("#x", PatternProblem::Comment),
            ("../x", PatternProblem::Dots),
            ("a\0", PatternProblem::Control),
        ] {
            assert_eq!(check_pattern(pattern), Err(problem), "{pattern:?}");
        }
        for pattern in ["[a", "{a,b", "a\\"] {
            assert!(matches!(check_pattern(pattern), Err(PatternProblem::Syntax(_))), "{pattern}");
        }
    }
}
