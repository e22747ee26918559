//! Comments that the WIT parser reads past: those of parameters, from the source text.

use std::collections::BTreeMap;

/// The doc comment directly above the item at byte `at`: a block of `///` lines, or one `/** … */`.
///
/// An item that shares its line with something before it has none, because the comment above that line is
/// the other's.
pub(super) fn comment_above(source: &str, at: usize) -> Option<String> {
    let before = source.get(..at)?;
    let (above, indent) = before.rsplit_once('\n')?;
    if !indent.trim().is_empty() {
        return None;
    }
    let comment = if above.trim_end().ends_with("*/") { block_at_end(above)? } else { lines_at_end(above) };
    (!comment.is_empty()).then_some(comment)
}

fn lines_at_end(above: &str) -> String {
    let mut lines: Vec<&str> = above
        .trim_end()
        .lines()
        .rev()
        .map_while(|line| line.trim().strip_prefix("///"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    lines.reverse();
    lines.join("\n").trim().to_owned()
}

fn block_at_end(above: &str) -> Option<String> {
    let body = above.trim_end().strip_suffix("*/")?;
    let (before, body) = body.rsplit_once("/**")?;
    let starts_its_line = before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    if !starts_its_line {
        return None;
    }
    let lines: Vec<&str> =
        body.lines().map(|line| line.trim().trim_start_matches('*').trim_start()).collect();
    Some(lines.join("\n").trim().to_owned())
}

/// A function's comment, taken apart.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Parted {
    /// What is left of it.
    pub(super) description: Option<String>,
    /// What its list says, by the names that were asked for.
    pub(super) entries: BTreeMap<String, String>,
}

/// Takes entries like ``- `path`: where to look`` out of a comment, for the given kebab-case names. An entry
/// goes on over the lines below it that are indented deeper than its dash. A heading such as `Parameters:`
/// that is left with nothing below it goes too.
pub(super) fn take_entries(comment: &str, names: &[&str]) -> Parted {
    let mut parted = Parted::default();
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = comment.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((name, first)) = entry(line, names) else {
            kept.push(line);
            continue;
        };
        let mut text = first.to_owned();
        while let Some(more) = lines.next_if(|next| indent(next) > indent(line)) {
            text.push(' ');
            text.push_str(more.trim());
        }
        if lines.peek().is_none_or(|next| entry(next, names).is_none()) {
            drop_heading(&mut kept);
            while kept.pop_if(|line| line.trim().is_empty()).is_some() {}
            kept.push("");
            while lines.next_if(|next| next.trim().is_empty()).is_some() {}
        }
        parted.entries.entry(name.to_owned()).or_insert_with(|| text.trim().to_owned());
    }
    let description = kept.join("\n").trim().to_owned();
    parted.description = (!description.is_empty()).then_some(description);
    parted
}

/// The name and the text of an entry's first line.
fn entry<'a, 'n>(line: &'a str, names: &[&'n str]) -> Option<(&'n str, &'a str)> {
    let item = line.trim_start();
    let item = item.strip_prefix("- ").or_else(|| item.strip_prefix("* "))?;
    let (name, text) = item.split_once(':')?;
    let name = name.trim().trim_matches('`');
    let name = names.iter().find(|known| same_name(known, name))?;
    Some((name, text))
}

/// Authors write a parameter's name as in the WIT or as in their own language.
fn same_name(kebab: &str, written: &str) -> bool {
    kebab.len() == written.len()
        && kebab.bytes().zip(written.bytes()).all(|(a, b)| a == b || (a == b'-' && b == b'_'))
}

/// How far the line is indented; an empty line is not.
fn indent(line: &str) -> usize {
    if line.trim().is_empty() { 0 } else { line.len() - line.trim_start().len() }
}

fn drop_heading(kept: &mut Vec<&str>) {
    let Some(last) = kept.iter().rposition(|line| !line.trim().is_empty()) else {
        return;
    };
    let heading = kept[last].trim().trim_start_matches('#').trim().trim_end_matches(':').to_ascii_lowercase();
    if matches!(heading.as_str(), "parameters" | "params" | "arguments" | "args") {
        kept.truncate(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn above(source: &str) -> Option<String> {
        comment_above(source, source.find('@').unwrap())
    }

    #[test]
    fn the_lines_directly_above_are_the_comment() {
        assert_eq!(above("f: func(\n  /// Where to\n  ///   look.\n  @"), Some("Where to\n  look.".into()));
        assert_eq!(above("f: func(\r\n  /// Windows.\r\n  @"), Some("Windows.".into()));
        assert_eq!(above("/** One. */\n@"), Some("One.".into()));
        assert_eq!(above("f(\n  /**\n   * One.\n   * Two.\n   */\n  @"), Some("One.\nTwo.".into()));
    }

    #[test]
    fn comments_of_something_else_are_not_taken() {
        for source in [
            "/// The function's.\nf: func(@",
            "f: func(\n  /// The first's.\n  a: u8, @",
            "f: func(\n  a: u8, /// Behind the first.\n  @",
            "f: func(\n  // No documentation.\n  @",
            "f: func(\n  /// Of nothing.\n  // TODO\n  @",
            "f: func(a: u8, /** first */\n  @",
            "@",
        ] {
            assert_eq!(above(source), None, "{source}");
        }
    }

    #[test]
    fn a_list_of_parameters_is_taken_out_of_the_description() {
        let comment = "Reads a file.\n\nParameters:\n- `path`: where it is,\n  from the workspace\n* max_lines: how many\n\nMore.";
        let parted = take_entries(comment, &["path", "max-lines", "returns"]);
        assert_eq!(parted.description.as_deref(), Some("Reads a file.\n\nMore."));
        assert_eq!(parted.entries["path"], "where it is, from the workspace");
        assert_eq!(parted.entries["max-lines"], "how many");
        assert_eq!(parted.entries.len(), 2);
    }

    #[test]
    fn a_list_of_other_things_stays() {
        let comment = "Modes:\n- fast: quick\n- path\nwith path: x";
        let parted = take_entries(comment, &["path"]);
        assert_eq!(parted.description.as_deref(), Some(comment));
        assert!(parted.entries.is_empty());
        assert_eq!(take_entries("- path: x", &["path"]).description, None);
    }
}
