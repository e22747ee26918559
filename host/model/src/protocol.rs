use std::fmt;

/// An API that a model is asked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// OpenAI's Chat Completions, which most other servers speak too.
    /// <https://platform.openai.com/docs/api-reference/chat>
    ChatCompletions,
    /// Anthropic's Messages. <https://docs.anthropic.com/en/api/messages>
    Messages,
    /// OpenAI's Responses. <https://platform.openai.com/docs/api-reference/responses>
    Responses,
}

/// Who issues a key. Two protocols may share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Account {
    /// OpenAI.
    OpenAi,
    /// Anthropic.
    Anthropic,
}

impl Protocol {
    /// All of them, in the order in which messages list them.
    pub const ALL: [Protocol; 3] = [Protocol::ChatCompletions, Protocol::Messages, Protocol::Responses];

    /// What a choice of model begins with, before the colon.
    pub fn prefix(self) -> &'static str {
        match self {
            Protocol::ChatCompletions => "openai",
            Protocol::Messages => "anthropic",
            Protocol::Responses => "responses",
        }
    }

    /// Whose key it takes.
    pub fn account(self) -> Account {
        match self {
            Protocol::ChatCompletions | Protocol::Responses => Account::OpenAi,
            Protocol::Messages => Account::Anthropic,
        }
    }

    /// The name of a model that its provider has, for examples and for where nobody chose one.
    pub fn default_model(self) -> &'static str {
        match self.account() {
            Account::OpenAi => "gpt-5-mini",
            Account::Anthropic => "claude-sonnet-4-5",
        }
    }

    /// What follows the base URL.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Protocol::ChatCompletions => "/chat/completions",
            Protocol::Messages => "/v1/messages",
            Protocol::Responses => "/responses",
        }
    }
}

impl Account {
    /// All of them; the first one with a key is the one that is used where nobody chose.
    pub const ALL: [Account; 2] = [Account::OpenAi, Account::Anthropic];

    /// The provider's name.
    pub fn title(self) -> &'static str {
        match self {
            Account::OpenAi => "OpenAI",
            Account::Anthropic => "Anthropic",
        }
    }

    /// The base URL of the provider's own API, in the form in which its own clients take it.
    pub fn url(self) -> &'static str {
        match self {
            Account::OpenAi => "https://api.openai.com/v1",
            Account::Anthropic => "https://api.anthropic.com",
        }
    }

    /// The environment variable that holds the key. With `_FILE` behind, it names a file that does.
    pub fn key_variable(self) -> &'static str {
        match self {
            Account::OpenAi => "OPENAI_API_KEY",
            Account::Anthropic => "ANTHROPIC_API_KEY",
        }
    }

    /// The environment variable that holds a base URL in place of the provider's own.
    pub fn url_variable(self) -> &'static str {
        match self {
            Account::OpenAi => "OPENAI_BASE_URL",
            Account::Anthropic => "ANTHROPIC_BASE_URL",
        }
    }

    /// The protocol that is used where only the key says which.
    pub fn protocol(self) -> Protocol {
        match self {
            Account::OpenAi => Protocol::ChatCompletions,
            Account::Anthropic => Protocol::Messages,
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Protocol::ChatCompletions => "Chat Completions",
            Protocol::Messages => "Messages",
            Protocol::Responses => "Responses",
        })
    }
}
