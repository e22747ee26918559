use remit_model::{Effort, ExtraBody, ExtraHeaders, ModelChoice, SettingProblem, Settings, Temperature};
use serde_json::{Map, Number, Value};
use toml::de::DeValue;

use super::limits::MAX_LARGE;
use super::problem::Problem;
use super::reader::{Reader, Section};
use super::shown::{shown, shown_words};

/// Which model a role has, and how it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RoleModel {
    /// In the words of [`ModelChoice::parse_in_workspace`].
    pub(super) choice: Option<String>,
    pub(super) settings: Settings,
}

impl RoleModel {
    pub(super) fn read(reader: &mut Reader<'_>, section: &Section<'_>) -> Self {
        let choice = reader.string(section, "model").map(|text| {
            if let Err(error) = ModelChoice::parse_in_workspace(&text.value) {
                reader.report(text.at, section.key("model"), Problem::Model(shown_words(&error.to_string())));
            }
            text.value
        });
        let settings = Settings {
            max_output_tokens: reader.number(section, "max_output_tokens", 1, MAX_LARGE),
            temperature: temperature(reader, section),
            effort: effort(reader, section),
            headers: headers(reader, section),
            body: body(reader, section),
        };
        Self { choice, settings }
    }
}

/// The settings that are not left to the provider, each as the file would say it, headers and body fields by their names.
pub(super) fn in_words(settings: &Settings) -> Vec<String> {
    let Settings { max_output_tokens, temperature, effort, headers, body } = settings;
    let mut words = Vec::new();
    words.extend(max_output_tokens.map(|tokens| format!("max_output_tokens {tokens}")));
    words.extend(temperature.map(|temperature| format!("temperature {temperature}")));
    words.extend(effort.map(|effort| format!("effort {effort}")));
    words.extend(headers.iter().map(|(name, value)| format!("header {name}: {}", shown(value))));
    words.extend(
        body.iter().map(|(key, value)| format!("body {} = {}", shown(key), shown(&value.to_string()))),
    );
    words
}

fn temperature(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<Temperature> {
    let (key, value) = ("temperature", section.get("temperature")?);
    let at = reader.position(value.span().start);
    let number = match value.get_ref() {
        DeValue::Float(number) => number.as_str().parse::<f64>().ok(),
        DeValue::Integer(number) => number.as_str().parse::<f64>().ok(),
        _ => {
            reader.wrong_type(at, section.key(key), "a number", value, None);
            return None;
        }
    };
    match Temperature::new(number.unwrap_or(f64::NAN)) {
        Ok(temperature) => Some(temperature),
        Err(problem) => {
            reader.report(at, section.key(key), setting(&problem));
            None
        }
    }
}

fn effort(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<Effort> {
    let text = reader.string(section, "effort")?;
    match text.value.parse() {
        Ok(effort) => Some(effort),
        Err(problem) => {
            reader.report(text.at, section.key("effort"), setting(&problem));
            None
        }
    }
}

fn headers(reader: &mut Reader<'_>, section: &Section<'_>) -> ExtraHeaders {
    let key = "model_headers";
    let mut headers = ExtraHeaders::default();
    for (name, value) in reader.entries(section, key, "model_headers = { X-Title = \"…\" }") {
        let place = format!("{}.{}", section.key(key), shown(name.get_ref()));
        let at = reader.position(name.span().start);
        match value.get_ref().as_str() {
            Some(text) => {
                if let Err(problem) = headers.add(name.get_ref(), text) {
                    reader.report(at, place, setting(&problem));
                }
            }
            None => reader.wrong_type(at, place, "a string", value, None),
        }
    }
    headers
}

fn body(reader: &mut Reader<'_>, section: &Section<'_>) -> ExtraBody {
    let key = "model_body";
    let mut body = ExtraBody::default();
    for (name, value) in reader.entries(section, key, "model_body = { top_p = 0.9 }") {
        let place = format!("{}.{}", section.key(key), shown(name.get_ref()));
        let at = reader.position(name.span().start);
        let added = match json(value.get_ref()) {
            Ok(value) => body.add(name.get_ref(), value).map_err(|problem| setting(&problem)),
            Err(why) => Err(Problem::Model(why)),
        };
        if let Err(problem) = added {
            reader.report(at, place, problem);
        }
    }
    body
}

/// A value as JSON has it.
fn json(value: &DeValue<'_>) -> Result<Value, String> {
    Ok(match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(integer) => {
            let number = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
            Value::from(number.ok_or_else(|| format!("`{}` is too large a number", shown(integer.as_str())))?)
        }
        DeValue::Float(float) => {
            let number = float.as_str().parse().ok().and_then(Number::from_f64);
            Value::Number(number.ok_or_else(|| format!("JSON has no number `{}`", shown(float.as_str())))?)
        }
        DeValue::Boolean(flag) => Value::from(*flag),
        DeValue::Datetime(_) => return Err("JSON has no dates; write it as a string".to_owned()),
        DeValue::Array(items) => {
            let items = items.iter().map(|item| json(item.get_ref()));
            Value::from(items.collect::<Result<Vec<_>, _>>()?)
        }
        DeValue::Table(table) => {
            let entries = table
                .iter()
                .map(|(key, value)| Ok::<_, String>((key.get_ref().to_string(), json(value.get_ref())?)));
            Value::Object(entries.collect::<Result<Map<_, _>, _>>()?)
        }
    })
}

fn setting(problem: &SettingProblem) -> Problem {
    Problem::Model(shown_words(&problem.to_string()))
}
