//! A page as text: headings, lists, tables, code and links, much as Markdown writes them.
//!
//! The library that is used parts HTML into tags and text by the standard's rules. What is made of them here needs no
//! tree: only which elements are open. It takes one pass, whatever the page looks like.

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::open::{Open, OpenElements};
use crate::tag::Tag;
use crate::tags::Kind;

/// How many elements may be open: more are not told apart.
const MAX_OPEN: usize = 256;

/// How deep lists and quotes are shown.
const MAX_INDENTS: usize = 8;

/// The longest title, in bytes.
const MAX_TITLE: usize = 300;

/// What marks itself as the main part, and has less text in bytes, is none.
const MIN_MAIN: usize = 400;

/// A page that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) text: String,
    /// Whether the text is the part alone that the page marks as its main one.
    pub(crate) is_main_part: bool,
    /// Where in the text the part begins that the URL's fragment names.
    pub(crate) anchor: Option<usize>,
}

/// Reads a page that is at `url`, fragment and all.
pub(crate) fn read(html: &str, url: &Url) -> Page {
    let mut reader = Reader::new(url);
    let mut tag = Tag::default();
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
        match event {
            CallbackEvent::OpenStartTag { name } => tag = Tag::new(name),
            CallbackEvent::AttributeName { name } => tag.begin(name),
            CallbackEvent::AttributeValue { value } => tag.set(value),
            CallbackEvent::CloseStartTag { self_closing } => reader.start(&tag, self_closing),
            CallbackEvent::EndTag { name } => reader.end(name),
            CallbackEvent::String { value } => reader.text(&String::from_utf8_lossy(value)),
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
        None
    });
    emitter.naively_switch_states(true);
    // What is in memory can be read.
    let Ok(()) = Tokenizer::new_with_emitter(html, emitter).finish();
    reader.finish()
}

/// What stands between the text so far and what comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    Nothing,
    Space,
    Line,
    Empty,
}

/// A link that is open.
#[derive(Debug)]
struct Link {
    url: Url,
    /// Whether its text has begun.
    has_text: bool,
}

struct Reader {
    url: Url,
    base: Option<Url>,
    out: String,
    gap: Gap,
    /// What comes before the next text of an item.
    bullet: String,
    /// What comes before the next text of a heading.
    heading: &'static str,
    open: OpenElements,
    /// How many of the open elements are hidden, and so on.
    hidden: usize,
    pre: usize,
    link: Option<Link>,
    title: Option<String>,
    in_title: bool,
    main: Option<(usize, usize)>,
    /// What the URL's fragment names, and where that is.
    fragment: Option<String>,
    anchor: Option<usize>,
}

impl Reader {
    fn new(url: &Url) -> Self {
        Self {
            url: url.clone(),
            base: None,
            out: String::new(),
            gap: Gap::Nothing,
            bullet: String::new(),
            heading: "",
            open: OpenElements::default(),
            hidden: 0,
            pre: 0,
            link: None,
            title: None,
            in_title: false,
            main: None,
            fragment: url.fragment().map(|name| percent_decode_str(name).decode_utf8_lossy().into_owned()),
            anchor: None,
        }
    }

    fn start(&mut self, tag: &Tag, closes_itself: bool) {
        let kind = Kind::of(&tag.name);
        self.end_implied(kind);
        let is_hidden = kind == Kind::Hidden || tag.is_hidden();
        self.note_anchor(kind, tag);
        if kind.is_void() {
            if self.hidden == 0 && !is_hidden {
                self.void(kind, tag);
            }
            return;
        }
        // In a drawing a tag can close itself; in a page it cannot.
        let closes_itself = closes_itself && (self.hidden > 0 || &*tag.name == b"svg");
        let is_full = self.open.len() >= MAX_OPEN && (self.hidden > 0 || !is_hidden);
        if closes_itself || is_full {
            return;
        }
        let is_main = &*tag.name == b"main" || tag.get("role") == Some("main");
        let mut open = Open {
            name: tag.name.clone(),
            kind,
            is_hidden,
            is_main: is_main && !is_hidden && self.hidden == 0 && self.main.is_none(),
            next: tag.get("start").and_then(|start| start.parse().ok()).unwrap_or(1),
            begin: 0,
            cells: 0,
        };
        self.hidden += usize::from(is_hidden);
        if kind == Kind::Title && self.hidden == 0 && self.title.is_none() {
            self.in_title = true;
            self.title = Some(String::new());
        }
        if self.hidden == 0 {
            self.begin(&mut open, tag);
        }
        self.open.push(open);
    }

    fn note_anchor(&mut self, kind: Kind, tag: &Tag) {
        let is_named = |key: &str| self.fragment.is_some() && tag.get(key) == self.fragment.as_deref();
        if self.anchor.is_none() && (is_named("id") || (kind == Kind::Link && is_named("name"))) {
            self.anchor = Some(self.out.len());
        }
    }

