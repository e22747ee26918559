//! The arguments of `task`: one table that both the schema and the decoder are made of.

use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::roles::{TASK_TOOL, nearest, shown};

/// One `task` call, as the parent's model wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskArguments {
    /// The child's role: one of those that the parent may delegate to.
    pub role: String,
    /// What to do.
    pub task: String,
    /// What the report has to say.
    pub expected_output: String,
    /// When it is done.
    pub done_when: Option<String>,
    /// What to keep to.
    pub constraints: Vec<String>,
    /// Where to begin.
    pub sources: Vec<String>,
    /// What to leave alone.
    pub out_of_scope: Vec<String>,
    /// The directories that the child is confined to; without it, those of its role.
    pub paths: Option<Vec<String>>,
    /// The hosts that the child is confined to; without it, those of its role.
    pub hosts: Option<Vec<String>>,
}

/// Why the arguments of a `task` call can't be used. The model is told.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TaskError {
    /// Not JSON.
    #[error("the arguments are not JSON: {0}")]
    Syntax(String),
    /// Not what the schema asks for, at a place in the arguments.
    #[error("{at}: expected {expected}, found {found}")]
    Type {
        /// The place, such as `paths[0]`.
        at: String,
        /// What the schema asks for.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A parameter that must be there is not.
    #[error("{key}: missing; it is required")]
    Missing {
        /// The parameter.
        key: &'static str,
    },
    /// A parameter that `task` does not have.
    #[error("{key}: no such parameter{}; the parameters are {known}", near.as_ref().map(|near| format!(", did you mean `{near}`?")).unwrap_or_default())]
    Unknown {
        /// The parameter.
        key: String,
        /// The nearest one that there is.
        near: Option<String>,
        /// All there are.
        known: String,
    },
}

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Role,
    Text,
    Texts,
}

struct Field {
    key: &'static str,
    kind: Kind,
    required: bool,
    description: &'static str,
}

const fn field(key: &'static str, kind: Kind, required: bool, description: &'static str) -> Field {
    Field { key, kind, required, description }
}

const FIELDS: [Field; 9] = [
    field("role", Kind::Role, true, "Who does it."),
    field(
        "task",
        Kind::Text,
        true,
        "What to find out or do, with all that the subagent must know. It sees nothing else.",
    ),
    field("expected_output", Kind::Text, true, "What the report has to say, and in how much detail."),
    field("done_when", Kind::Text, false, "By what the subagent knows that it is done."),
    field("constraints", Kind::Texts, false, "What to keep to."),
    field("sources", Kind::Texts, false, "Files or places to begin with."),
    field("out_of_scope", Kind::Texts, false, "What to leave alone."),
    field(
        "paths",
        Kind::Texts,
        false,
        "Directories, relative to the workspace, that the subagent is confined to. They can only take away from what its \
         role may touch.",
    ),
    field(
        "hosts",
        Kind::Texts,
        false,
        "Hosts, such as `https://docs.rs`, that the subagent is confined to. They can only take away from what its role may \
         reach.",
    ),
];

/// The schema of `task` for an agent that may delegate to `roles`: each a name, and what to know about it in a line.
pub(crate) fn schema(roles: &[(String, String)]) -> Value {
    let properties: Map<String, Value> =
        FIELDS.iter().map(|field| (field.key.to_owned(), property(field, roles))).collect();
    let required: Vec<&str> = FIELDS.iter().filter(|field| field.required).map(|field| field.key).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn property(field: &Field, roles: &[(String, String)]) -> Value {
    match field.kind {
        Kind::Role => {
            let names: Vec<&str> = roles.iter().map(|(name, _)| name.as_str()).collect();
            let lines: Vec<String> = roles.iter().map(|(name, line)| format!("\n- {name}: {line}")).collect();
            let description = format!("{}{}", field.description, lines.concat());
            json!({ "type": "string", "enum": names, "description": description })
        }
        Kind::Text => json!({ "type": "string", "minLength": 1, "description": field.description }),
        Kind::Texts => json!({
            "type": "array",
            "items": { "type": "string", "minLength": 1 },
            "description": field.description,
        }),
    }
}

impl TaskArguments {
    /// Decodes the text that a model sent, for an agent that may delegate to `roles`.
    ///
    /// # Errors
    ///
    /// See [`TaskError`].
    pub fn decode(text: &str, roles: &[&str]) -> Result<TaskArguments, TaskError> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| TaskError::Syntax(error.to_string()))?;
        let Value::Object(mut object) = value else { return Err(wrong(TASK_TOOL, "an object", &value)) };
        if let Some(key) = object.keys().find(|key| !FIELDS.iter().any(|field| field.key == *key)) {
            let keys = FIELDS.map(|field| field.key);
            return Err(TaskError::Unknown {
                key: shown(key),
                near: nearest(key, keys),
                known: keys.join(", "),
            });
        }
        let mut texts = |key| list(key, object.remove(key));
        let [constraints, sources, out_of_scope, paths, hosts] =
            ["constraints", "sources", "out_of_scope", "paths", "hosts"].map(&mut texts);
        let mut text = |key| words(key, object.remove(key));
        let [role, task, expected_output, done_when] =
            ["role", "task", "expected_output", "done_when"].map(&mut text);
        let needed = |key, value: Option<String>| value.ok_or(TaskError::Missing { key });
        let role = needed("role", role?)?;
        if !roles.contains(&role.as_str()) {
            let expected = format!("one of {}", roles.join(", "));
            return Err(wrong("role", &expected, &Value::String(role)));
        }
        Ok(TaskArguments {
            role,
            task: needed("task", task?)?,
            expected_output: needed("expected_output", expected_output?)?,
            done_when: done_when?,
            constraints: constraints?.unwrap_or_default(),
            sources: sources?.unwrap_or_default(),
            out_of_scope: out_of_scope?.unwrap_or_default(),
            paths: paths?,
            hosts: hosts?,
        })
    }
}

