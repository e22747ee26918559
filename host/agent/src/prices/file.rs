use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;
use toml::Spanned;

use super::{Cost, Price};
use crate::roles::{read_at_most, shown_path, shown_words};

/// The largest file that is read, in bytes: some thousand models.
const MAX_BYTES: u64 = 1 << 20;

/// The highest price, in dollars for a million tokens. Whatever is above is a slip of the decimal point.
const MOST: f64 = 100_000.0;

/// Why prices can't be known.
#[derive(Debug, Error)]
pub enum PricesError {
    /// The file can't be read.
    #[error("cannot read {}: {source}", shown_path(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file says something that is no price.
    #[error("{}:{line}:{column}: {problem}", shown_path(path))]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
        /// What is wrong there.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    #[serde(default)]
    prices: BTreeMap<Spanned<String>, Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    input: Spanned<toml::Value>,
    cached_input: Option<Spanned<toml::Value>>,
    output: Spanned<toml::Value>,
}

pub(super) fn read(path: &Path) -> Result<BTreeMap<String, Price>, PricesError> {
    let failed = |source| PricesError::Io { path: path.to_owned(), source };
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(failed(error)),
    };
    let large = || failed(io::Error::other(format!("it is larger than {MAX_BYTES} bytes")));
    let bytes = read_at_most(&mut file, MAX_BYTES).map_err(failed)?.ok_or_else(large)?;
    let text = String::from_utf8(bytes).map_err(|_| failed(io::Error::other("it is not UTF-8 text")))?;
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<BTreeMap<String, Price>, PricesError> {
    let wrong = |span: Range<usize>, problem: &str| {
        let before = text.get(..span.start).unwrap_or(text);
        PricesError::Wrong {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
            problem: shown_words(problem),
        }
    };
    let content: Content =
        toml::from_str(text).map_err(|error| wrong(error.span().unwrap_or_default(), error.message()))?;
    let mut prices = BTreeMap::new();
    for (id, entry) in content.prices {
        let span = id.span();
        let id = id.into_inner();
        // A name that no model has would be a price that is never used, and a budget that never ends anything.
        match remit_model::ModelChoice::parse(&id) {
            Ok(_) if !id.contains("://") => {}
            Ok(_) => return Err(wrong(span, "a price is for a model's name, without its `@URL`")),
            Err(error) => return Err(wrong(span, &error.to_string())),
        }
        let dollars = |value: Spanned<toml::Value>| {
            let span = value.span();
            dollars(value.as_ref()).ok_or_else(|| {
                wrong(span, "expected dollars for a million tokens, such as 3.0 or 0.25, with at most six digits behind the point")
            })
        };
        let input = dollars(entry.input)?;
        let cached_input = entry.cached_input.map(dollars).transpose()?.unwrap_or(input);
        prices.insert(id, Price { input, cached_input, output: dollars(entry.output)? });
    }
    Ok(prices)
}

/// A number of the file in millionths. The shortest text for a float is what the file says, or as exact.
fn dollars(value: &toml::Value) -> Option<Cost> {
    match value {
        toml::Value::Integer(number) => Cost::parse(&u64::try_from(*number).ok()?.to_string()),
        toml::Value::Float(number) if (0.0..=MOST).contains(number) => Cost::parse(&number.to_string()),
        _ => None,
    }
    .filter(|cost| *cost <= Cost::from_micros(MOST as u64 * 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        parse(Path::new("/c/models.toml"), text).unwrap_err().to_string()
    }

    #[test]
    fn a_table_is_read_to_the_millionth() {
        let text = "[prices.\"openai:m\"]\ninput = 3\noutput = 0.000001\n\n\
                    [prices.\"anthropic:c\"]\ninput = 3.0\ncached_input = 0.3\noutput = 15.25\n";
        let prices = parse(Path::new("models.toml"), text).unwrap();
        let dollars = |text| Cost::parse(text).unwrap();
        let price = |input, cached, output| Price {
            input: dollars(input),
            cached_input: dollars(cached),
            output: dollars(output),
        };
        assert_eq!(prices["openai:m"], price("3", "3", "0.000001"));
        assert_eq!(prices["anthropic:c"], price("3", "0.3", "15.25"));
        assert!(parse(Path::new("models.toml"), "").unwrap().is_empty());
    }

    #[test]
    fn what_is_no_price_is_named_with_its_place() {
        let entry = |rest: &str| message(&format!("[prices.\"openai:m\"]\n{rest}\n"));
        assert!(
            message("[price]\n").starts_with("/c/models.toml:1:2: unknown field `price`"),
            "{}",
            message("[price]\n")
        );
        assert!(
            entry("input = 1\noutput = 1\ncache = 1")
                .starts_with("/c/models.toml:4:1: unknown field `cache`")
        );
        assert!(entry("input = 1").contains("missing field `output`"));
        for number in ["-1", "nan", "inf", "0.0000001", "\"3\"", "1000000", "-0.5"] {
            let told = entry(&format!("input = {number}\noutput = 1"));
            assert!(told.starts_with("/c/models.toml:2:9: expected dollars"), "{number}: {told}");
        }
        let told = message("[prices.\"gpt-5\"]\ninput = 1\noutput = 1\n");
        assert!(told.starts_with("/c/models.toml:1:9: unknown model `gpt-5`"), "{told}");
        assert!(
            message("[prices.\"openai:m@http://h/v1\"]\ninput = 1\noutput = 1\n")
                .contains("without its `@URL`")
        );
        assert!(message("[prices\n").starts_with("/c/models.toml:1:"));
    }

    #[test]
    fn no_file_lists_nothing_and_one_that_is_too_large_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models.toml");
        assert!(read(&path).unwrap().is_empty());
        std::fs::write(&path, "#".repeat(MAX_BYTES as usize + 1)).unwrap();
        assert!(read(&path).unwrap_err().to_string().ends_with("it is larger than 1048576 bytes"));
    }
}
