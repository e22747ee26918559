//! Figures as people read them.

/// A number with its thousands apart: `12,345`.
pub(crate) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// How many of something: `1 turn`, `2 turns`.
pub(crate) fn count(of: u64, one: &str) -> String {
    format!("{} {one}{}", number(of), if of == 1 { "" } else { "s" })
}

/// A size: `312 B`, `4.1 kB`, `12 MB`.
pub(crate) fn bytes(bytes: u64) -> String {
    let mut unit = "B";
    let (mut whole, mut rest) = (bytes, 0);
    for larger in ["kB", "MB", "GB"] {
        if whole < 1000 {
            break;
        }
        (whole, rest, unit) = (whole / 1000, whole % 1000, larger);
    }
    if unit == "B" || whole >= 10 {
        format!("{whole} {unit}")
    } else {
        format!("{whole}.{} {unit}", rest / 100)
    }
}

/// A time of that many milliseconds: `3 ms`, `1.2 s`, `2 min 5 s`.
pub(crate) fn time(millis: u64) -> String {
    match millis {
        0 => "<1 ms".to_owned(),
        1..1000 => format!("{millis} ms"),
        1000..10_000 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        10_000..60_000 => format!("{} s", millis / 1000),
        _ => format!("{} min {} s", millis / 60_000, millis % 60_000 / 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!([0, 999, 1000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([1, 2].map(|n| count(n, "turn")), ["1 turn", "2 turns"]);
        assert_eq!(
            [0, 999, 1000, 9_960, 10_000, 12_345_678].map(bytes),
            ["0 B", "999 B", "1.0 kB", "9.9 kB", "10 kB", "12 MB"]
        );
        assert_eq!([0, 1200, 59_999, 125_000].map(time), ["<1 ms", "1.2 s", "59 s", "2 min 5 s"]);
    }
}
