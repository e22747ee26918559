use std::env::{self, VarError};
use std::fmt;

use crate::{Account, ModelError, file};

/// The longest file that is taken for a key's, in bytes.
const MAX_KEY_FILE: u64 = 16 << 10;

/// What the user's environment holds about providers: keys, and URLs set in place of a provider's own.
///
/// A key is shown by nothing here, and goes into no error, event or log.
#[derive(Clone, Default)]
pub struct Keys {
    openai: Held,
    anthropic: Held,
}

#[derive(Clone, Default)]
struct Held {
    key: Option<Key>,
    base_url: Option<String>,
}

/// A key, or why the one that the user means can't be had.
#[derive(Clone)]
enum Key {
    Text(String),
    Unreadable(String),
}

impl Keys {
    /// None at all.
    pub fn none() -> Keys {
        Keys::default()
    }

    /// Each account's variables: the key itself (`OPENAI_API_KEY`), else a file with nothing but the key
    /// (`OPENAI_API_KEY_FILE`), and a base URL (`OPENAI_BASE_URL`). One that is empty counts as not set. A file that
    /// can't be read is told of when the key is needed.
    pub fn from_env() -> Keys {
        let mut keys = Keys::none();
        for account in Account::ALL {
            let key = variable(account.key_variable()).map(Key::Text);
            let held = keys.held_mut(account);
            held.key = key.or_else(|| from_file(&format!("{}_FILE", account.key_variable())));
            held.base_url = variable(account.url_variable());
        }
        keys
    }

    /// The same with this key.
    pub fn with_key(mut self, account: Account, key: impl Into<String>) -> Keys {
        self.held_mut(account).key = non_empty(key.into()).map(Key::Text);
        self
    }

    /// The same with this URL in place of the provider's own.
    pub fn with_base_url(mut self, account: Account, url: impl Into<String>) -> Keys {
        self.held_mut(account).base_url = non_empty(url.into());
        self
    }

    /// Whether there is a key, readable or not.
    pub fn has(&self, account: Account) -> bool {
        self.held(account).key.is_some()
    }

    /// The URL that the user set in place of the provider's own.
    pub fn base_url(&self, account: Account) -> Option<&str> {
        self.held(account).base_url.as_deref()
    }

    /// The key itself.
    pub(crate) fn key(&self, account: Account) -> Result<Option<&str>, ModelError> {
        match &self.held(account).key {
            None => Ok(None),
            Some(Key::Text(key)) => Ok(Some(key)),
            Some(Key::Unreadable(why)) => Err(ModelError::Configuration { message: why.clone() }),
        }
    }

    fn held(&self, account: Account) -> &Held {
        match account {
            Account::OpenAi => &self.openai,
            Account::Anthropic => &self.anthropic,
        }
    }

    fn held_mut(&mut self, account: Account) -> &mut Held {
        match account {
            Account::OpenAi => &mut self.openai,
            Account::Anthropic => &mut self.anthropic,
        }
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = |is_set: bool| if is_set { "set" } else { "not set" };
        let mut shown = f.debug_struct("Keys");
        for account in Account::ALL {
            shown.field(account.key_variable(), &set(self.has(account)));
            shown.field(account.url_variable(), &set(self.base_url(account).is_some()));
        }
        shown.finish()
    }
}

/// A value that is no text is kept as a text that no server takes, so that it is reported and not passed over.
fn variable(name: &str) -> Option<String> {
    match env::var(name) {
        Ok(value) => non_empty(value),
        Err(VarError::NotPresent) => None,
        Err(VarError::NotUnicode(_)) => Some("\0".to_owned()),
    }
}

/// The key in the file that the variable `name` names.
fn from_file(name: &str) -> Option<Key> {
    let path = env::var_os(name).filter(|path| !path.is_empty())?;
    Some(read(name, std::path::Path::new(&path)))
}

fn read(name: &str, path: &std::path::Path) -> Key {
    let unreadable = |why: String| Key::Unreadable(format!("{name}: {} {why}", path.display()));
    match file::read(path, MAX_KEY_FILE).map(String::from_utf8) {
        Ok(Ok(text)) => non_empty(text).map_or_else(|| unreadable("is empty".to_owned()), Key::Text),
        Ok(Err(_)) => unreadable("can't be read: it is no text".to_owned()),
        Err(error) => unreadable(format!("can't be read: {error}")),
    }
}

fn non_empty(value: String) -> Option<String> {
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_prints_a_key() {
        let keys = Keys::none()
            .with_key(Account::Anthropic, " sk-hunter2\n")
            .with_base_url(Account::OpenAi, "http://u:hunter2@x");
        assert_eq!(keys.key(Account::Anthropic), Ok(Some("sk-hunter2")));
        assert_eq!(
            format!("{keys:?}"),
            r#"Keys { OPENAI_API_KEY: "not set", OPENAI_BASE_URL: "set", ANTHROPIC_API_KEY: "set", ANTHROPIC_BASE_URL: "not set" }"#
        );
    }

    #[test]
    fn an_empty_key_is_none() {
        assert!(!Keys::none().with_key(Account::OpenAi, "  ").has(Account::OpenAi));
    }

    #[test]
    fn a_pipe_that_nobody_writes_to_or_a_huge_file_is_no_key_and_no_trap() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
        let huge = folder.path().join("huge");
        std::fs::write(&huge, vec![b'k'; MAX_KEY_FILE as usize + 1]).unwrap();
        let binary = folder.path().join("binary");
        std::fs::write(&binary, b"sk-\xff").unwrap();
        for (path, why) in [
            (pipe.as_path(), "it is no regular file"),
            (folder.path(), "it is no regular file"),
            (&huge, "it is larger than 16384 bytes"),
            (&binary, "it is no text"),
        ] {
            assert!(matches!(read("X_FILE", path), Key::Unreadable(words) if words.ends_with(why)), "{why}");
        }
    }

    #[test]
    fn a_key_may_stand_in_a_file_and_a_file_that_cannot_be_read_is_told_of_when_it_is_needed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "sk-hunter2\n").unwrap();
        assert!(matches!(read("X_FILE", &path), Key::Text(key) if key == "sk-hunter2"));
        std::fs::write(&path, "\n").unwrap();
        assert!(matches!(read("X_FILE", &path), Key::Unreadable(why) if why.ends_with("is empty")));
        let mut keys = Keys::none();
        keys.held_mut(Account::OpenAi).key = Some(read("X_FILE", &folder.path().join("none")));
        assert!(keys.has(Account::OpenAi));
        let error = keys.key(Account::OpenAi).unwrap_err().to_string();
        assert!(error.starts_with("X_FILE: ") && error.contains("can't be read"), "{error}");
    }
}