    fn begin(&mut self, open: &mut Open, tag: &Tag) {
        if open.is_main {
            self.part(Gap::Empty);
            self.main = Some((self.out.len(), usize::MAX));
        }
        match open.kind {
            Kind::Heading(level) => {
                self.part(Gap::Empty);
                self.heading = &"###### "[6 - usize::from(level)..];
            }
            Kind::Line | Kind::Definition => self.part(Gap::Line),
            Kind::Paragraph | Kind::Block | Kind::Quote | Kind::Table => self.part(Gap::Empty),
            Kind::List { .. } => {
                self.part(if self.open.has_items() { Gap::Line } else { Gap::Empty });
            }
            Kind::Item => {
                self.part(Gap::Line);
                let list = self.open.innermost_list();
                self.bullet = match list {
                    Some(list) if list.kind == (Kind::List { numbered: true }) => {
                        list.next = list.next.saturating_add(1);
                        format!("{}. ", list.next - 1)
                    }
                    _ => "- ".to_owned(),
                };
            }
            Kind::Pre => {
                self.part(Gap::Empty);
                self.flush();
                self.out.push_str("```");
                self.gap = Gap::Line;
                self.pre += 1;
            }
            Kind::Code if self.pre == 0 => {
                self.flush();
                self.out.push('`');
            }
            Kind::Link => self.begin_link(tag),
            Kind::Row => {
                self.part(Gap::Line);
                open.begin = self.out.len();
            }
            Kind::Cell => {
                let row = self.open.innermost_row();
                let is_first = row.is_none_or(|row| {
                    row.cells += 1;
                    row.cells == 1
                });
                if !is_first {
                    if self.gap < Gap::Line {
                        self.gap = Gap::Nothing;
                    }
                    self.flush();
                    self.out.push_str(" | ");
                }
                open.begin = self.out.len();
            }
            _ => {}
        }
    }

    fn void(&mut self, kind: Kind, tag: &Tag) {
        match kind {
            Kind::Break if self.pre > 0 => self.next_line(),
            Kind::Break => self.part(if self.gap == Gap::Line { Gap::Empty } else { Gap::Line }),
            Kind::Rule => {
                self.part(Gap::Empty);
                self.flush();
                self.out.push_str("---");
                self.part(Gap::Empty);
            }
            Kind::Image => {
                let text = tag.get("alt").map(words).filter(|text| !text.is_empty());
                if let Some(text) = text {
                    self.text(&format!("[image: {text}]"));
                }
            }
            Kind::Base if self.base.is_none() => {
                self.base = tag.get("href").and_then(|href| self.url.join(href).ok());
            }
            _ => {}
        }
    }

    fn begin_link(&mut self, tag: &Tag) {
        self.end_link();
        // Code is read as it is.
        if self.pre > 0 {
            return;
        }
        let base = self.base.as_ref().unwrap_or(&self.url);
        let url = tag.get("href").and_then(|href| base.join(href.trim()).ok());
        let is_elsewhere = |url: &Url| {
            let (mut there, mut here) = (url.clone(), self.url.clone());
            there.set_fragment(None);
            here.set_fragment(None);
            there != here
        };
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https" | "mailto") && is_elsewhere(url));
        self.link = url.map(|url| Link { url, has_text: false });
    }

    fn end_link(&mut self) {
        if let Some(link) = self.link.take().filter(|link| link.has_text) {
            self.out.push_str("](");
            self.out.push_str(link.url.as_str());
            self.out.push(')');
        }
    }

    fn end(&mut self, name: &[u8]) {
        match self.open.ended_by(name) {
            Some(at) => self.close(at),
            // An end without a beginning stands for an empty paragraph, and for a break.
            None if self.hidden == 0 && matches!(name, b"p" | b"br") => self.part(Gap::Line),
            None => {}
        }
    }

    fn end_implied(&mut self, beginning: Kind) {
        while let Some(at) = self.open.ended_by_beginning(beginning) {
            self.close(at);
        }
    }

    /// Closes the open element at this place, and what is open within it.
    fn close(&mut self, at: usize) {
        while self.open.len() > at {
            let Some(open) = self.open.pop() else { break };
            if self.hidden == 0 {
                self.finish_element(&open);
            }
            self.hidden -= usize::from(open.is_hidden);
        }
    }

