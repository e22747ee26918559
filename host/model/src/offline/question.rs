//! What a question is about, as far as keywords tell.

use super::lexicon::{Asked, WHERE, chinese_stop, chinese_word, generic, is_stop, synonyms};
use super::topics::{PURPOSE, Topic, topics};
use super::words::{is_chinese, is_han, parts, stem};

/// The most topics that one question is taken to have.
const MAX_TOPICS: usize = 2;

/// The most words that are searched for.
const MAX_WORDS: usize = 8;

/// A question, read.
#[derive(Debug)]
pub(super) struct Question {
    /// Answers are in Chinese.
    pub(super) chinese: bool,
    /// What is asked about its words, if it is one of the usual things.
    pub(super) intent: Option<Asked>,
    /// General topics that it names.
    pub(super) topics: Vec<&'static Topic>,
    /// Names and quotations that are searched for as they stand.
    pub(super) exact: Vec<String>,
    /// What else it is about, in the question's order.
    pub(super) words: Vec<Word>,
    /// Whether tests are wanted, and not in the way.
    pub(super) about_tests: bool,
}

/// A word and those that programs use in its place, as stems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// As it was asked, for people.
    pub(super) form: String,
    pub(super) own: String,
    pub(super) others: Vec<String>,
    pub(super) generic: bool,
}

impl Question {
    pub(super) fn read(text: &str) -> Question {
        let (exact, rest) = take_exact(text);
        let lower = rest.to_lowercase();
        let contains = |phrase: &str| find_phrase(&lower, phrase).is_some();
        let asks_where = WHERE.into_iter().any(contains);
        let intent = match () {
            () if Asked::Defined.words().any(contains) => Some(Asked::Defined),
            () if Asked::Enforced.words().any(contains) => Some(Asked::Enforced),
            () if Asked::Used.words().any(contains) && asks_where => Some(Asked::Used),
            () => None,
        };

        let mut named = named_topics(&lower);
        let words_without = |named: &[Named]| content_words(&without(&lower, named));
        if asks_where && !(words_without(&named).is_empty() && exact.is_empty()) {
            // "Where is the build queue checked?" is not about building in general.
            named.retain(|named| !named.is_one_word());
        }
        let words = words_without(&named);
        let mut topics: Vec<&'static Topic> = named.iter().map(|named| named.topic).collect();
        if topics.is_empty() && words.is_empty() && exact.is_empty() {
            topics.push(&PURPOSE);
        }
        let about_tests =
            topics.iter().any(|topic| topic.about_tests) || words.iter().any(|word| word.own == "test");
        Question { chinese: is_chinese(text), intent, topics, exact, words, about_tests }
    }

    /// What is searched for, for people.
    pub(super) fn shown(&self) -> String {
        let exact = self.exact.iter().map(|exact| format!("`{exact}`"));
        let topics = self.topics.iter().map(|topic| topic.names[usize::from(self.chinese)].to_owned());
        let words = self.words.iter().map(|word| word.form.clone());
        topics.chain(exact).chain(words).collect::<Vec<_>>().join(", ")
    }
}

/// Names that are more than a word, and what stands in quotes; and the text without them.
fn take_exact(text: &str) -> (Vec<String>, String) {
    let mut exact = Vec::new();
    let mut rest = String::new();
    for (index, piece) in text.split('`').enumerate() {
        if index % 2 == 1 && !piece.trim().is_empty() && !piece.contains('\n') {
            exact.push(piece.trim().to_owned());
            continue;
        }
        for token in piece.split_inclusive(|char: char| char.is_whitespace() || is_han(char)) {
            let end = token.trim_end_matches(|char: char| char.is_whitespace() || is_han(char));
            let name = end.trim_matches(|char: char| !char.is_alphanumeric() && char != '_' && char != '/');
            if is_name(name) {
                exact.push(name.to_owned());
                rest.push(' ');
                rest.push_str(&token[end.len()..]);
            } else {
                rest.push_str(token);
            }
        }
    }
    exact.dedup();
    exact.truncate(4);
    (exact, rest)
}

/// Whether a token is an identifier or a path and no word of prose.
fn is_name(token: &str) -> bool {
    let inner = token.trim_matches('_');
    let chars: Vec<char> = inner.chars().collect();
    let camel = chars.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let file = token.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=4).contains(&extension.len())
            && extension.chars().all(|c| c.is_ascii_lowercase())
            && token.is_ascii()
            && stem.len() > 1
    });
    token.is_ascii() && inner.len() > 2 && (inner.contains('_') || inner.contains("::") || camel || file)
}

struct Named {
    topic: &'static Topic,
    phrase: &'static str,
    at: usize,
}

impl Named {
    fn is_one_word(&self) -> bool {
        !self.phrase.contains([' ', '-'])
            && self.phrase.chars().count() <= if self.phrase.is_ascii() { 12 } else { 2 }
    }
}

/// The topics whose phrases the question holds; the longest phrase first, none within another.
fn named_topics(lower: &str) -> Vec<Named> {
    let mut all: Vec<Named> = topics()
        .flat_map(|topic| topic.phrases.iter().map(move |phrase| (topic, *phrase)))
        .filter_map(|(topic, phrase)| find_phrase(lower, phrase).map(|at| Named { topic, phrase, at }))
        .collect();
    all.sort_by_key(|named| std::cmp::Reverse(named.phrase.len()));
    let mut kept: Vec<Named> = Vec::new();
    for named in all {
        let overlaps = |other: &Named| {
            named.at < other.at + other.phrase.len() && other.at < named.at + named.phrase.len()
        };
        if kept.len() < MAX_TOPICS && !kept.iter().any(|other| overlaps(other) || other.topic == named.topic)
        {
            kept.push(named);
        }
    }
    kept
}

