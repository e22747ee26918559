use std::fmt;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde_json::Value;

use crate::Protocol;

/// A tool as a model is told about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// The name on the wire, `[a-zA-Z0-9_-]{1,64}`.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments; an object schema.
    pub input_schema: Value,
}

/// The tools that one agent's model may call. Cloning it is cheap, and clones share the serialised form.
#[derive(Clone)]
pub struct ToolSet(Arc<Inner>);

struct Inner {
    specs: Vec<ToolSpec>,
    wire: OnceLock<(Protocol, Bytes)>,
}

/// Whether the model may call tools in this turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// Not in this turn. The tools are listed all the same, since an API may refuse a conversation that holds calls
    /// of tools that are not.
    None,
}

impl ToolSet {
    /// A set in the order of `specs`. That no two share a name is the caller's to see to.
    pub fn new(specs: Vec<ToolSpec>) -> ToolSet {
        ToolSet(Arc::new(Inner { specs, wire: OnceLock::new() }))
    }

    /// The tools, in the order in which they were given.
    pub fn specs(&self) -> &[ToolSpec] {
        &self.0.specs
    }

    /// The tool with this wire name.
    pub fn get(&self, name: &str) -> Option<&ToolSpec> {
        self.specs().iter().find(|spec| spec.name == name)
    }

    /// As [`Message::wire`](crate::Message), for the whole set.
    pub(crate) fn wire(&self, protocol: Protocol, encode: impl Fn(&[ToolSpec]) -> Bytes) -> Bytes {
        let (cached, bytes) = self.0.wire.get_or_init(|| (protocol, encode(&self.0.specs)));
        if *cached == protocol { bytes.clone() } else { encode(&self.0.specs) }
    }
}

impl Default for ToolSet {
    fn default() -> ToolSet {
        ToolSet::new(Vec::new())
    }
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.specs().iter().map(|spec| &spec.name)).finish()
    }
}
