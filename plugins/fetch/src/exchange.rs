//! One request and its answer.

use url::Url;

/// The longest body that is read, in bytes.
pub(crate) const MAX_BODY: usize = 8 << 20;

/// What sends requests.
pub trait Web {
    /// Sends one `GET`, without the URL's fragment, and follows nothing. Of the body at most 8 MiB are read.
    ///
    /// # Errors
    /// What became of it, in words.
    fn get(&self, url: &Url, accept: &str) -> Result<Answer, String>;
}

/// What a server answered.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Header fields in the order in which they came, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, as far as it was read.
    pub body: Vec<u8>,
    /// Whether there is more of the body than was read.
    pub is_cut: bool,
}

impl Answer {
    /// The first field of this name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let field = self.headers.iter().find(|(known, _)| known == name)?;
        Some(field.1.trim())
    }

    /// Where a redirect leads, as the server wrote it.
    pub(crate) fn location(&self) -> Option<&str> {
        matches!(self.status, 301 | 302 | 303 | 307 | 308).then(|| self.header("location"))?
    }
}
