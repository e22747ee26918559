//! The planner as an explorer: search, widen the search if it brought little, read the best places, report.

use serde_json::json;

use super::findings::{Findings, pick};
use super::place::{Kind, MANIFESTS, SOURCES, TEXTS, is_manifest, kind, name};
use super::question::{Question, Word};
use super::tools::{Tools, Wish, wish};
use super::topics::{Mark, Place};
use super::weigh::TELLING;
use super::words::{is_han, parts, stem};
use super::work::Work;

/// The most files that are read.
const MAX_READS: usize = 3;

/// The most lines that one reading asks for.
const MAX_LINES: u64 = 160;

/// What to do next.
#[derive(Debug)]
pub(super) enum Step {
    Call(Vec<Wish>),
    Report(Findings),
}

/// Decides the next step from what was done so far.
pub(super) fn next(question: &Question, tools: &Tools<'_>, work: &Work, may_call: bool) -> Step {
    let best = work.sights.first().map_or(0, |sight| sight.score);
    let wishes = match work.rounds {
        _ if !may_call || work.has_read => Vec::new(),
        0 => search(question, tools),
        1 if best < TELLING && tools.grep.is_some() && work.present.is_empty() => widen(question, tools),
        1..=2 => readings(question, tools, work),
        _ => Vec::new(),
    };
    let wishes = match wishes.is_empty() && may_call && work.rounds == 1 && !work.has_read {
        // Nothing to widen: what little there is may still be read.
        true => readings(question, tools, work),
        false => wishes,
    };
    if wishes.is_empty() {
        Step::Report(Findings::of(question, tools, work, may_call))
    } else {
        Step::Call(wishes)
    }
}

fn search(question: &Question, tools: &Tools<'_>) -> Vec<Wish> {
    let mut wishes = Vec::new();
    for topic in &question.topics {
        let marks = |place: Place| {
            let marks: Vec<&Mark> = topic.marks.iter().filter(|mark| mark.place == place).collect();
            let mut texts: Vec<String> = marks.iter().map(|mark| escaped(mark.text)).collect();
            texts.dedup();
            (!texts.is_empty()).then(|| texts.join("|"))
        };
        if let Some(grep) = tools.grep {
            for (place, glob) in [(Place::Manifest, MANIFESTS), (Place::Source, SOURCES)] {
                if let Some(pattern) = marks(place) {
                    let arguments =
                        json!({ "pattern": pattern, "glob": glob, "ignore_case": true, "limit": 200 });
                    wishes.push(wish(grep, arguments));
                }
            }
        }
        if let Some(find) = tools.find.filter(|_| !topic.files.is_empty()) {
            wishes.push(wish(find, json!({ "pattern": topic.files })));
        }
    }
    if !question.topics.is_empty()
        && let Some(find) = tools.find
    {
        wishes.push(wish(find, json!({ "pattern": MANIFESTS })));
    }
    if let (Some(grep), Some(pattern)) = (tools.grep, pattern(question)) {
        let globs = match question.topics.is_empty() {
            true => &[(SOURCES, 300), (TEXTS, 60)][..],
            false => &[(MANIFESTS, 100), (SOURCES, 100)],
        };
        for (glob, limit) in globs {
            let arguments = json!({ "pattern": pattern, "glob": glob, "ignore_case": true, "limit": limit });
            wishes.push(wish(grep, arguments));
        }
    }
    if tools.grep.is_none() && wishes.is_empty() {
        wishes.extend(tools.list.map(|list| wish(list, json!({ "depth": 4 }))));
    }
    wishes
}

/// A search for each word by itself, and for files that bear its name.
fn widen(question: &Question, tools: &Tools<'_>) -> Vec<Wish> {
    let mut wishes = Vec::new();
    let telling: Vec<&Word> = question.words.iter().filter(|word| !word.generic).collect();
    let words = if telling.is_empty() { question.words.iter().collect() } else { telling };
    if words.is_empty() {
        return wishes;
    }
    if let Some(grep) = tools.grep {
        let pattern = words.iter().map(|word| word_pattern(word)).collect::<Vec<_>>().join("|");
        let arguments = json!({ "pattern": pattern, "ignore_case": true, "limit": 300 });
        wishes.push(wish(grep, arguments));
    }
    if let Some(find) = tools.find {
        let globs: Vec<String> = words.iter().map(|word| format!("*{}*", word.own)).collect();
        let pattern = if let [only] = &globs[..] { only.clone() } else { format!("{{{}}}", globs.join(",")) };
        wishes.push(wish(find, json!({ "pattern": pattern })));
    }
    wishes
}

