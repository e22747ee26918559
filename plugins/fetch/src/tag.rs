//! One start tag of a page.

/// The attributes that mean something for text.
const ATTRIBUTES: [&str; 8] = ["alt", "hidden", "href", "id", "name", "role", "start", "style"];

/// The longest value of one that is read, in bytes: nobody reads a longer one, and no link is longer.
const MAX_VALUE: usize = 8192;

/// A start tag with those attributes.
#[derive(Debug, Default)]
pub(crate) struct Tag {
    pub(crate) name: Box<[u8]>,
    values: [Option<String>; ATTRIBUTES.len()],
    /// Which of them is being read.
    attribute: Option<usize>,
}

impl Tag {
    pub(crate) fn new(name: &[u8]) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// An attribute begins. Of two of one name the first counts.
    pub(crate) fn begin(&mut self, name: &[u8]) {
        let place = ATTRIBUTES.iter().position(|known| known.as_bytes() == name);
        self.attribute = place.filter(|place| self.values[*place].is_none());
        // It may have no value.
        self.set(b"");
    }

    /// Its value.
    pub(crate) fn set(&mut self, value: &[u8]) {
        if let Some(place) = self.attribute {
            let value = &value[..value.len().min(MAX_VALUE)];
            self.values[place] = Some(String::from_utf8_lossy(value).into_owned());
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let place = ATTRIBUTES.iter().position(|known| *known == name)?;
        self.values[place].as_deref()
    }

    /// Whether a browser would not show the element, as far as the element itself says.
    pub(crate) fn is_hidden(&self) -> bool {
        let is_hiding = |rule: &str| {
            let rule: String = rule.chars().filter(|c| !c.is_whitespace()).collect();
            rule.eq_ignore_ascii_case("display:none") || rule.eq_ignore_ascii_case("visibility:hidden")
        };
        self.get("hidden").is_some() || self.get("style").is_some_and(|style| style.split(';').any(is_hiding))
    }
}
