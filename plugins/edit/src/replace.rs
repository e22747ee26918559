use memchr::memmem;
use workspace::{Workspace, wording};

use crate::document::{Document, Splice, lines, newlines, with_lf};
use crate::nearest::Nearest;
use crate::{place, shown};

/// `edit-file` of the plugin's WIT.
///
/// # Errors
/// What is to be told to the model.
pub fn edit_file(
    workspace: &Workspace,
    path: &str,
    old: &str,
    new: &str,
    all: Option<bool>,
) -> Result<String, String> {
    let path = place::file_path(path)?;
    if old.is_empty() {
        return Err(
            "old is empty: give the text to replace, or write the whole file with write_file".to_owned()
        );
    }
    if old == new {
        return Err("old and new are the same: there is nothing to change".to_owned());
    }
    let (old, new) = (with_lf(old), with_lf(new));
    if old == new {
        return Err("old and new differ only in line ends, and a file keeps those that it has; \
                    write_file writes a file with the ones that it is given"
            .to_owned());
    }
    let document = place::read(workspace, &path)?;
    let found = found(document.text(), &old);
    match found.len() {
        0 => return Err(not_found(&document, &path, &old, &new)),
        1 => {}
        _ if all == Some(true) => {}
        times => {
            return Err(format!(
                "old is in {} {times} times, at {}: add lines around it until it is there once, or set all",
                wording::name(&path),
                shown::numbers(&line_numbers(document.text(), &old, &found)),
            ));
        }
    }

    // What is the same at both ends stays as it is, line ends and all.
    let (head, tail) = common_ends(&old, &new);
    let middle = &new[head..new.len() - tail];
    let gone = old.len() - head - tail;
    let mut splices: Vec<Splice> = Vec::with_capacity(found.len());
    let mut free = 0;
    for at in found {
        if at >= free {
            free = at + old.len();
            let start = at + head;
            splices.push(Splice { range: start..start + gone, text: middle.to_owned(), ends: None });
        }
    }
    place::check_size(
        &path,
        document.text().len() + document.ends().len() + splices.len() * middle.len().saturating_sub(gone),
    )?;
    let (edited, places) = document.splice(&splices);
    let shown = shown::lines(&edited, &places);
    let count = wording::counted(edited.line_count() as u64, "line", "lines");
    workspace.write(&path, edited.written().as_bytes()).map_err(place::explained(workspace))?;
    let where_to = if let [place] = &places[..] {
        shown::span(place.start + 1, place.end)
    } else {
        let mut numbers: Vec<_> = places.iter().map(|place| place.start + 1).collect();
        numbers.dedup();
        format!("{} replacements, {}", wording::count(places.len() as u64), shown::numbers(&numbers))
    };
    Ok(format!("edited {}: {where_to} of {count}{shown}", wording::name(&path)))
}

/// Where `old` is. Places that overlap are both there, so that it is noticed that one of them would be chosen.
fn found(text: &str, old: &str) -> Vec<usize> {
    let mut found: Vec<_> = memmem::find_iter(text.as_bytes(), old.as_bytes()).collect();
    if let [only] = found[..] {
        let rest = &text.as_bytes()[only + 1..];
        found.extend(memmem::find(rest, old.as_bytes()).map(|second| only + 1 + second));
    }
    found
}

/// The numbers of the lines that these places are in; a place that begins with line ends is where they end.
fn line_numbers(text: &str, old: &str, places: &[usize]) -> Vec<usize> {
    let ahead = old.len() - old.trim_start_matches('\n').len();
    let ahead = if ahead == old.len() { 0 } else { ahead };
    let (mut numbers, mut line, mut at) = (Vec::new(), 1, 0);
    for place in places {
        line += newlines(&text[at..place + ahead]);
        at = place + ahead;
        numbers.push(line);
    }
    numbers.dedup();
    numbers
}

/// How many bytes two texts have in common at their start, and at their end.
fn common_ends(one: &str, other: &str) -> (usize, usize) {
    let same = |(a, b): &(char, char)| a == b;
    let width = |(c, _): (char, char)| c.len_utf8();
    let head: usize = one.chars().zip(other.chars()).take_while(same).map(width).sum();
    let (one, other) = (&one[head..], &other[head..]);
    (head, one.chars().rev().zip(other.chars().rev()).take_while(same).map(width).sum())
}

/// What to say to somebody who took for a part of a file what is none.
fn not_found(document: &Document, path: &str, old: &str, new: &str) -> String {
    let name = wording::name(path);
    let text = document.text();
    if text.is_empty() {
        return format!("old is not in {name}: the file is empty; write_file writes it");
    }
    if let Some(bare) = without_numbers(old)
        && text.contains(&bare)
    {
        return format!(
            "old is not in {name} with line numbers in front of its lines: give the lines without them"
        );
    }
    let unescaped = old.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"");
    if unescaped != old && text.contains(&unescaped) {
        return format!(
            "old is not in {name} with its backslashes: give line ends, tabs and quotes as they are"
        );
    }
    let made = if new.trim().len() > 2 && text.contains(new) { "; new is there already" } else { "" };
    match Nearest::find(text, old) {
        Some(nearest) => format!("old is not in {name}{made}. Nearest: {}", nearest.describe("old")),
        None => format!("old is not in {name}{made}, nor anything like it: read the file"),
    }
}

/// Lines without the numbers that `read_file` shows in front of them, if each has one.
fn without_numbers(text: &str) -> Option<String> {
    let mut bare = Vec::new();
    for line in lines(text) {
        let digits = line.trim_start_matches(' ').trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = line.trim_start_matches(' ').len() > digits.len();
        bare.push(digits.strip_prefix('\t').filter(|_| numbered)?);
    }
    Some(bare.join("\n"))
}