    fn finish_element(&mut self, open: &Open) {
        match open.kind {
            Kind::Title => self.in_title = false,
            Kind::Line | Kind::Definition | Kind::Item => self.part(Gap::Line),
            Kind::Paragraph | Kind::Block | Kind::Quote | Kind::Table | Kind::Heading(_) => {
                self.part(Gap::Empty);
            }
            Kind::List { .. } => {
                self.part(if self.open.has_items() { Gap::Line } else { Gap::Empty });
            }
            Kind::Pre => {
                self.pre -= 1;
                self.gap = Gap::Line;
                self.flush();
                self.out.push_str("```");
                self.part(Gap::Empty);
            }
            Kind::Code if self.pre == 0 => self.out.push('`'),
            Kind::Link => self.end_link(),
            Kind::Cell if open.begin < self.out.len() => self.gap = Gap::Nothing,
            Kind::Row => {
                let has_text = self.out[open.begin..].contains(|c: char| !c.is_whitespace() && c != '|');
                if !has_text {
                    self.out.truncate(open.begin);
                }
                self.part(Gap::Line);
            }
            _ => {}
        }
        match open.kind {
            // What has no text needs no mark.
            Kind::Heading(_) => self.heading = "",
            Kind::Item => self.bullet.clear(),
            _ => {}
        }
        if open.is_main {
            self.main = self.main.map(|(begin, _)| (begin, self.out.len()));
        }
    }

    /// Sets what follows apart from what is there.
    fn part(&mut self, gap: Gap) {
        let cell = self.open.innermost_cell();
        let is_at_start = self.out.is_empty() || cell.is_some_and(|cell| cell.begin == self.out.len());
        // What is marked may be in a paragraph: the mark is not parted from it.
        if !is_at_start && self.bullet.is_empty() && self.heading.is_empty() {
            self.gap = self.gap.max(gap);
        }
    }

    fn text(&mut self, text: &str) {
        if self.hidden > 0 {
            return;
        }
        if self.in_title {
            if let Some(title) = &mut self.title {
                let room = MAX_TITLE.saturating_sub(title.len());
                title.push_str(&text[..text.floor_char_boundary(room)]);
            }
            return;
        }
        for c in text.chars().filter(|c| !is_invisible(*c)) {
            match c {
                '\n' if self.pre > 0 => self.next_line(),
                c if self.pre == 0 && is_space(c) => self.gap = self.gap.max(Gap::Space),
                '\r' => {}
                c => {
                    self.flush();
                    self.out.push(c);
                }
            }
        }
    }

    /// Ends a line of preformatted text.
    fn next_line(&mut self) {
        if self.gap == Gap::Nothing {
            self.gap = Gap::Line;
        } else if self.out.ends_with("```") {
            // The first line end belongs to the tag.
        } else {
            self.flush();
            self.gap = Gap::Line;
        }
    }

    /// Writes what stands before the next text.
    fn flush(&mut self) {
        if self.out.is_empty() {
            self.indent();
            self.gap = Gap::Nothing;
        }
        match self.gap {
            Gap::Nothing => {}
            Gap::Space => self.out.push(' '),
            Gap::Line => {
                self.out.push('\n');
                self.indent();
            }
            Gap::Empty => {
                self.out.push_str("\n\n");
                self.indent();
            }
        }
        self.gap = Gap::Nothing;
        self.out.push_str(&self.bullet);
        self.out.push_str(self.heading);
        self.bullet.clear();
        self.heading = "";
        if let Some(link) = self.link.as_mut().filter(|link| !link.has_text) {
            link.has_text = true;
            self.out.push('[');
        }
    }

    /// Begins a line as deep as the lists and quotes that are open.
    fn indent(&mut self) {
        let kinds: Vec<Kind> = self.open.indents().take(MAX_INDENTS).collect();
        let innermost = kinds.iter().rposition(|kind| *kind == Kind::Item);
        for (place, kind) in kinds.into_iter().enumerate() {
            match kind {
                Kind::Quote => self.out.push_str("> "),
                // The bullet stands in the place of the innermost item's own indent.
                _ if innermost == Some(place) && !self.bullet.is_empty() => {}
                _ => self.out.push_str("  "),
            }
        }
    }

    fn finish(mut self) -> Page {
        self.close(0);
        self.end_link();
        let title = words(self.title.as_deref().unwrap_or_default());
        let main = self.main.and_then(|(begin, end)| self.out.get(begin..end));
        let main = main.filter(|main| main.trim().len() >= MIN_MAIN);
        let begin = main.and(self.main).map_or(0, |(begin, _)| begin);
        let untrimmed = main.unwrap_or(&self.out);
        let text = untrimmed.trim();
        let begin = begin + (untrimmed.len() - untrimmed.trim_start().len());
        let anchor = self.anchor.and_then(|at| at.checked_sub(begin)).filter(|at| *at < text.len());
        let is_main_part = text.len() < self.out.trim().len();
        Page { title, text: text.to_owned(), is_main_part, anchor }
    }
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{a0}'
}

/// What a reader of the page does not see: controls, marks without width, and the tags of which hidden text is made.
fn is_invisible(c: char) -> bool {
    (c.is_control() && !c.is_ascii_whitespace())
        || matches!(c, '\u{ad}' | '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// The words of a text, with one space between.
fn words(text: &str) -> String {
    let visible: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "html/tests.rs"]
mod tests;