/// Where a phrase stands; an English one only as words of their own.
fn find_phrase(lower: &str, phrase: &str) -> Option<usize> {
    let is_word = |char: char| char.is_ascii_alphanumeric();
    lower.match_indices(phrase).map(|(at, _)| at).find(|at| {
        !phrase.is_ascii()
            || (!lower[..*at].ends_with(is_word) && {
                let after = &lower[at + phrase.len()..];
                // A plural is the same phrase.
                !after.strip_prefix('s').unwrap_or(after).starts_with(is_word)
            })
    })
}

fn without(lower: &str, named: &[Named]) -> String {
    let mut text = lower.to_owned();
    for named in named {
        text = text.replace(named.phrase, " ");
    }
    text
}

/// The words that matter, in order, none twice.
fn content_words(lower: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut add = |word: Word| {
        let known = |other: &Word| other.own == word.own || other.others.contains(&word.own);
        if words.len() < MAX_WORDS && !words.iter().any(known) {
            words.push(word);
        }
    };
    let mut rest = lower;
    while let Some(first) = rest.chars().next() {
        let han = is_han(first);
        let length = rest.find(|char: char| is_han(char) != han).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(length);
        rest = tail;
        if han {
            chinese_words(run, &mut add);
            continue;
        }
        for part in parts(run) {
            if part.len() > 1 && !is_stop(&part) {
                add(Word::english(&part));
            }
        }
    }
    words
}

/// The known words of a run of Chinese text, and what is left between them.
fn chinese_words(run: &str, add: &mut impl FnMut(Word)) {
    let mut unknown = String::new();
    let mut rest = run;
    while let Some(first) = rest.chars().next() {
        let (length, word) = match (chinese_word(rest), chinese_stop(rest)) {
            (Some((known, _)), Some(stop)) if stop.len() > known.len() => (stop.len(), None),
            (Some((known, english)), _) => (known.len(), Some(english)),
            (None, Some(stop)) => (stop.len(), None),
            (None, None) => {
                unknown.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        if unknown.chars().count() > 1 {
            add(Word::literal(&unknown));
        }
        unknown.clear();
        if let Some(english) = word {
            add(Word::english(english));
        }
        rest = &rest[length..];
    }
    if unknown.chars().count() > 1 {
        add(Word::literal(&unknown));
    }
}

impl Word {
    fn english(word: &str) -> Word {
        let own = stem(word).to_owned();
        let row =
            synonyms().map(|row| row.map(stem).collect::<Vec<_>>()).find(|row| row.contains(&own.as_str()));
        let others = row.into_iter().flatten().filter(|other| *other != own).map(str::to_owned).collect();
        let generic = generic().any(|generic| stem(generic) == own);
        Word { form: word.to_owned(), own, others, generic }
    }

    /// Chinese text as it stands.
    fn literal(text: &str) -> Word {
        Word { form: text.to_owned(), own: text.to_owned(), others: Vec::new(), generic: false }
    }

    pub(super) fn stems(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.own.as_str()).chain(self.others.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Question::read(text).words.into_iter().map(|word| word.form).collect()
    }

    fn topics(text: &str) -> Vec<&'static str> {
        Question::read(text).topics.iter().map(|topic| topic.names[0]).collect()
    }

    #[test]
    fn a_question_about_a_topic_needs_no_further_words() {
        for text in [
            "Which test framework does this project use?",
            "What testing framework is used here?",
            "How are tests run in this repository?",
            "这个项目使用什么测试框架？",
            "请问该项目用的是哪个测试框架?",
        ] {
            assert_eq!(topics(text), ["Test framework"], "{text}");
            assert!(words(text).is_empty(), "{text}: {:?}", words(text));
        }
        assert_eq!(topics("许可证是什么？"), ["License"]);
        assert_eq!(topics("What does this project do?"), ["What it is"]);
        assert_eq!(topics("程序的入口在哪里？"), ["Entry point"]);
    }

    #[test]
    fn a_question_about_a_place_is_its_words() {
        for text in [
            "Where is the turn limit enforced?",
            "Where are turn limits checked in this project?",
            "轮次限制在哪里强制执行？",
            "轮次上限是在哪里检查的？",
        ] {
            let stems: Vec<String> = Question::read(text).words.into_iter().map(|word| word.own).collect();
            assert_eq!(stems, ["turn", "limit"], "{text}");
            assert_eq!(Question::read(text).intent, Some(Asked::Enforced), "{text}");
            assert!(topics(text).is_empty());
        }
        assert_eq!(words("哪里限制了最大轮数？"), ["limit", "turn"]);
        assert_eq!(words("Where is the request body built?"), ["request", "body", "built"]);
    }

    #[test]
    fn a_topic_and_a_word_go_together() {
        let text = "Which version of serde does it depend on?";
        assert_eq!(topics(text), ["Dependencies", "Version"]);
        assert_eq!(words(text), ["serde"]);
    }

    #[test]
    fn names_are_taken_as_they_stand() {
        let question =
            Question::read("Where is `fn run_loop` called, and max_turns or MaxTurns in budget.rs?");
        assert_eq!(question.exact, ["fn run_loop", "max_turns", "MaxTurns", "budget.rs"]);
        assert_eq!(question.intent, Some(Asked::Used));
        assert_eq!(Question::read("谁调用了run_loop函数？").exact, ["run_loop"]);
    }

    #[test]
    fn unknown_chinese_is_searched_for_as_it_stands() {
        assert_eq!(words("退款流程在哪里？"), ["退款流程"]);
    }
}