/// The best places, with the lines around them.
fn readings(question: &Question, tools: &Tools<'_>, work: &Work) -> Vec<Wish> {
    let Some(read) = tools.read else { return Vec::new() };
    let mut wanted: Vec<(String, u64, u64)> = Vec::new();
    for sight in pick(question, work) {
        let (path, number) = (&sight.line.path, sight.line.number);
        match wanted.iter_mut().find(|(other, ..)| other == path) {
            Some((_, first, last)) => {
                let (low, high) = (number.min(*first), number.max(*last));
                if high - low < MAX_LINES - 30 {
                    (*first, *last) = (low, high);
                }
            }
            None => wanted.push((path.clone(), number, number)),
        }
    }
    for (_, path) in &work.present {
        wanted.push((path.clone(), 1, 1));
    }
    if wanted.is_empty() {
        wanted.extend(likely(question, work).into_iter().map(|path| (path, 1, MAX_LINES - 30)));
    }
    wanted.dedup_by(|a, b| a.0 == b.0);
    let calls = wanted.into_iter().take(MAX_READS).map(|(path, first, last)| {
        let start = first.saturating_sub(15).max(1);
        wish(read, json!({ "path": path, "start": start, "lines": last - start + 16 }))
    });
    calls.collect()
}

/// The files that may answer by what they are called, where nothing could be searched for.
fn likely(question: &Question, work: &Work) -> Vec<String> {
    let score = |path: &str| {
        let parts = parts(path);
        let named = question
            .words
            .iter()
            .filter(|word| parts.iter().any(|part| word.stems().any(|other| stem(part) == other)));
        let manifest = usize::from(is_manifest(name(path)) && !question.topics.is_empty());
        let kind = kind(path);
        let telling = !matches!(kind, Kind::Generated | Kind::Fixture);
        if telling { 2 * named.count() + 3 * manifest } else { 0 }
    };
    let mut files: Vec<(usize, &String)> = work.files.iter().map(|path| (score(path), path)).collect();
    files.retain(|(score, _)| *score > 0);
    files.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.len().cmp(&b.1.len())));
    files.into_iter().map(|(_, path)| path.clone()).collect()
}

/// What the question's words are searched for by: each two neighbours close together, in either order.
fn pattern(question: &Question) -> Option<String> {
    let mut alternatives: Vec<String> = question.exact.iter().map(|exact| escaped(exact)).collect();
    match &question.words[..] {
        [] => {}
        [only] => alternatives.push(word_pattern(only)),
        _ if !question.topics.is_empty() => alternatives.extend(question.words.iter().map(word_pattern)),
        words => {
            let pairs = words.windows(2).chain(words.windows(3));
            for pair in pairs.filter_map(|pair| pair.first().zip(pair.last())) {
                let (a, b) = (word_pattern(pair.0), word_pattern(pair.1));
                alternatives.push(format!("(?:{a}).{{0,30}}(?:{b})|(?:{b}).{{0,30}}(?:{a})"));
            }
        }
    }
    (!alternatives.is_empty()).then(|| alternatives.join("|"))
}

/// A pattern, for a search that ignores case, of every form of a word, at the start of a part of an identifier.
fn word_pattern(word: &Word) -> String {
    let forms = word.stems().map(|stem| {
        if stem.chars().any(is_han) {
            return escaped(stem);
        }
        let mut capital = stem.to_owned();
        capital[..1].make_ascii_uppercase();
        format!("(?:\\b|_){stem}|(?-i:[a-z0-9]{capital})")
    });
    forms.collect::<Vec<_>>().join("|")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        if char.is_ascii()
            && !char.is_ascii_alphanumeric()
            && !matches!(char, ' ' | '_' | '"' | '\'' | '/' | '@' | ':')
        {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}
