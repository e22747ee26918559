use std::hash::{DefaultHasher, Hash, Hasher};

/// After how many times the same call with the same result in a row the model is told.
const PATIENCE: u32 = 3;

/// Notices a model that makes one call again and again. The limits end it; this tells it before they do.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    last: u64,
    times: u32,
}

impl Repeats {
    /// Takes in a call and its result. From the third time on it gives a note for the model.
    pub(super) fn note(&mut self, tool: &str, arguments: &str, result: &str) -> Option<String> {
        let mut hasher = DefaultHasher::new();
        (tool, arguments.trim(), result).hash(&mut hasher);
        let this = hasher.finish();
        self.times = if self.last == this { self.times.saturating_add(1) } else { 1 };
        self.last = this;
        (self.times >= PATIENCE).then(|| {
            format!(
                "The same call has given the same result {} times in a row. Call something else, or answer with what \
                 you have.",
                self.times
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_time_in_a_row_is_noted_and_a_change_begins_anew() {
        let mut repeats = Repeats::default();
        let noted: Vec<bool> =
            [("a", "x"), ("a", "x"), ("a", "x"), ("a", "x"), ("a", "y"), ("a", "x"), ("a", "x")]
                .into_iter()
                .map(|(arguments, result)| repeats.note("t", arguments, result).is_some())
                .collect();
        assert_eq!(noted, [false, false, true, true, false, false, false]);
    }
}
