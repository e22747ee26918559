//! Finding what is said about a function and, from there, about each part of its signature.

use super::Docs;
use super::text::{FunctionText, Functions, Part, TypeText};

/// What is said about one exported function.
#[derive(Clone, Copy, Debug)]
pub struct FunctionDocs<'a> {
    docs: &'a Docs,
    text: &'a FunctionText,
}

/// A place in a signature: a parameter, the result, or a part of either. There may be nothing said about it;
/// the default place is such a one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place<'a> {
    at: Option<(&'a Docs, &'a Part)>,
    said: Said,
}

/// How much of what can be said about a place was said further out.
#[derive(Clone, Copy, Debug, Default)]
enum Said {
    #[default]
    Nothing,
    /// What is said about the place, so that its type's text is left.
    Own,
    All,
}

impl Docs {
    /// What is said about an exported function; `interface` is the exported interface's name, or none for a
    /// function that is exported by itself.
    ///
    /// Where that interface is not known, one that differs in nothing but its version will do, and then one
    /// that is written without its package.
    pub fn function(&self, interface: Option<&str>, name: &str) -> Option<FunctionDocs<'_>> {
        let functions = match interface {
            Some(interface) => self.interface(interface)?,
            None => &self.texts.functions,
        };
        functions.get(name).map(|text| FunctionDocs { docs: self, text })
    }

    fn interface(&self, name: &str) -> Option<&Functions> {
        let interfaces = &self.texts.interfaces;
        let unversioned = without_version(name);
        let short = unversioned.rsplit('/').next();
        interfaces
            .get(name)
            .or_else(|| {
                let mut same = interfaces.iter().filter(|(key, _)| without_version(key) == unversioned);
                same.next().map(|(_, functions)| functions)
            })
            .or_else(|| interfaces.get(short?))
    }
}

fn without_version(interface: &str) -> &str {
    interface.split_once('@').map_or(interface, |(name, _)| name)
}

impl<'a> FunctionDocs<'a> {
    /// What the function does.
    pub fn description(&self) -> Option<&'a str> {
        self.text.doc.as_deref()
    }

    /// The place of a parameter, by its name in the WIT.
    pub fn param(&self, name: &str) -> Place<'a> {
        Place::new(self.text.params.get(name).map(|part| (self.docs, part)))
    }

    /// The place of the result.
    pub fn result(&self) -> Place<'a> {
        Place::new(Some((self.docs, &self.text.result)))
    }
}

impl<'a> Place<'a> {
    fn new(at: Option<(&'a Docs, &'a Part)>) -> Place<'a> {
        Place { at, said: Said::Nothing }
    }

    /// What is said about this place or, if that is nothing, about its type.
    pub fn text(&self) -> Option<&'a str> {
        let (_, part) = self.at?;
        let of_type = || self.ty()?.doc.as_deref();
        match self.said {
            Said::Nothing => part.doc.as_deref().or_else(of_type),
            Said::Own => of_type(),
            Said::All => None,
        }
    }

    /// The place of a part: a field, case or flag by its name in the WIT, a tuple's element by its index,
    /// `ok` or `err` of a result, `key` or `value` of a map.
    pub fn part(&self, name: &str) -> Place<'a> {
        let find = || {
            let (docs, _) = self.at?;
            Some((docs, self.ty()?.parts.get(name)?))
        };
        Place::new(find())
    }

    /// The place of a list's or an option's element. It is the same place, whose parts are the element's, but
    /// it does not repeat what was the text of the whole.
    pub fn element(&self) -> Place<'a> {
        let own = self.at.and_then(|(_, part)| part.doc.as_deref());
        let said = match self.said {
            Said::Nothing if own.is_some() => Said::Own,
            _ => Said::All,
        };
        Place { at: self.at, said }
    }

    fn ty(&self) -> Option<&'a TypeText> {
        let (docs, part) = self.at?;
        docs.texts.types.get(part.ty?)
    }
}
