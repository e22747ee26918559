//! The words of an argument: separated by spaces, with escapes for what a path may hold all the same.

/// Splits an argument at white space. `\s` is a space, `\n` a new line, `\0` a NUL, `\e` nothing, `\\` a backslash.
pub fn split(text: &str) -> Vec<String> {
    text.split_whitespace().map(unescape).collect()
}

/// The number that a word stands for.
pub fn number(word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| format!("`{word}` is no number"))
}

fn unescape(word: &str) -> String {
    let mut result = String::new();
    let mut letters = word.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('s') => result.push(' '),
                Some('n') => result.push('\n'),
                Some('0') => result.push('\0'),
                Some('e') => {}
                other => result.extend(other),
            },
            letter => result.push(letter),
        }
    }
    result
}
