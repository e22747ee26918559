//! Reading the comments of a WIT package's sources.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use wit_parser::{
    Function, FunctionKind, InterfaceId, PackageId, Resolve, Result_, Span, Type, TypeDefKind, TypeId,
    WorldItem,
};

use super::source::{comment_above, take_entries};
use super::text::{FunctionText, Functions, Part, Texts, TypeText};
use crate::PackError;

/// The name under which a function's comment may describe its result.
const RETURNS: &str = "returns";

pub(super) fn read(path: &Path) -> Result<Texts, PackError> {
    let mut resolve = Resolve { all_features: true, ..Resolve::default() };
    let (package, _) = resolve
        .push_path(path)
        .map_err(|error| PackError::Wit { path: path.to_owned(), message: resolve.render_error(&error) })?;
    let mut reader =
        Reader { resolve: &resolve, sources: HashMap::new(), types: Vec::new(), known: HashMap::new() };
    let mut texts = reader.package(package)?;
    texts.types = reader.types;
    Ok(texts)
}

struct Reader<'a> {
    resolve: &'a Resolve,
    /// Text by path. The parser keeps its copies to itself.
    sources: HashMap<String, String>,
    types: Vec<TypeText>,
    /// Types that were looked at: the entry, or none where there is nothing to say.
    known: HashMap<TypeId, Option<usize>>,
}

impl Reader<'_> {
    /// Everything that a world of the package exports, and the package's own interfaces, which a world
    /// elsewhere may export.
    fn package(&mut self, package: PackageId) -> Result<Texts, PackError> {
        let resolve = self.resolve;
        let package = &resolve.packages[package];
        let mut texts = Texts::default();
        for &id in package.interfaces.values() {
            if let Some(name) = resolve.id_of(id) {
                self.interface(&mut texts, name, id)?;
            }
        }
        for &world in package.worlds.values() {
            for (key, item) in &resolve.worlds[world].exports {
                match item {
                    WorldItem::Interface { id, .. } => {
                        self.interface(&mut texts, resolve.name_world_key(key), *id)?;
                    }
                    WorldItem::Function(function) => self.function(&mut texts.functions, function)?,
                    WorldItem::Type { .. } => {}
                }
            }
        }
        Ok(texts)
    }

    fn interface(&mut self, texts: &mut Texts, name: String, id: InterfaceId) -> Result<(), PackError> {
        let mut functions = Functions::new();
        for function in self.resolve.interfaces[id].functions.values() {
            self.function(&mut functions, function)?;
        }
        if !functions.is_empty() {
            texts.interfaces.insert(name, functions);
        }
        Ok(())
    }

    fn function(&mut self, functions: &mut Functions, function: &Function) -> Result<(), PackError> {
        if !matches!(function.kind, FunctionKind::Freestanding | FunctionKind::AsyncFreestanding) {
            return Ok(());
        }
        let mut names: Vec<&str> = function.params.iter().map(|param| param.name.as_str()).collect();
        names.push(RETURNS);
        let comment = function.docs.contents.as_deref().unwrap_or_default();
        let mut parted = take_entries(comment, &names);
        let mut params = BTreeMap::new();
        for param in &function.params {
            let listed = parted.entries.remove(&param.name);
            let doc = self.comment_above(param.span)?.or(listed);
            insert_unless_empty(&mut params, &param.name, Part { doc, ty: self.ty(&param.ty) });
        }
        let result = Part {
            doc: parted.entries.remove(RETURNS),
            ty: function.result.as_ref().and_then(|ty| self.ty(ty)),
        };
        let text = FunctionText { doc: parted.description, params, result };
        if !text.is_empty() {
            functions.insert(function.name.clone(), text);
        }
        Ok(())
    }

    fn comment_above(&mut self, span: Span) -> Result<Option<String>, PackError> {
        let Some(place) = self.resolve.source_map.resolve_span(span) else {
            return Ok(None);
        };
        if !self.sources.contains_key(place.path) {
            let text = std::fs::read_to_string(place.path)
                .map_err(|source| PackError::Read { path: place.path.into(), source })?;
            self.sources.insert(place.path.to_owned(), text);
        }
        Ok(self.sources.get(place.path).and_then(|text| comment_above(text, place.range.start)))
    }

    /// The entry of a type, which is made when it is first asked for.
    fn ty(&mut self, ty: &Type) -> Option<usize> {
        let Type::Id(id) = *ty else {
            return None;
        };
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let entry = self.type_entry(id);
        self.known.insert(id, entry);
        entry
    }

    fn type_entry(&mut self, id: TypeId) -> Option<usize> {
        let resolve = self.resolve;
        let definition = &resolve.types[id];
        let doc = said(&definition.docs);
        let mut parts = BTreeMap::new();
        let mut add = |name: &str, doc: Option<String>, ty: Option<usize>| {
            insert_unless_empty(&mut parts, name, Part { doc, ty });
        };
        match &definition.kind {
            TypeDefKind::Record(record) => {
                for field in &record.fields {
                    add(&field.name, said(&field.docs), self.ty(&field.ty));
                }
            }
            TypeDefKind::Variant(variant) => {
                for case in &variant.cases {
                    add(&case.name, said(&case.docs), case.ty.as_ref().and_then(|ty| self.ty(ty)));
                }
            }
            TypeDefKind::Enum(cases) => {
                cases.cases.iter().for_each(|case| add(&case.name, said(&case.docs), None));
            }
            TypeDefKind::Flags(flags) => {
                flags.flags.iter().for_each(|flag| add(&flag.name, said(&flag.docs), None));
            }
            TypeDefKind::Tuple(tuple) => {
                for (index, ty) in tuple.types.iter().enumerate() {
                    add(&index.to_string(), None, self.ty(ty));
                }
            }
            TypeDefKind::Result(Result_ { ok, err }) => {
                for (name, ty) in [("ok", ok), ("err", err)] {
                    add(name, None, ty.as_ref().and_then(|ty| self.ty(ty)));
                }
            }
            TypeDefKind::Map(key, value) => {
                for (name, ty) in [("key", key), ("value", value)] {
                    add(name, None, self.ty(ty));
                }
            }
            TypeDefKind::Option(inner)
            | TypeDefKind::List(inner)
            | TypeDefKind::FixedLengthList(inner, _)
            | TypeDefKind::Type(inner) => {
                let inner = self.ty(inner);
                let Some(doc) = doc else {
                    return inner;
                };
                let parts = inner.and_then(|inner| self.types.get(inner)).map(|inner| inner.parts.clone());
                return Some(self.push(TypeText { doc: Some(doc), parts: parts.unwrap_or_default() }));
            }
            TypeDefKind::Resource
            | TypeDefKind::Handle(_)
            | TypeDefKind::Future(_)
            | TypeDefKind::Stream(_)
            | TypeDefKind::Unknown => return None,
        }
        (doc.is_some() || !parts.is_empty()).then(|| self.push(TypeText { doc, parts }))
    }

    fn push(&mut self, entry: TypeText) -> usize {
        self.types.push(entry);
        self.types.len() - 1
    }
}

fn said(docs: &wit_parser::Docs) -> Option<String> {
    docs.contents.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn insert_unless_empty(parts: &mut BTreeMap<String, Part>, name: &str, part: Part) {
    if !part.is_empty() {
        parts.insert(name.to_owned(), part);
    }
}
