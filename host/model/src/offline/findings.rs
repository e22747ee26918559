//! What an exploration comes to.

use serde_json::{Value, json};

use super::question::Question;
use super::shape::Shape;
use super::tools::Tools;
use super::topics::Topic;
use super::weigh::{Sight, TELLING};
use super::wording::Wording;
use super::work::Work;

/// The most places that are named.
const MAX_PLACES: usize = 6;

/// The most of them in one file.
const MAX_IN_FILE: usize = 3;

/// The longest quotation of a line, in characters.
const MAX_QUOTE: usize = 120;

/// The result of an exploration, in the question's language.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) summary: String,
    pub(super) evidence: Vec<Evidence>,
    pub(super) warnings: Vec<String>,
    pub(super) open_questions: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Evidence {
    pub(super) path: String,
    pub(super) line: u64,
    pub(super) reason: String,
}

impl Findings {
    pub(super) fn of(question: &Question, tools: &Tools<'_>, work: &Work, in_time: bool) -> Findings {
        let wording = Wording::of(question.chinese);
        let picked = pick(question, work);
        let mut warnings: Vec<String> =
            work.failures.iter().take(5).map(|failure| wording.failed(failure)).collect();
        let can_look = tools.grep.is_some() || tools.read.is_some();
        if !can_look {
            warnings.push(wording.no_tools());
        } else if tools.grep.is_none() {
            warnings.push(wording.no_search());
        }
        if !picked.is_empty() && !work.has_read {
            warnings.push(if in_time { wording.not_read() } else { wording.cut_short() });
        }
        if picked.first().is_some_and(|sight| sight.score < TELLING + 10) {
            warnings.push(wording.weak());
        }
        let open_questions =
            if picked.is_empty() { vec![wording.nothing(&question.shown())] } else { Vec::new() };
        let evidence = picked.iter().map(|sight| Evidence {
            path: sight.line.path.clone(),
            line: sight.line.number,
            reason: reason(sight, &wording),
        });
        let summary = summary(question, &picked, &wording);
        Findings { summary, evidence: evidence.collect(), warnings, open_questions }
    }

    /// The report that an assignment asks for.
    pub(super) fn report(&self) -> Value {
        let evidence: Vec<Value> = self
            .evidence
            .iter()
            .map(|place| json!({ "path": place.path, "line": place.line, "reason": place.reason }))
            .collect();
        json!({
            "summary": self.summary,
            "evidence": evidence,
            "warnings": self.warnings,
            "open_questions": self.open_questions,
        })
    }
}

/// The places that answer, the best first.
pub(super) fn pick(question: &Question, work: &Work) -> Vec<Sight> {
    let Some(best) = work.sights.first().filter(|best| best.score >= least(question)) else {
        return Vec::new();
    };
    let enough = (best.score * 45 / 100).max(1);
    let mut picked: Vec<Sight> = Vec::new();
    for sight in work.sights.iter().take_while(|sight| sight.score >= enough) {
        let in_file = picked.iter().filter(|other| other.line.path == sight.line.path);
        let beside = in_file.clone().any(|other| other.line.number.abs_diff(sight.line.number) <= 1);
        let same_answer = |other: &&Sight| sight.answers.is_some() && other.answers == sight.answers;
        let repeated = match sight.answers {
            // One more place for the same answer is enough.
            Some((_, label)) if !label.is_empty() => picked.iter().filter(same_answer).count() >= 2,
            Some(_) => picked
                .iter()
                .filter(same_answer)
                .any(|other| other.line.text.trim() == sight.line.text.trim()),
            None => beside,
        };
        if picked.len() < MAX_PLACES && in_file.count() < MAX_IN_FILE && !repeated {
            picked.push(sight.clone());
        }
    }
    if question.topics.is_empty() {
        picked.truncate(MAX_PLACES - 1);
    }
    picked
}

/// What a place must say at least. One of several words, under another name, says nothing.
fn least(question: &Question) -> i64 {
    if question.words.len() > 1 && question.topics.is_empty() { 16 } else { 1 }
}

fn summary(question: &Question, picked: &[Sight], wording: &Wording) -> String {
    let Some(best) = picked.first() else { return wording.nothing(&question.shown()) };
    let place = |sight: &Sight| format!("{}:{}", sight.line.path, sight.line.number);
    let Some((topic, _)) = best.answers else {
        let others: Vec<String> = picked[1..].iter().map(place).collect();
        return wording.best_match(&question.shown(), &place(best), &quote(&best.line.text), &others);
    };
    let mut answers: Vec<String> = Vec::new();
    let mut said: Vec<(&Topic, &str)> = Vec::new();
    for sight in picked {
        let Some((of, label)) = sight.answers else { continue };
        if label.is_empty() {
            answers.push(wording.at(&format!("`{}`", quote(&sight.line.text)), &place(sight)));
        } else if !said.contains(&(of, label)) {
            said.push((of, label));
            answers.push(wording.at(label, &place(sight)));
        }
    }
    answers.truncate(4);
    wording.topic(topic.names[usize::from(question.chinese)], &answers)
}

fn reason(sight: &Sight, wording: &Wording) -> String {
    let quote = format!("`{}`", quote(&sight.line.text));
    match (sight.answers, sight.shape) {
        (Some((_, label)), _) if !label.is_empty() => wording.names(label, &quote),
        (None, Shape::Bound) => wording.check(&quote),
        (None, Shape::Refusal) => wording.refusal(&quote),
        (None, Shape::Definition) => wording.definition(&quote),
        _ => quote,
    }
}

/// A line as it may stand in a sentence.
fn quote(line: &str) -> String {
    let line: String = line.trim().replace('`', "'").chars().filter(|char| !char.is_control()).collect();
    match line.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
