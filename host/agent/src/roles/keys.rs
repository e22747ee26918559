//! Which keys each table takes. A key is listed only where something enforces it.

/// The keys of one kind of table.
pub(super) struct Keys {
    /// What a header of such a table looks like, for messages.
    pub(super) header: &'static str,
    /// Its own keys.
    pub(super) own: &'static [&'static str],
    /// Whether it takes the limits too.
    pub(super) limits: bool,
    /// Names that a later version will know. They are refused as unknown ones are, in words that do not call them
    /// misspelt.
    pub(super) later: &'static [&'static str],
}

pub(super) const LIMIT_KEYS: &[&str] = &[
    "max_turns",
    "max_model_calls",
    "max_tokens",
    "max_cost",
    "max_tool_calls",
    "max_delegations",
    "max_depth",
    "wall_clock",
    "call_time",
    "result_bytes",
];

pub(super) const TOP: Keys = Keys {
    header: "the top of the file",
    own: &["ceiling", "budget", "plugins", "secrets", "roles"],
    limits: false,
    later: &["hooks"],
};

pub(super) const CEILING: Keys = Keys {
    header: "[ceiling]",
    own: &["read", "write", "hosts", "commands", "hidden", "reveal"],
    limits: false,
    later: &[],
};

pub(super) const BUDGET: Keys = Keys { header: "[budget]", own: &[], limits: true, later: &["max_parallel"] };

pub(super) const PLUGIN: Keys =
    Keys { header: "[plugins]", own: &["path", "sha256", "wit"], limits: false, later: &[] };

pub(super) const SECRET: Keys =
    Keys { header: "[secrets.NAME]", own: &["env", "host", "header"], limits: false, later: &[] };

/// An element of `hosts` that allows more than reading.
pub(super) const HOST: Keys =
    Keys { header: "an element of `hosts`", own: &["url", "methods"], limits: false, later: &[] };

pub(super) const ROLE: Keys = Keys {
    header: "[roles.NAME]",
    own: &[
        "description",
        "prompt",
        "prompt_file",
        "model",
        "max_output_tokens",
        "temperature",
        "effort",
        "model_headers",
        "model_body",
        "tools",
        "disallowed_tools",
        "delegates",
        "read",
        "write",
        "hosts",
        "secrets",
        "commands",
        "scratch",
        "command_sandbox",
        "command_env",
        "hidden",
        "approve",
        "allow",
        "deny",
    ],
    limits: true,
    later: &["workspace", "component", "max_parallel"],
};

impl Keys {
    /// Every key that the table takes.
    pub(super) fn all(&self) -> impl Iterator<Item = &'static str> + use<> {
        let limits: &[&str] = if self.limits { LIMIT_KEYS } else { &[] };
        self.own.iter().chain(limits).copied()
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.all().any(|known| known == key)
    }

    /// The kinds of table that do take `key`, for one that stands in the wrong place.
    pub(super) fn home_of(key: &str) -> Vec<&'static str> {
        [TOP, CEILING, BUDGET, PLUGIN, SECRET, HOST, ROLE]
            .iter()
            .filter(|keys| keys.has(key))
            .map(|keys| keys.header)
            .collect()
    }
}
