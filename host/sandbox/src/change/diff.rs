//! Changes in words and lines.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use remit_pack::{inert, inert_line};
use similar::{ChangeTag, TextDiff};

use super::{Change, Item, State, find};
use crate::ledger::ChangeKind;

/// How long the comparison of one file may take; after that it is coarser, and still right.
const DIFF_TIME: Duration = Duration::from_millis(200);

/// What becomes of each path that is to be told.
pub(super) fn changes(items: &[Item]) -> Vec<Change> {
    // What moved files have left behind is not told as deleted.
    let origins = items.iter().filter_map(Item::from);
    let origins: BTreeSet<&str> =
        origins.filter(|from| find(items, from).is_some_and(Item::is_removal)).collect();
    let told = items.iter().filter(|item| !origins.contains(item.path.as_str()));
    told.filter_map(|item| change(items, &origins, item)).collect()
}

fn change(items: &[Item], origins: &BTreeSet<&str>, item: &Item) -> Option<Change> {
    let from = item.from().map(str::to_owned);
    let kind = match (&item.now, &item.base) {
        (State::Gone, _) => ChangeKind::Deleted,
        _ if from.is_some() => ChangeKind::Moved,
        (_, None) => ChangeKind::Created,
        (State::Dir, Some(_)) => ChangeKind::Created,
        (_, Some(base)) if base.is_dir() => ChangeKind::Created,
        (_, Some(_)) => ChangeKind::Modified,
    };
    if item.is_about_dir() {
        let prefix = format!("{}/", item.path);
        let says_the_same = |other: &Item| {
            !origins.contains(other.path.as_str())
                && matches!(other.now, State::Gone) == matches!(item.now, State::Gone)
        };
        // Items are in the order of their paths, so those within the directory stand together.
        let first = items.partition_point(|other| other.path < prefix);
        let mut within = items[first..].iter().take_while(|other| other.path.starts_with(&prefix));
        if within.any(says_the_same) {
            return None;
        }
    }
    let (before, after) = sides(items, item);
    let (added, removed, binary) = match (text(before), text(after)) {
        (Some(before), Some(after)) => {
            let (added, removed) = count(before, after);
            (added, removed, false)
        }
        _ => (0, 0, true),
    };
    Some(Change { path: item.path.clone(), kind, from, added, removed, binary })
}

/// The contents to compare: that of a moved file before is at the place that it came from.
pub(super) fn sides<'a>(items: &'a [Item], item: &'a Item) -> (Option<&'a [u8]>, Option<&'a [u8]>) {
    let before = match item.from() {
        Some(from) => find(items, from).and_then(Item::before),
        None => item.before(),
    };
    (before, item.after())
}

/// A content as text; what is not there is empty. None for what is no text.
fn text(content: Option<&[u8]>) -> Option<&str> {
    let content = content.unwrap_or_default();
    std::str::from_utf8(content).ok().filter(|text| !text.contains('\0'))
}

fn count(before: &str, after: &str) -> (u64, u64) {
    let diff = compare(before, after);
    diff.iter_all_changes().fold((0, 0), |(added, removed), change| match change.tag() {
        ChangeTag::Insert => (added + 1, removed),
        ChangeTag::Delete => (added, removed + 1),
        ChangeTag::Equal => (added, removed),
    })
}

fn compare<'a>(before: &'a str, after: &'a str) -> TextDiff<'a, 'a, 'a, str> {
    TextDiff::configure().timeout(DIFF_TIME).diff_lines(before, after)
}

pub(super) fn unified(items: &[Item], changes: &[Change], max_bytes: usize) -> String {
    let mut text = String::new();
    for (number, change) in changes.iter().enumerate() {
        if let Some(item) = find(items, &change.path) {
            one(&mut text, items, item, change);
        }
        if text.len() > max_bytes {
            let left = changes.len() - number - 1;
            let mut cut = text.floor_char_boundary(max_bytes);
            cut = text[..cut].rfind('\n').map_or(cut, |line| line + 1);
            text.truncate(cut);
            let _ = match left {
                0 => writeln!(text, "[… the rest of {} is not shown]", inert_line(&change.path)),
                _ => writeln!(
                    text,
                    "[… the rest of {} and {left} more are not shown]",
                    inert_line(&change.path)
                ),
            };
            break;
        }
    }
    text
}

fn one(text: &mut String, items: &[Item], item: &Item, change: &Change) {
    let path = inert_line(&change.path);
    let old = inert_line(change.from.as_deref().unwrap_or(&change.path));
    let what = if item.is_about_dir() { " (directory)" } else { "" };
    let _ = match change.kind {
        ChangeKind::Created => writeln!(text, "new {path}{what}"),
        ChangeKind::Modified => writeln!(text, "change {path}"),
        ChangeKind::Deleted => writeln!(text, "delete {path}{what}"),
        ChangeKind::Moved => writeln!(text, "move {old} to {path}"),
    };
    let (before, after) = sides(items, item);
    match (self::text(before), self::text(after)) {
        (Some(before), Some(after)) if before != after => {
            let diff = compare(before, after);
            let (a, b) = (
                if before.is_empty() && change.kind == ChangeKind::Created { "/dev/null" } else { &old },
                if change.kind == ChangeKind::Deleted { "/dev/null" } else { &path },
            );
            let unified = diff.unified_diff().context_radius(3).header(a, b).to_string();
            text.push_str(&inert(&unified));
        }
        (Some(_), Some(_)) => {}
        _ => {
            let size = |content: Option<&[u8]>| content.map_or(0, <[u8]>::len);
            let _ = writeln!(text, "no text: {} bytes before, {} after", size(before), size(after));
        }
    }
}
