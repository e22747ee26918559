//! The content of the `remit:docs` section.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::MAX_DOCS_TEXT;
use crate::inert;

pub(super) const VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Texts {
    v: u32,
    /// By the name under which the interface is exported, for example `remit:files/files@0.1.0`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) interfaces: BTreeMap<String, Functions>,
    /// Functions that the component exports outside of any interface.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) functions: Functions,
    /// A component's types lose their names when it is loaded, so parts refer to an entry of this list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) types: Vec<TypeText>,
}

/// By the function's name in the WIT.
pub(super) type Functions = BTreeMap<String, FunctionText>;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FunctionText {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) doc: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) params: BTreeMap<String, Part>,
    #[serde(default, skip_serializing_if = "Part::is_empty")]
    pub(super) result: Part,
}

/// A parameter, a result, or a part of a type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) doc: Option<String>,
    /// An index into [`Texts::types`]; none where the type has nothing to say.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) ty: Option<usize>,
}

/// A type of which something is said. Lists and options have no entry: what is said of their element stands
/// for them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TypeText {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) doc: Option<String>,
    /// By the name of a field, case or flag, the index of a tuple's element, `ok` and `err`, `key` and
    /// `value`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) parts: BTreeMap<String, Part>,
}

impl Default for Texts {
    fn default() -> Self {
        Texts { v: VERSION, interfaces: BTreeMap::new(), functions: BTreeMap::new(), types: Vec::new() }
    }
}

impl FunctionText {
    pub(super) fn is_empty(&self) -> bool {
        self.doc.is_none() && self.params.is_empty() && self.result.is_empty()
    }
}

impl Part {
    pub(super) fn is_empty(&self) -> bool {
        self.doc.is_none() && self.ty.is_none()
    }
}

impl Texts {
    /// Makes every text inert and bounded. Returns how many were cut.
    pub(super) fn tame(&mut self) -> usize {
        self.all_mut().map(|text| usize::from(tame(text))).sum()
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut String> {
        fn of_part(part: &mut Part) -> impl Iterator<Item = &mut String> {
            part.doc.iter_mut()
        }
        let functions = self.interfaces.values_mut().chain([&mut self.functions]);
        let of_functions = functions.flat_map(|functions| functions.values_mut()).flat_map(|function| {
            let parts = function.params.values_mut().chain([&mut function.result]);
            function.doc.iter_mut().chain(parts.flat_map(of_part))
        });
        let of_types = self
            .types
            .iter_mut()
            .flat_map(|ty| ty.doc.iter_mut().chain(ty.parts.values_mut().flat_map(of_part)));
        of_functions.chain(of_types)
    }
}

/// Whether the text had to be cut.
fn tame(text: &mut String) -> bool {
    let is_cut = text.len() > MAX_DOCS_TEXT;
    if is_cut {
        text.truncate(text.floor_char_boundary(MAX_DOCS_TEXT));
        text.push('…');
    }
    if let Cow::Owned(shown) = inert(text) {
        *text = shown;
    }
    is_cut
}