/// A text that says something. `null` stands for a parameter that is left out, as some models send it.
fn words(key: &'static str, value: Option<Value>) -> Result<Option<String>, TaskError> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => text(key, value).map(Some),
    }
}

fn list(key: &'static str, value: Option<Value>) -> Result<Option<Vec<String>>, TaskError> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(values)) => {
            let texts =
                values.into_iter().enumerate().map(|(index, value)| text(&format!("{key}[{index}]"), value));
            texts.collect::<Result<_, _>>().map(Some)
        }
        Some(other) => Err(wrong(key, "a list of strings", &other)),
    }
}

fn text(at: &str, value: Value) -> Result<String, TaskError> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Ok(text),
        Value::String(_) => Err(wrong(at, "words", &value)),
        other => Err(wrong(at, "a string", &other)),
    }
}

fn wrong(at: &str, expected: &str, found: &Value) -> TaskError {
    TaskError::Type { at: at.to_owned(), expected: expected.to_owned(), found: shown(&found.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [&str; 2] = ["explorer", "reader"];

    fn error(text: &str) -> String {
        TaskArguments::decode(text, &ROLES).unwrap_err().to_string()
    }

    #[test]
    fn all_that_the_schema_offers_is_decoded() {
        let text = r#"{"role":"reader","task":"t","expected_output":"o","done_when":"d","constraints":["c"],
            "sources":["s"],"out_of_scope":["x","y"],"paths":["src"],"hosts":["https://a.b"]}"#;
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let expected = TaskArguments {
            role: "reader".into(),
            task: "t".into(),
            expected_output: "o".into(),
            done_when: Some("d".into()),
            constraints: texts(&["c"]),
            sources: texts(&["s"]),
            out_of_scope: texts(&["x", "y"]),
            paths: Some(texts(&["src"])),
            hosts: Some(texts(&["https://a.b"])),
        };
        assert_eq!(TaskArguments::decode(text, &ROLES).unwrap(), expected);
        let least = r#"{"role":"explorer","task":"t","expected_output":"o","paths":null}"#;
        let least = TaskArguments::decode(least, &ROLES).unwrap();
        assert_eq!((least.paths, least.constraints), (None, vec![]));
    }

    #[test]
    fn what_does_not_fit_is_refused_by_its_place() {
        for (text, expected) in [
            (r#"{"role":"explorer","task":"t"}"#, "expected_output: missing; it is required"),
            (
                r#"{"role":"editor","task":"t","expected_output":"o"}"#,
                r#"role: expected one of explorer, reader, found "editor""#,
            ),
            (r#"{"role":"explorer","task":" ","expected_output":"o"}"#, r#"task: expected words, found " ""#),
            (
                r#"{"role":"explorer","task":"t","expected_output":"o","paths":["src",3]}"#,
                "paths[1]: expected a string, found 3",
            ),
            (
                r#"{"role":"explorer","task":"t","expected_output":"o","paths":"src"}"#,
                r#"paths: expected a list of strings, found "src""#,
            ),
            ("[1]", "task: expected an object, found [1]"),
        ] {
            assert_eq!(error(text), expected, "{text}");
        }
        assert!(error("{\"role\":").starts_with("the arguments are not JSON: "));
    }

    #[test]
    fn an_unknown_parameter_is_refused_with_the_nearest_one() {
        let text = r#"{"role":"explorer","task":"t","expected_output":"o","path":["src"]}"#;
        assert_eq!(
            error(text),
            "path: no such parameter, did you mean `paths`?; the parameters are role, task, expected_output, done_when, \
             constraints, sources, out_of_scope, paths, hosts"
        );
    }

    #[test]
    fn the_schema_and_the_decoder_name_the_same_parameters() {
        let schema = schema(&[("explorer".into(), "Finds things.".into())]);
        let object: Map<String, Value> = FIELDS
            .iter()
            .map(|field| {
                let value = match field.kind {
                    Kind::Role => json!("explorer"),
                    Kind::Text => json!("t"),
                    Kind::Texts => json!(["t"]),
                };
                (field.key.to_owned(), value)
            })
            .collect();
        let properties = schema["properties"].as_object().unwrap();
        assert!(properties.keys().eq(object.keys()));
        let decoded = TaskArguments::decode(&Value::Object(object).to_string(), &ROLES).unwrap();
        assert_eq!(decoded.paths, Some(vec!["t".to_owned()]));
        assert_eq!(properties["role"]["description"], "Who does it.\n- explorer: Finds things.");
        assert_eq!(schema["required"], json!(["role", "task", "expected_output"]));
    }
}
