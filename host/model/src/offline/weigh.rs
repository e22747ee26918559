//! How much a line says about a question.

use super::lexicon::Asked;
use super::place::{Ecosystem, Kind, depth, ecosystem, is_manifest, kind, name};
use super::question::Question;
use super::results::Line;
use super::shape::Shape;
use super::topics::{Mark, Place, Topic};
use super::words::{holds_word, is_han, numbered_parts, parts, stem, without_strings};

/// From here on a line is more than a single word that happens to be there.
pub(super) const TELLING: i64 = 20;

/// A line that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sight {
    pub(super) line: Line,
    pub(super) score: i64,
    pub(super) shape: Shape,
    /// The topic that it answers, and what its mark calls it.
    pub(super) answers: Option<(&'static Topic, &'static str)>,
}

/// Weighs a line by itself. `near` says whether a telling line stands close by.
pub(super) fn weigh(question: &Question, line: &Line, near: bool) -> Option<Sight> {
    let shape = Shape::of(&line.text);
    let words = words_in(question, line, shape, near);
    let (mark, marked) = question
        .topics
        .iter()
        .filter_map(|topic| mark_in(topic, line).map(|mark| ((*topic, mark.label), mark.weight * 8)))
        .max_by_key(|(_, weight)| *weight)
        .unzip();
    let marked = marked.unwrap_or(0);
    if words == 0 && marked == 0 {
        return None;
    }

    let kind = kind(&line.path);
    let deep = i64::try_from(depth(&line.path)).unwrap_or(i64::MAX).min(20);
    let of_topic = marked * topic_percent(kind, question.about_tests) / 100 * (100 - 8 * deep).max(40) / 100;
    let named = question
        .words
        .iter()
        .filter(|word| parts(&line.path).iter().any(|part| word.stems().any(|other| stem(part) == other)));
    let named = i64::try_from(named.count()).unwrap_or(0) * 5;
    let mut of_words = 0;
    if words > 0 {
        of_words = (words + named) * word_percent(kind, question) / 100 * (100 - 2 * deep).max(80) / 100;
    }
    let score = match (question.topics.is_empty(), question.words.is_empty()) {
        // A topic and a word: the line with the word, in a manifest, is what is asked for.
        (false, false) if words > 0 && is_manifest(name(&line.path)) => 60 + of_topic + of_words,
        (false, false) => of_topic / 2 + of_words,
        _ => of_topic + of_words,
    };
    (score > 0).then(|| Sight { line: line.clone(), score, shape, answers: mark.filter(|_| of_topic > 0) })
}

/// Weighs the lines of one file that were shown together.
pub(super) fn weigh_together(question: &Question, lines: &[Line]) -> Vec<Sight> {
    const CLOSE: u64 = 5;
    let telling: Vec<u64> = lines
        .iter()
        .filter(|line| weigh(question, line, false).is_some_and(|sight| sight.score >= TELLING))
        .map(|line| line.number)
        .collect();
    let near = |number: u64| telling.iter().any(|other| *other != number && other.abs_diff(number) <= CLOSE);
    lines.iter().filter_map(|line| weigh(question, line, near(line.number))).collect()
}

/// How much a line's words and shape say.
fn words_in(question: &Question, line: &Line, shape: Shape, near: bool) -> i64 {
    let mut score = plain(question, &line.text);
    if kind(&line.path) == Kind::Code && line.text.contains('"') {
        score = (score + plain(question, &without_strings(&line.text))) / 2;
    }
    let exact = question.exact.iter().filter(|exact| holds_word(&line.text, exact)).count();
    score += 60 * i64::try_from(exact).unwrap_or(0);
    if score == 0 {
        return 0;
    }
    let telling = score >= 30 || question.words.len() <= 1;
    score += match (question.intent, shape) {
        (_, Shape::Comment) => -12,
        (_, Shape::Import) => -15,
        (_, Shape::Assertion) if !question.about_tests => -25,
        (Some(Asked::Enforced), Shape::Bound) if telling => 34,
        // The bound beside the line that names it.
        (Some(Asked::Enforced), Shape::Bound) if near => 54,
        (Some(Asked::Enforced), Shape::Condition | Shape::Refusal) if telling || near => 20,
        (Some(Asked::Defined), Shape::Definition) => 25,
        (Some(Asked::Used), Shape::Definition) => 0,
        (Some(Asked::Used), _) => 8,
        (_, Shape::Definition) => 8,
        (_, Shape::Bound | Shape::Condition | Shape::Refusal) => 4,
        _ => 0,
    };
    score.max(1)
}

