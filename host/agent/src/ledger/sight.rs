//! What an agent has seen: which lines of which files were in the results that it was given.
//!
//! It is read from the results themselves, whatever tool made them, and from the ledger: a place counts as shown only if the
//! call that showed it really opened the file. A file that mentions another file's line shows nothing of that file, and a page
//! that mentions another page nothing of that page.

use std::collections::{BTreeSet, HashMap, HashSet};

use remit_model::{Content, Transcript};
use serde_json::Value;

use super::place::{one_spelling, one_url, stands_in};
use crate::report::{Evidence, Observed};
use crate::roles::TASK_TOOL;
use remit_sandbox::Entry;

/// What stands between a line's number and its text.
const SEPARATORS: [&str; 3] = [": ", "- ", "\t"];

/// What one agent has seen, and what its tools and those of the agents below it have opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sight {
    opened: HashSet<String>,
    lines: HashMap<String, BTreeSet<u64>>,
    /// Places without a line that a report passed on, which the agent below had seen.
    passed_on: HashSet<String>,
    /// The pages that requests were sent for, in their one spelling, and whether a result showed what came.
    pages: HashMap<String, bool>,
}

/// A result as it entered an agent's messages.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) text: &'a str,
    pub(crate) arguments: &'a str,
    pub(crate) is_error: bool,
    /// Whether the call's entries are all that there are.
    pub(crate) is_complete: bool,
}

impl Sight {
    /// Takes in a result, with what the call did.
    pub(crate) fn take_result(&mut self, seen: Seen<'_>, entries: &[Entry]) {
        let Seen { text, arguments, is_error, is_complete } = seen;
        let mut touched = HashSet::new();
        let mut files = Vec::new();
        for entry in entries {
            match entry {
                Entry::Read { path, .. } => {
                    touched.insert(path.as_str());
                    files.push(path.as_str());
                }
                Entry::Listed { path } | Entry::Changed { path, .. } => {
                    touched.insert(path.as_str());
                }
                Entry::Contacted { .. } | Entry::Ran { .. } | Entry::Refused { .. } => {}
            }
        }
        self.take_pages(entries, is_error);
        self.opened.extend(touched.iter().map(|path| (*path).to_owned()));
        let is_touched = |path: &str| !is_complete || touched.contains(path);
        let mut current = only_file(&files, arguments).map(str::to_owned);
        for line in text.lines() {
            if let Some(number) = numbered(line) {
                if let Some(path) = &current {
                    self.lines.entry(path.clone()).or_default().insert(number);
                }
            } else if let Some(path) = header(line).filter(|path| touched.contains(path.as_str())) {
                current = Some(path);
            }
            for (path, number) in places(line) {
                if is_touched(&path) {
                    self.lines.entry(path).or_default().insert(number);
                }
            }
        }
    }

    /// A call that got a page at the end of redirects has shown it under every address on the way.
    fn take_pages(&mut self, entries: &[Entry], is_error: bool) {
        let contacted = entries.iter().filter_map(|entry| match entry {
            Entry::Contacted { url, status, .. } => Some((one_url(url), *status)),
            _ => None,
        });
        let contacted: Vec<(String, Option<u16>)> = contacted.collect();
        let is_success = |status: Option<u16>| status.is_some_and(|status| (200..300).contains(&status));
        let is_shown = !is_error && contacted.iter().any(|(_, status)| is_success(*status));
        for (url, _) in contacted {
            *self.pages.entry(url).or_default() |= is_shown;
        }
    }

    /// Takes in what an agent below has seen, as far as its report names it. What its tools opened counts as opened.
    pub(crate) fn take_report(&mut self, evidence: &[Evidence], below: &Sight) {
        self.opened.extend(below.opened.iter().cloned());
        for url in below.pages.keys() {
            self.pages.entry(url.clone()).or_default();
        }
        for place in evidence.iter().filter(|place| place.observed == Some(Observed::Shown)) {
            match (place.path.as_deref().and_then(one_spelling), place.line) {
                (Some(path), Some(line)) => {
                    self.lines.entry(path).or_default().insert(line);
                }
                (Some(path), None) => {
                    self.passed_on.insert(path);
                }
                (None, _) => {
                    self.pages.extend(place.url.as_deref().map(|url| (one_url(url), true)));
                }
            }
        }
    }

