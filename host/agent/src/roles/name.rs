/// The longest name of a role or plugin, in characters. A tool's name on the wire holds its plugin's, and model APIs
/// stop at 64.
pub(super) const MAX_NAME: usize = 40;

/// Whether `name` is one that a role or a plugin may have: `[a-z][a-z0-9-]*`, at most [`MAX_NAME`] long.
///
/// Such a name is safe in an agent's path (`root/explorer#1`), a tool's name and a file's.
pub(super) fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_small_letters_digits_and_hyphens() {
        for name in ["a", "root", "code-reviewer-2"] {
            assert!(is_name(name), "{name}");
        }
        let long = "a".repeat(MAX_NAME + 1);
        for name in ["", "Root", "2nd", "-a", "a_b", "a/b", "a#1", "a.b", "é", "a b", &long] {
            assert!(!is_name(name), "{name}");
        }
    }
}
