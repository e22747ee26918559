use remit_model::Usage;

/// The most bytes of text that a token is taken to stand for. Prose has four or five, code three; long runs of one character
/// have more, and yet nothing that would fit into a budget may be taken to go over it.
const MOST_BYTES_PER_TOKEN: u64 = 16;

/// How large the next request is at least, so that one that is sure to go over a budget is not sent.
///
/// A request begins with all of the last one. What the provider counted of that is known; what came since is text.
#[derive(Debug, Default)]
pub(super) struct RequestSize {
    /// What the provider counted of the last request, and how many bytes its messages had.
    counted: Option<(u64, u64)>,
}

impl RequestSize {
    /// The provider counted a request whose messages had so many bytes.
    pub(super) fn count(&mut self, usage: Usage, bytes: u64) {
        self.counted = Some((usage.input_tokens, bytes));
    }

    /// A provider may leave out its model's old thoughts once somebody says something new.
    pub(super) fn forget(&mut self) {
        self.counted = None;
    }

    /// The fewest tokens that a request with so many bytes of messages, and `fixed` bytes before them, can have.
    pub(super) fn at_least(&self, bytes: u64, fixed: u64) -> u64 {
        match self.counted {
            Some((tokens, then)) => tokens.saturating_add(bytes.saturating_sub(then) / MOST_BYTES_PER_TOKEN),
            None => bytes.saturating_add(fixed) / MOST_BYTES_PER_TOKEN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_at_least_its_last_one_and_what_came_since() {
        let mut size = RequestSize::default();
        assert_eq!(size.at_least(1600, 160), 110);
        size.count(Usage { input_tokens: 500, cached_tokens: 400, output_tokens: 30 }, 1600);
        assert_eq!(size.at_least(1600, 160), 500);
        assert_eq!(size.at_least(3200, 160), 600);
        size.forget();
        assert_eq!(size.at_least(3200, 160), 210);
    }
}