    /// How a place stands that the agent names as evidence, whose messages are `transcript`.
    pub(crate) fn observed(&self, place: &Evidence, transcript: &Transcript) -> Observed {
        let Some(text) = place.path.as_deref() else {
            let url = place.url.as_deref().unwrap_or_default();
            return match self.pages.get(&one_url(url)) {
                Some(true) => Observed::Shown,
                Some(false) => Observed::Opened,
                None => Observed::No,
            };
        };
        let Some(path) = one_spelling(text) else { return Observed::No };
        let is_opened = self.opened.contains(&path);
        let lines = self.lines.get(&path);
        let is_shown = match place.line {
            Some(line) => lines.is_some_and(|lines| lines.contains(&line)),
            None => {
                lines.is_some()
                    || self.passed_on.contains(&path)
                    || self.is_named(&path, is_opened, transcript)
            }
        };
        match (is_shown, is_opened) {
            (true, _) => Observed::Shown,
            (false, true) => Observed::Opened,
            (false, false) => Observed::No,
        }
    }

    fn is_named(&self, path: &str, is_opened: bool, transcript: &Transcript) -> bool {
        results(transcript).any(|(text, arguments)| {
            // A result that only repeats what it was asked for has shown nothing.
            stands_in(path, text) && (is_opened || !stands_in(path, arguments))
        })
    }
}

/// The results that tools gave without an error, each with the arguments that it was asked with. Reports are no results here:
/// what they name is what somebody says.
fn results(transcript: &Transcript) -> impl Iterator<Item = (&str, &str)> {
    let mut arguments: HashMap<&str, &str> = HashMap::new();
    transcript.messages().iter().filter_map(move |message| match &message.content {
        Content::Assistant { calls, .. } => {
            arguments.extend(calls.iter().map(|call| (call.id.as_str(), call.arguments.as_str())));
            None
        }
        Content::ToolResult { call_id, name, text, is_error: false } if name != TASK_TOOL => {
            Some((text.as_str(), arguments.get(call_id.as_str()).copied().unwrap_or_default()))
        }
        _ => None,
    })
}

/// The file that a call's lines are of, where they name none: the only one that it opened, or the only one of those that its
/// arguments name. A search opens ignore files beside it.
fn only_file<'a>(files: &[&'a str], arguments: &str) -> Option<&'a str> {
    if let [only] = files {
        return Some(only);
    }
    let value: Value = serde_json::from_str(arguments).ok()?;
    let named: Vec<String> = value.as_object()?.values().filter_map(|v| one_spelling(v.as_str()?)).collect();
    let mut asked_for = files.iter().filter(|file| named.iter().any(|name| name == *file));
    let first = asked_for.next()?;
    asked_for.next().is_none().then_some(first)
}

/// The number of `12: text`, `12- text`, `12\ttext`, or of one of them without a text.
fn numbered(line: &str) -> Option<u64> {
    let line = line.trim_start_matches(' ');
    let end = line.find(|c: char| !c.is_ascii_digit())?;
    let (number, rest) = line.split_at(end);
    let separated =
        SEPARATORS.iter().any(|separator| rest.starts_with(separator)) || rest == ":" || rest == "-";
    separated.then(|| number.parse().ok()).flatten().filter(|&number| number > 0)
}

/// The path that a line consists of, with a colon or a remark behind it.
fn header(line: &str) -> Option<String> {
    let line = line.split(" · ").next()?.trim_end();
    one_spelling(line.strip_suffix(':').unwrap_or(line))
}

/// The `path:line` in a line of text, paths in their one spelling.
fn places(line: &str) -> Vec<(String, u64)> {
    let mut places = Vec::new();
    for (colon, _) in line.match_indices(':') {
        let digits = line[colon + 1..].split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        let Ok(number @ 1..) = digits.parse::<u64>() else { continue };
        let before = &line[..colon];
        let word = before.rsplit(|c: char| c.is_whitespace() || "\"'`()[]{}<>,;".contains(c)).next();
        // A path with spaces can stand at the beginning of a line.
        for path in word.into_iter().chain([before]) {
            places.extend(one_spelling(path).map(|path| (path, number)));
        }
    }
    places
}

#[cfg(test)]
mod tests;
