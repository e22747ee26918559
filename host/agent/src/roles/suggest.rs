/// How like two names must be before one is offered for the other; 1 is the same.
const LIKENESS: f64 = 0.75;

/// Jaro-Winkler favours common beginnings, which is how long names are misremembered, but is blind to two letters
/// swapped in a short one. Edit distance sees that, and scores lower throughout.
fn likeness(one: &str, other: &str) -> f64 {
    const SCALE: f64 = 0.15;
    /// `turns` for `max_turns`.
    const PART: f64 = 0.8;
    let long = one.len() > 3 && other.len() > 3;
    if one != other && long && (one.ends_with(&format!("_{other}")) || other.ends_with(&format!("_{one}"))) {
        return PART;
    }
    let edits = strsim::normalized_damerau_levenshtein(one, other) + SCALE;
    strsim::jaro_winkler(one, other).max(edits.min(1.0))
}

/// The candidate that `name` was most likely meant to be, if any is near.
#[must_use]
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    let plain = |text: &str| text.to_lowercase().replace('-', "_");
    let name = plain(name);
    let scored = candidates.into_iter().map(|candidate| (likeness(&name, &plain(candidate)), candidate));
    let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (best.0 >= LIKENESS).then(|| best.1.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_offered_and_far_ones_are_not() {
        let keys = ["description", "max_turns", "max_tokens", "read"];
        assert_eq!(nearest("max_turn", keys).as_deref(), Some("max_turns"));
        assert_eq!(nearest("max-turns", keys).as_deref(), Some("max_turns"));
        assert_eq!(nearest("descripton", keys).as_deref(), Some("description"));
        assert_eq!(nearest("turns", keys).as_deref(), Some("max_turns"));
        assert_eq!(nearest("raed", keys).as_deref(), Some("read"));
        assert_eq!(nearest("scr", ["src", "docs"]).as_deref(), Some("src"));
        assert_eq!(nearest("zzz", keys), None);
        assert_eq!(nearest("x", []), None);
    }
}
