//! The elements of a page that are open. What is looked for often is found without a search, so that no page takes more time
//! than its length says.

use std::collections::HashMap;

use crate::tags::Kind;

/// An element that is open.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) name: Box<[u8]>,
    pub(crate) kind: Kind,
    /// Whether nothing in it is shown.
    pub(crate) is_hidden: bool,
    pub(crate) is_main: bool,
    /// The number of a list's next item.
    pub(crate) next: u32,
    /// Where the text of a row or a cell begins.
    pub(crate) begin: usize,
    pub(crate) cells: usize,
}

/// All of them, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct OpenElements {
    all: Vec<Open>,
    /// How many have each name, so that an end of none is told at once.
    names: HashMap<Box<[u8]>, usize>,
    /// Where some kinds are in `all`.
    lists: Vec<usize>,
    /// Items of lists, and quotes.
    indents: Vec<usize>,
    rows: Vec<usize>,
    cells: Vec<usize>,
    items: usize,
    definitions: usize,
    paragraphs: usize,
}

impl OpenElements {
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn push(&mut self, open: Open) {
        match self.names.get_mut(&open.name) {
            Some(count) => *count += 1,
            None => {
                self.names.insert(open.name.clone(), 1);
            }
        }
        let place = self.all.len();
        if let Some(places) = self.places(open.kind) {
            places.push(place);
        }
        if let Some(count) = self.count(open.kind) {
            *count += 1;
        }
        self.all.push(open);
    }

    pub(crate) fn pop(&mut self) -> Option<Open> {
        let open = self.all.pop()?;
        if let Some(count) = self.names.get_mut(&open.name) {
            *count -= 1;
        }
        if let Some(places) = self.places(open.kind) {
            places.pop();
        }
        if let Some(count) = self.count(open.kind) {
            *count -= 1;
        }
        Some(open)
    }

    fn places(&mut self, kind: Kind) -> Option<&mut Vec<usize>> {
        match kind {
            Kind::List { .. } => Some(&mut self.lists),
            Kind::Item | Kind::Quote => Some(&mut self.indents),
            Kind::Row => Some(&mut self.rows),
            Kind::Cell => Some(&mut self.cells),
            _ => None,
        }
    }

    fn count(&mut self, kind: Kind) -> Option<&mut usize> {
        match kind {
            Kind::Item => Some(&mut self.items),
            Kind::Definition => Some(&mut self.definitions),
            Kind::Paragraph => Some(&mut self.paragraphs),
            _ => None,
        }
    }

    pub(crate) fn has_items(&self) -> bool {
        self.items > 0
    }

    pub(crate) fn innermost_list(&mut self) -> Option<&mut Open> {
        self.all.get_mut(*self.lists.last()?)
    }

    pub(crate) fn innermost_row(&mut self) -> Option<&mut Open> {
        self.all.get_mut(*self.rows.last()?)
    }

    pub(crate) fn innermost_cell(&self) -> Option<&Open> {
        self.all.get(*self.cells.last()?)
    }

    /// The kinds of those that indent what is in them, the outermost first.
    pub(crate) fn indents(&self) -> impl Iterator<Item = Kind> + '_ {
        self.indents.iter().filter_map(|place| self.all.get(*place)).map(|open| open.kind)
    }

    /// The place of the one that an end tag ends.
    pub(crate) fn ended_by(&self, name: &[u8]) -> Option<usize> {
        self.names.get(name).filter(|count| **count > 0)?;
        let is_inline = Kind::of(name) == Kind::Inline;
        let is_end_of = |open: &Open| &*open.name == name;
        // What runs on in a line ends nothing that has lines of its own.
        let at =
            self.all.iter().rposition(|open| is_end_of(open) || (is_inline && open.kind != Kind::Inline));
        at.filter(|at| self.all.get(*at).is_some_and(is_end_of))
    }

    /// The place of one that ends because another begins, as its end tag may be left out.
    pub(crate) fn ended_by_beginning(&self, beginning: Kind) -> Option<usize> {
        let is_any = match beginning {
            Kind::Item => self.items > 0,
            Kind::Definition => self.definitions > 0,
            Kind::Row | Kind::Cell => !(self.rows.is_empty() && self.cells.is_empty()),
            _ => self.paragraphs > 0 && beginning.ends_paragraph(),
        };
        if !is_any {
            return None;
        }
        let is_either = |open: &Open| beginning.ends(open.kind) || open.kind.is_boundary_for(beginning);
        let at = self.all.iter().rposition(is_either);
        at.filter(|at| self.all.get(*at).is_some_and(|open| beginning.ends(open.kind)))
    }
}
