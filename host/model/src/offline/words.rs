//! Words, however an identifier or a sentence joins them.

/// The parts of a text in lower case: `maxTurns`, `MAX_TURNS`, `max-turns` and "max turns" are all `max`, `turns`.
/// Only ASCII letters and digits make parts.
pub(super) fn parts(text: &str) -> Vec<String> {
    numbered_parts(text).into_iter().map(|(part, _)| part).collect()
}

/// The same, each with a number that the parts of one identifier share.
pub(super) fn numbered_parts(text: &str) -> Vec<(String, usize)> {
    let mut parts: Vec<(String, usize)> = Vec::new();
    let mut identifier = 0;
    let mut previous = Class::Other;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let class = Class::of(char);
        let begins = match (previous, class) {
            (_, Class::Other) => false,
            (Class::Other, _) | (Class::Lower | Class::Digit, Class::Upper) => true,
            // The last capital of `HTTPServer` begins a part.
            (Class::Upper, Class::Upper) => chars.peek().is_some_and(char::is_ascii_lowercase),
            _ => false,
        };
        if begins {
            parts.push((String::new(), identifier));
        }
        if class == Class::Other {
            identifier += usize::from(!matches!(char, '_' | '-'));
        } else if let Some((part, _)) = parts.last_mut() {
            part.push(char.to_ascii_lowercase());
        }
        previous = class;
    }
    parts
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Other,
}

impl Class {
    fn of(char: char) -> Class {
        match char {
            'a'..='z' => Class::Lower,
            'A'..='Z' => Class::Upper,
            '0'..='9' => Class::Digit,
            _ => Class::Other,
        }
    }
}

/// What a word has in common with its other forms: `enforc` for enforce, enforced, enforcing and enforcement. Not
/// linguistics: two words that share a stem are taken for one.
pub(super) fn stem(word: &str) -> &str {
    let mut stem = word;
    loop {
        let shorter = without_ending(stem);
        if shorter == stem {
            return stem;
        }
        stem = shorter;
    }
}

fn without_ending(word: &str) -> &str {
    // With the least number of letters that has to be left.
    const ENDINGS: [(&str, usize); 12] = [
        ("ements", 4),
        ("ement", 4),
        ("ations", 5),
        ("ation", 5),
        ("ings", 4),
        ("ing", 4),
        ("ies", 4),
        ("ied", 4),
        ("ers", 4),
        ("er", 4),
        ("ed", 4),
        ("es", 4),
    ];
    for (ending, least) in ENDINGS {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() >= least) {
            // running, stopped
            return match stem.as_bytes() {
                [.., a, b] if a == b && !matches!(a, b's' | b'l') => &stem[..stem.len() - 1],
                _ => stem,
            };
        }
    }
    match word {
        _ if word.len() < 4 || word.ends_with("ss") => word,
        _ => word.strip_suffix(['s', 'e', 'y']).unwrap_or(word),
    }
}

/// Whether the text holds a Chinese character.
pub(super) fn is_chinese(text: &str) -> bool {
    text.chars().any(is_han)
}

pub(super) fn is_han(char: char) -> bool {
    matches!(char, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// A line without what stands in double quotes: words there are somebody's, not the program's.
pub(super) fn without_strings(line: &str) -> String {
    line.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

/// Where `needle` stands in `text` as a word of its own, without regard to case: not within a longer one.
pub(super) fn holds_word(text: &str, needle: &str) -> bool {
    let (text, needle) = (text.to_ascii_lowercase(), needle.to_ascii_lowercase());
    let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    text.match_indices(&needle).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_word);
        let after = text[at + needle.len()..].chars().next().is_some_and(is_word);
        !(before && needle.starts_with(is_word) || after && needle.ends_with(is_word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_has_the_same_parts_in_every_style() {
        for text in ["max_turns", "maxTurns", "MaxTurns", "MAX_TURNS", "max-turns", "  max turns;"] {
            assert_eq!(parts(text), ["max", "turns"], "{text}");
        }
        assert_eq!(parts("HTTPServer sha256 轮次limit"), ["http", "server", "sha256", "limit"]);
        assert!(parts("测试 …").is_empty());
        let numbers: Vec<usize> =
            numbered_parts("self.maxTurns max_turns").into_iter().map(|(_, n)| n).collect();
        assert_eq!(numbers, [0, 1, 1, 2, 2]);
    }

    #[test]
    fn the_forms_of_a_word_share_a_stem() {
        for forms in [
            &["enforce", "enforced", "enforces", "enforcing", "enforcement"][..],
            &["turn", "turns"],
            &["limit", "limits", "limited", "limiting"],
            &["parse", "parser", "parsing", "parsed"],
            &["cache", "cached", "caching"],
            &["stop", "stopped", "stopping"],
            &["class", "classes"],
            &["register", "registered", "registers"],
            &["iteration", "iterations"],
        ] {
            for form in forms {
                assert_eq!(stem(form), stem(forms[0]), "{form}");
            }
        }
        assert_ne!(stem("turn"), stem("return"));
        assert_ne!(stem("iteration"), stem("iter"));
        assert_eq!(stem("max"), "max");
    }

    #[test]
    fn a_word_is_not_found_within_another() {
        assert!(holds_word("\"pytest>=8\",", "pytest"));
        assert!(holds_word("[dev-dependencies]", "[dev-dependencies]"));
        assert!(!holds_word("mypytest", "pytest") && !holds_word("pytest_x", "pytest"));
        assert!(holds_word("    #[test]", "#[test]"));
    }
}
