//! What a server does not take, learnt from its refusals. Nothing in a model's name says it.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::chat::Request;
use crate::{ModelError, Protocol};

/// Something that a request can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Thinking in the encrypted form that can be sent back (Responses).
    SealedThinking,
    /// A temperature.
    Temperature,
    /// An effort.
    Effort,
    /// A form for the last reply.
    Form,
    /// A reply no longer than what is left of a budget.
    Length,
    /// A length under its old name, `max_tokens` (Chat Completions).
    OldLengthName,
}

impl Wish {
    const ALL: [Wish; 6] = [
        Wish::SealedThinking,
        Wish::Temperature,
        Wish::Effort,
        Wish::Form,
        Wish::Length,
        Wish::OldLengthName,
    ];

    fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Whether the request says it, when nothing was refused yet.
    fn is_in(self, request: &Request<'_>, protocol: Protocol) -> bool {
        let has_length = request.max_output_tokens.is_some() || request.settings.max_output_tokens.is_some();
        match self {
            Wish::SealedThinking => protocol == Protocol::Responses,
            Wish::Temperature => request.settings.temperature.is_some(),
            Wish::Effort => request.settings.effort.is_some(),
            Wish::Form => request.form.is_some(),
            // A length that the user asked for is not given up.
            Wish::Length => {
                request.max_output_tokens.is_some() && request.settings.max_output_tokens.is_none()
            }
            Wish::OldLengthName => protocol == Protocol::ChatCompletions && has_length,
        }
    }

    /// Whether a refusal's words, in small letters, are about it.
    fn is_named(self, words: &str) -> bool {
        let has = |names: &[&str]| names.iter().any(|name| words.contains(name));
        match self {
            Wish::SealedThinking => has(&["encrypted", "include"]),
            Wish::Temperature => has(&["temperature"]),
            // Of "reasoning" a refusal of its encrypted form speaks, too.
            Wish::Effort => {
                let is_bare = has(&["reasoning"]) && !has(&["encrypted"]);
                has(&["effort"]) || is_bare || (has(&["output_config"]) && !has(&["format"]))
            }
            Wish::Form => {
                let names = ["response_format", "json_schema", "json schema", "structured output", "grammar"];
                has(&names) || has(&["text.format", "output_config"])
            }
            Wish::Length => has(&["max_tokens", "max_completion_tokens", "max_output_tokens"]),
            Wish::OldLengthName => has(&["max_completion_tokens"]),
        }
    }

    /// What to tell whoever asked for it.
    fn loss(self) -> Option<&'static str> {
        match self {
            Wish::Temperature => Some("takes no such `temperature`, and is asked without it"),
            Wish::Effort => Some("takes no such `effort`, and is asked without it"),
            Wish::Length => {
                Some("takes no such length, so that a reply may be longer than the tokens that are left")
            }
            Wish::SealedThinking | Wish::Form | Wish::OldLengthName => None,
        }
    }
}

/// Some wishes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refused(u8);

impl Refused {
    pub(crate) fn has(self, wish: Wish) -> bool {
        self.0 & wish.bit() != 0
    }
}

/// What one server was found not to take, for as long as this value lives.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    refused: AtomicU8,
    /// What nobody was told yet.
    untold: Mutex<Vec<String>>,
}

impl Refusals {
    pub(crate) fn now(&self) -> Refused {
        Refused(self.refused.load(Ordering::Relaxed))
    }

    /// Whether the refusal of `request`, which was sent without `sent_without`, is about something that it can do without. It
    /// is then left out from now on. `false` for anything else, so that a request is sent again at most once for each wish.
    pub(crate) fn learn(
        &self,
        error: &ModelError,
        (request, protocol): (&Request<'_>, Protocol),
        sent_without: Refused,
        id: &str,
    ) -> bool {
        let ModelError::Http { status, message, .. } = error else { return false };
        let words = message.to_lowercase();
        let mut is_new = false;
        for wish in Wish::ALL {
            // llama.cpp answers 500 to a form that it can't combine with tools.
            let is_refusal = matches!(status, 400 | 422) || (wish == Wish::Form && *status == 500);
            let said = wish.is_in(request, protocol) && !sent_without.has(wish);
            // The other name is another try; only if that is refused too, the length is given up.
            let is_spelling = wish == Wish::Length
                && Wish::OldLengthName.is_named(&words)
                && Wish::OldLengthName.is_in(request, protocol)
                && !sent_without.has(Wish::OldLengthName);
            if !is_refusal || !said || is_spelling || !wish.is_named(&words) {
                continue;
            }
            is_new = true;
            let before = self.refused.fetch_or(wish.bit(), Ordering::Relaxed);
            if let Some(loss) = wish.loss().filter(|_| before & wish.bit() == 0) {
                self.untold().push(format!("{id} {loss}"));
            }
        }
        is_new
    }

    /// What to tell, once.
    pub(crate) fn tell(&self) -> Vec<String> {
        std::mem::take(&mut *self.untold())
    }

    fn untold(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