/// How many of the words there are, and how close together.
fn plain(question: &Question, text: &str) -> i64 {
    let parts = numbered_parts(text);
    let stems: Vec<&str> = parts.iter().map(|(part, _)| stem(part)).collect();
    // For each word, where it or one that stands for it is.
    let places: Vec<Vec<usize>> = question
        .words
        .iter()
        .map(|word| (0..stems.len()).filter(|at| word.stems().any(|other| other == stems[*at])).collect())
        .collect();
    let mut score = 0;
    for (word, places) in question.words.iter().zip(&places) {
        let literal = word.own.chars().any(is_han) && text.contains(&word.own);
        score += match literal || places.iter().any(|at| stems[*at] == word.own) {
            true if word.generic => 3,
            true => 10,
            false if places.is_empty() => 0,
            false if word.generic => 2,
            false => 7,
        };
    }
    for (first, a) in places.iter().enumerate() {
        for (second, b) in places.iter().enumerate().skip(first + 1) {
            let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b))).filter(|(a, b)| a != b);
            let closeness = pairs.map(|(a, b)| match a.abs_diff(b) {
                1 if parts[a].1 == parts[b].1 => 30,
                1 => 22,
                2..=5 => 14,
                _ => 5,
            });
            let closeness = closeness.max().unwrap_or(0);
            score += if second == first + 1 { closeness } else { closeness * 6 / 10 };
        }
    }
    score
}

/// The mark of a topic that a line holds in the right kind of file.
fn mark_in(topic: &'static Topic, line: &Line) -> Option<&'static Mark> {
    let of = ecosystem(&line.path)?;
    let manifest = is_manifest(name(&line.path));
    let text = line.text.trim_start();
    if text.starts_with("//") || (text.starts_with('#') && !text.starts_with("#[")) {
        return None;
    }
    let mut start = text;
    for modifier in ["pub ", "export ", "async "] {
        start = start.strip_prefix(modifier).unwrap_or(start);
    }
    if of == Ecosystem::Go {
        start = start.strip_prefix("import ").unwrap_or(start);
    }
    let holds = |mark: &&Mark| {
        mark.of == of
            && match mark.place {
                Place::Manifest => manifest && holds_word(text, mark.text),
                Place::Source if manifest => false,
                // A module's name stands in quotes by its nature; anything else there is somebody's words.
                Place::Source if of == Ecosystem::Node => holds_word(text, mark.text),
                Place::Source => start.starts_with(mark.text),
            }
    };
    topic.marks.iter().filter(holds).max_by_key(|mark| mark.weight)
}

fn topic_percent(kind: Kind, about_tests: bool) -> i64 {
    match kind {
        Kind::Manifest => 100,
        Kind::Code => 90,
        Kind::Config => 60,
        Kind::Docs | Kind::Example => 30,
        Kind::Test if about_tests => 85,
        Kind::Test => 25,
        Kind::Fixture => 5,
        Kind::Generated => 2,
    }
}

fn word_percent(kind: Kind, question: &Question) -> i64 {
    match kind {
        Kind::Code => 100,
        Kind::Manifest => 80,
        Kind::Config => 60,
        Kind::Docs | Kind::Example => 40,
        Kind::Test if question.about_tests => 110,
        Kind::Test => 30,
        Kind::Fixture => 10,
        Kind::Generated => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(question: &str, path: &str, text: &str) -> i64 {
        let line = Line { path: path.into(), number: 1, text: text.into() };
        weigh(&Question::read(question), &line, false).map_or(0, |sight| sight.score)
    }

    const TURN: &str = "Where is the turn limit enforced?";

    #[test]
    fn the_check_outweighs_the_definition_the_comment_the_test_and_the_document() {
        let falling = [
            ("src/budget.rs", "if self.turns >= self.limits.max_turns {"),
            ("src/budget.rs", "pub max_turns: u64,"),
            ("src/budget.rs", "/// The turn limit."),
            ("tests/budget.rs", "if self.turns >= self.limits.max_turns {"),
            ("src/x.rs", "return 3;"),
        ];
        let scores: Vec<i64> = falling.iter().map(|(path, text)| score(TURN, path, text)).collect();
        assert!(scores.windows(2).all(|pair| pair[0] > pair[1]), "{scores:?}");
        assert_eq!(scores[4], 0, "a return is no turn");
    }

    #[test]
    fn a_mark_counts_only_in_its_own_kind_of_file() {
        let question = "Which test framework does this project use?";
        assert!(score(question, "pyproject.toml", "test = [\"pytest>=8\"]") >= TELLING);
        assert!(score(question, "src/a.rs", "    #[test]") >= TELLING);
        for (path, text) in [
            ("src/a.rs", "let names = [\"pytest\", \"#[test]\"];"),
            ("README.md", "we use pytest and jest"),
            ("Cargo.toml", "# pytest, insta"),
            ("package.json", "\"rstest\": 1"),
        ] {
            assert_eq!(score(question, path, text), 0, "{path}: {text}");
        }
    }

    #[test]
    fn a_word_in_a_manifest_outweighs_the_topic_alone() {
        let question = "Which version of serde is used?";
        assert!(
            score(question, "Cargo.toml", "serde = \"1\"")
                > score(question, "Cargo.toml", "version = \"0.1.0\"")
        );
    }
}
