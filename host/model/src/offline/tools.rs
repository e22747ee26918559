//! The tools that the planner knows how to use, as far as it was given them.

use serde_json::{Map, Value};

use crate::chat::{ToolSet, ToolSpec};

/// The wire names of the tools in hand.
#[derive(Debug, Default)]
pub(super) struct Tools<'a> {
    pub(super) grep: Option<&'a ToolSpec>,
    pub(super) read: Option<&'a ToolSpec>,
    pub(super) find: Option<&'a ToolSpec>,
    pub(super) list: Option<&'a ToolSpec>,
    pub(super) task: Option<&'a ToolSpec>,
}

/// A call that the planner wants to make.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wish {
    pub(super) tool: String,
    pub(super) arguments: Value,
}

impl<'a> Tools<'a> {
    pub(super) fn of(set: &'a ToolSet) -> Tools<'a> {
        // A plugin of another name may bring the same functions.
        let named = |name: &str| set.specs().iter().find(|spec| spec.name.rsplit("__").next() == Some(name));
        Tools {
            grep: named("grep"),
            read: named("read_file"),
            find: named("find_files"),
            list: named("list_files"),
            task: set.get("task"),
        }
    }

    /// The roles that `task` may be given, as its schema lists them.
    pub(super) fn roles(&self) -> Vec<&'a str> {
        let Some(role) = self.task.and_then(|task| task.input_schema.pointer("/properties/role")) else {
            return Vec::new();
        };
        if let Some(only) = role.get("const").and_then(Value::as_str) {
            return vec![only];
        }
        let list = ["enum", "oneOf", "anyOf"].iter().find_map(|key| role.get(*key).and_then(Value::as_array));
        let name = |value: &'a Value| value.as_str().or_else(|| value.get("const").and_then(Value::as_str));
        list.into_iter().flatten().filter_map(name).collect()
    }
}

/// A call of `tool`, with those of the arguments that its schema knows.
pub(super) fn wish(tool: &ToolSpec, arguments: Value) -> Wish {
    let known = tool.input_schema.get("properties").and_then(Value::as_object);
    let arguments = match (arguments, known) {
        (Value::Object(all), Some(known)) => {
            Value::Object(all.into_iter().filter(|(key, _)| known.contains_key(key)).collect::<Map<_, _>>())
        }
        (arguments, _) => arguments,
    };
    Wish { tool: tool.name.clone(), arguments }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spec(name: &str, input_schema: Value) -> ToolSpec {
        ToolSpec { name: name.into(), description: String::new(), input_schema }
    }

    #[test]
    fn roles_are_read_from_the_schema() {
        for role in [
            json!({ "type": "string", "enum": ["explorer", "editor"] }),
            json!({ "oneOf": [{ "const": "explorer", "description": "Finds." }, { "const": "editor" }] }),
        ] {
            let set = ToolSet::new(vec![spec("task", json!({ "properties": { "role": role } }))]);
            assert_eq!(Tools::of(&set).roles(), ["explorer", "editor"]);
        }
        assert!(Tools::of(&ToolSet::default()).roles().is_empty());
    }

    #[test]
    fn an_argument_that_the_schema_does_not_know_is_not_sent() {
        let grep = spec("search__grep", json!({ "properties": { "pattern": {} } }));
        let wish = wish(&grep, json!({ "pattern": "x", "glob": "*.rs" }));
        assert_eq!(wish.arguments, json!({ "pattern": "x" }));
    }
}
